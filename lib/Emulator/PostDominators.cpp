// Immediate post-dominators: where lanes that went different ways meet again.
#include "Program.h"

#include <algorithm>

namespace tlx::emu {

void findPostDominators(std::vector<BasicBlock> &blocks);

namespace {

/// Blocks in reverse post-order of the reversed graph, starting from the blocks that leave the kernel.
std::vector<uint32_t> reverseOrder(const std::vector<BasicBlock> &blocks,
                                   const std::vector<std::vector<uint32_t>> &predecessors) {
  std::vector<uint32_t> order;
  std::vector<bool> seen(blocks.size());
  std::vector<std::pair<uint32_t, size_t>> stack;
  for (uint32_t root = 0; root < blocks.size(); ++root) {
    if (!blocks[root].successors.empty() || seen[root])
      continue;
    seen[root] = true;
    stack.push_back({root, 0});
    while (!stack.empty()) {
      auto &[block, next] = stack.back();
      if (next == predecessors[block].size()) {
        order.push_back(block);
        stack.pop_back();
        continue;
      }
      uint32_t predecessor = predecessors[block][next++];
      if (!seen[predecessor]) {
        seen[predecessor] = true;
        stack.push_back({predecessor, 0});
      }
    }
  }
  std::reverse(order.begin(), order.end());
  return order;
}

} // namespace

// Cooper, Harvey, Kennedy: "A Simple, Fast Dominance Algorithm", on the reversed graph with one virtual exit.
void findPostDominators(std::vector<BasicBlock> &blocks) {
  const uint32_t exit = static_cast<uint32_t>(blocks.size());
  std::vector<std::vector<uint32_t>> predecessors(blocks.size());
  for (uint32_t index = 0; index < blocks.size(); ++index)
    for (uint32_t successor : blocks[index].successors)
      predecessors[successor].push_back(index);
  std::vector<uint32_t> order = reverseOrder(blocks, predecessors);
  constexpr uint32_t unknown = ~0u;
  std::vector<uint32_t> rank(blocks.size() + 1, unknown), dominator(blocks.size() + 1, unknown);
  for (uint32_t index = 0; index < order.size(); ++index)
    rank[order[index]] = index + 1;
  rank[exit] = 0;
  dominator[exit] = exit;
  auto meet = [&](uint32_t a, uint32_t b) {
    while (a != b) {
      while (rank[a] > rank[b])
        a = dominator[a];
      while (rank[b] > rank[a])
        b = dominator[b];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t block : order) {
      uint32_t meeting = blocks[block].successors.empty() ? exit : unknown;
      for (uint32_t successor : blocks[block].successors)
        if (dominator[successor] != unknown)
          meeting = meeting == unknown ? successor : meet(meeting, successor);
      if (meeting != unknown && dominator[block] != meeting) {
        dominator[block] = meeting;
        changed = true;
      }
    }
  }
  for (uint32_t index = 0; index < blocks.size(); ++index)
    blocks[index].postDominator =
        dominator[index] == exit || dominator[index] == unknown ? exitBlock : dominator[index];
}

} // namespace tlx::emu
