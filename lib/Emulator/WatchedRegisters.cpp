// Before a program runs: which instructions read or write registers with a history that has to be looked after. All
// others run without a look at it.
#include "Program.h"

namespace tlx::emu {
namespace {

using SlotSet = std::vector<bool>;

bool anyOperand(const Program &program, const Inst &inst, const SlotSet &set) {
  bool any = false;
  forOperands(program, inst, [&](uint32_t slot) { any |= set[slot]; });
  return any;
}

template <typename Function> void forResults(const Program &program, const Inst &inst, Function &&function) {
  if (inst.dst == noSlot || inst.op == Opcode::TensorLoad)
    return;
  for (uint32_t index = 0; index < program.resultCounts[inst.dst]; ++index)
    function(inst.dst + index);
}

/// The results of an instruction lie in a row, and end where something else begins.
void countResults(Program &program) {
  SlotSet begins(program.slots + 1, false), isResult(program.slots, false);
  begins[program.slots] = true;
  for (auto &[slot, bits] : program.constants)
    begins[slot] = true;
  for (const Parameter &parameter : program.parameters)
    begins[parameter.slot] = true;
  for (const Move &move : program.moves)
    begins[move.to] = true;
  for (const Inst &inst : program.code)
    if (inst.dst != noSlot && inst.op != Opcode::TensorLoad)
      begins[inst.dst] = isResult[inst.dst] = true;
  program.resultCounts.assign(program.slots, 0);
  for (uint32_t slot = 0; slot < program.slots; ++slot)
    for (uint32_t end = slot + 1; isResult[slot] && program.resultCounts[slot] == 0; ++end)
      if (begins[end])
        program.resultCounts[slot] = end - slot;
}

/// Adds to `set` what moves hand on, and the waits for matrix operations: all of them, or those that leave some in
/// flight.
bool spreadForward(const Program &program, SlotSet &set, bool allWaits) {
  bool changed = false;
  auto add = [&](uint32_t from, uint32_t to) {
    if (set[from] && !set[to])
      set[to] = changed = true;
  };
  for (const Move &move : program.moves)
    add(move.from, move.to);
  for (const Inst &inst : program.code)
    for (uint32_t index = 0; inst.op == Opcode::WgmmaWait && (allWaits || inst.imm > 0) && index < inst.count; ++index)
      add(program.operands[inst.extra + index], inst.dst + index);
  return changed;
}

void findInFlight(Program &program) {
  SlotSet inFlight(program.slots, false);
  bool any = false;
  for (const Inst &inst : program.code)
    if (inst.op == Opcode::Wgmma || inst.op == Opcode::TmemLoad) {
      any = true;
      forResults(program, inst, [&](uint32_t slot) { inFlight[slot] = true; });
    }
  while (any && spreadForward(program, inFlight, false)) {
  }
  for (Inst &inst : program.code) {
    if (!any || inst.op == Opcode::Wgmma || inst.op == Opcode::WgmmaWait || inst.op == Opcode::Switch ||
        inst.op == Opcode::CondBranch || inst.op == Opcode::TmemWaitLoad || inst.op == Opcode::TmemLoad)
      continue;
    if (anyOperand(program, inst, inFlight))
      inst.watch |= watchInFlight;
  }
}

/// Everything that may be computed from the value that nobody has written.
void findUndefined(Program &program) {
  if (program.undefined == noSlot)
    return;
  SlotSet undefined(program.slots, false);
  undefined[program.undefined] = true;
  for (bool changed = true; changed;) {
    changed = spreadForward(program, undefined, true);
    for (Inst &inst : program.code)
      if (!(inst.watch & watchUndefined) && anyOperand(program, inst, undefined)) {
        inst.watch |= watchUndefined;
        program.watchesUndefined = changed = true;
        forResults(program, inst, [&](uint32_t slot) { undefined[slot] = true; });
      }
  }
  for (Edge &edge : program.edges)
    for (uint32_t index = 0; index < edge.moves; ++index)
      if (undefined[program.moves[edge.firstMove + index].from])
        edge.watched = program.watchesUndefined = true;
}

/// Everything that may become an accumulator or a left operand of a wgmma, and who else touches it.
void findTouches(Program &program) {
  SlotSet registers(program.slots, false);
  for (const Inst &inst : program.code) {
    if (inst.op != Opcode::Wgmma)
      continue;
    program.watchesTouches = true;
    const MatrixShape &shape = program.matrices[static_cast<size_t>(inst.imm)];
    const uint32_t count = shape.accumulators + (shape.aRegisters == 4 ? 4 : 0);
    for (uint32_t index = 0; index < count; ++index)
      registers[program.operands[inst.extra + index]] = true;
  }
  if (!program.watchesTouches)
    return;
  // What moves and waits hand on is the same register. Where a constant is put into one is the assembler's choice.
  for (bool changed = true; changed;) {
    changed = false;
    auto add = [&](uint32_t from, uint32_t to) {
      if (registers[to] && !registers[from])
        registers[from] = changed = true;
    };
    for (const Move &move : program.moves)
      add(move.from, move.to);
    for (const Inst &inst : program.code)
      for (uint32_t index = 0; inst.op == Opcode::WgmmaWait && index < inst.count; ++index)
        add(program.operands[inst.extra + index], inst.dst + index);
  }
  for (auto &[slot, bits] : program.constants)
    registers[slot] = false;
  for (Inst &inst : program.code) {
    bool touches = inst.op == Opcode::Wgmma || anyOperand(program, inst, registers);
    forResults(program, inst, [&](uint32_t slot) { touches |= registers[slot]; });
    if (touches)
      inst.watch |= watchTouch;
  }
  for (Edge &edge : program.edges)
    for (uint32_t index = 0; index < edge.moves; ++index)
      edge.watched |= registers[program.moves[edge.firstMove + index].to];
  program.matrixRegisters = std::move(registers);
}

} // namespace

void findWatched(Program &program) {
  countResults(program);
  findInFlight(program);
  findUndefined(program);
  findTouches(program);
}

} // namespace tlx::emu
