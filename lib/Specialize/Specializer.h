// Walks the tree of one kernel with an environment of values, folding what is constant and emitting the rest.
#ifndef TLX_SPECIALIZE_SPECIALIZER_H
#define TLX_SPECIALIZE_SPECIALIZER_H

#include "Call.h"
#include "Library.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tlx/Specialize/Specialize.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <map>
#include <set>

namespace tlx::specialize {

struct Binding {
  Datum value;
  /// Where it was assigned.
  SourceRange range;
};
/// Ordered, so that results of branches and loops come in a fixed order.
using Names = llvm::MapVector<llvm::StringRef, Binding>;

/// Why a name that was assigned cannot be used any more.
struct LostName {
  SourceRange range;
  std::string reason;
  /// It is a tile that stands outside the task.
  bool isOutsideTask = false;
};

/// One function that is being inlined; the kernel is the first.
struct Frame {
  /// Null for what stands outside functions.
  const ast::FunctionDef *function = nullptr;
  /// Where its globals are.
  const ast::Module *module = nullptr;
  /// Evaluated while compiling: all loops are unrolled.
  bool isConstexpr = false;
  Names names;
  std::map<llvm::StringRef, LostName> lost;
  /// Names whose assignment failed: they were reported once, their uses are not.
  std::set<llvm::StringRef> poisoned;
  /// Loops around the current statement, as far as `break` can see them.
  unsigned loopDepth = 0;
  /// `return` ends the task.
  bool isInTask = false;
  /// Blocks around the current statement that go on behind it.
  unsigned openTails = 0;
  /// Something follows the tasks, which a `return` inside one would have to skip.
  bool goesOnBehindTasks = false;
  /// Called for each element of tiles: an `if` on a tile runs both sides.
  bool isElementwise = false;
  /// Where each name stands last in the function; filled when first asked for.
  llvm::StringMap<uint32_t> lastUses;
};

/// How a block of statements ends: at its end, by an escape (`return`, `break`, `continue`), or by either, as flags
/// among the names tell at run time (Escapes.h).
enum class Flow { Next, Escaped, Maybe };
using FlowResult = mlir::FailureOr<Flow>;

/// What one side of a branch leaves.
struct Arm {
  Names names;
  Datum result;
  Flow flow = Flow::Next;
};

/// Ways out of the body of a loop, besides its end.
struct LoopExits {
  bool breaks = false, returns = false;
  bool any() const { return breaks || returns; }
};

/// A loop that is emitted as scf.while. Callbacks get the counters, which are carried beside the variables.
struct LoopPlan {
  ast::Body body;
  LoopExits exits;
  llvm::SmallVector<mlir::Value> counters;
  /// The condition, or null where it is always true.
  llvm::function_ref<mlir::FailureOr<mlir::Value>(mlir::ValueRange counters, mlir::Value goesOn)> condition;
  llvm::function_ref<mlir::LogicalResult(mlir::ValueRange counters)> begin;
  llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange counters)> step;
};

struct GivenArgument {
  Datum value;
  SourceRange range;
  /// Empty for a positional one.
  llvm::StringRef keyword;
  SourceRange keywordRange;
};
using GivenArguments = llvm::SmallVector<GivenArgument>;

/// One `async_task` that survived pruning, before its replicas.
struct TaskRequest {
  ast::Body body;
  SourceRange range;
  bool isDefault = false;
  int64_t warps = 0;
  int64_t registers = 0;
  int64_t replicas = 1;
  std::optional<int64_t> firstWarp;
  std::string name;
};

class Specializer {
public:
  Specializer(const ast::Module &module, mlir::MLIRContext &context, const SourceManager &files, diag::Sink &sink)
      : module(module), emit(context, files, sink), sink(sink) {
    addModules(module);
  }

  /// Counts nested evaluation and execution while it lives.
  class Nested {
  public:
    explicit Nested(Specializer &specializer) : specializer(specializer) { ++specializer.depth; }
    ~Nested() { --specializer.depth; }
    Nested(const Nested &) = delete;
    Nested &operator=(const Nested &) = delete;
    /// Reports when the nesting is too deep for the stack.
    mlir::LogicalResult check(SourceRange range);

  private:
    Specializer &specializer;
  };

  // Expressions.
  Result evaluate(const ast::Expr *expr);
  Result viewOf(const Datum &base, const Datum &index, SourceRange indexRange);
  std::optional<Datum> lookupConstant(llvm::StringRef name);

  /// What a function gives to its caller, or an error.
  Result takeReturned(Flow flow);

  // Statements.
  FlowResult execute(ast::Body body);
  mlir::LogicalResult assign(const ast::Expr *target, const Datum &value);
  void bind(llvm::StringRef name, Datum value, SourceRange range);

  /// Gives the memory of an allocation the name of the variable that it is assigned to.
  std::string allocationName(llvm::StringRef fallback);
  /// The variable that the value is being assigned to, or empty.
  llvm::StringRef assignee() const { return assignedName; }

  Frame &frame() { return *frames.back(); }

  /// Calls a function that is a value: the module's, the library's or a builtin.
  Result callFunction(const Datum &function, const GivenArguments &given, SourceRange range);
  /// Calls a function that sees one element of each tile.
  Result callElementwise(const Datum &function, const GivenArguments &given, SourceRange range);
  /// Calls a function of Library.tlx.
  Result callLibrary(llvm::StringRef function, const GivenArguments &given, SourceRange range);

  const ast::Module &module;
  Emitter emit;
  diag::Sink &sink;
  mlir::func::FuncOp function;
  WorkLimits limits;
  bool hasBlockScales = false;
  /// Columns of tensor memory that products of tiles took.
  int64_t tileColumns = 0;
  /// Warps of the default task.
  int64_t numWarps = 4;
  /// All warps of the kernel, where the shorthand divides them.
  int64_t totalWarps = 12;
  int64_t clusterSize = 1;
  /// Where the source wrote the layout of a buffer, by the operation that makes the buffer.
  llvm::DenseMap<mlir::Operation *, SourceRange> writtenLayouts;
  /// Region of the innermost task, or null.
  mlir::Region *taskRegion = nullptr;
  std::optional<int64_t> replica;
  /// Names whose barriers belong to loads of the shorthand.
  llvm::StringSet<> channelNames;
  std::vector<std::unique_ptr<Frame>> frames;

private:
  /// Parsed when a kernel first needs it.
  std::unique_ptr<Library> library;

  /// Bounds on what a kernel makes of the compiler's time and stack.
  unsigned depth = 0, unrolled = 0, inlined = 0;
  /// One of the bounds was met: going on would meet it again.
  bool isFatal = false;

  /// The variable that the expression being evaluated is assigned to, if one.
  std::string assignedName;
  llvm::StringMap<unsigned> allocationCounts;
  /// The next function of the source that is called sees single elements.
  bool callsElementwise = false;
  /// Names of arguments that came from dictionaries.
  llvm::StringSet<> keywordNames;

  /// Modules by the file that they stand in.
  std::map<FileId, const ast::Module *> modules;
  /// What was looked up in modules before.
  std::map<std::pair<const ast::Module *, std::string>, std::optional<Datum>> members;
  /// Names of modules and the statement that keeps their value unknown; null where it is known.
  std::map<std::pair<const ast::Module *, std::string>, const ast::Stmt *> unsettled;
  /// Module-level expressions whose value is being computed.
  std::set<const ast::Expr *> evaluating;

  // Names.cpp
  void addModules(const ast::Module &root);
  const ast::Module &moduleOf(SourceRange range) const;
  const ast::Module &currentModule() const;
  std::optional<Datum> memberOf(const ast::Module &owner, llvm::StringRef name);
  Result evaluateInModule(const ast::Module &owner, const ast::Expr *expr);
  Result evaluateGlobal(const ast::Module &owner, llvm::StringRef name, const ast::Expr *expr);
  Result attributeOfModule(const ast::Module *imported, const ast::Attribute *expr);

  // Objects.cpp
  llvm::SmallVector<const ast::ClassDef *> lineage(const ast::ClassDef *type);
  const ast::FunctionDef *methodNamed(const ast::ClassDef *type, llvm::StringRef name);
  Result construct(const ast::ClassDef *type, GivenArguments given, SourceRange range);
  Result constructFields(const ast::ClassDef *type, const GivenArguments &given, SourceRange range);
  mlir::LogicalResult assignField(const ast::Attribute *target, const Datum &value);
  std::optional<Result> classMember(const ast::ClassDef *type, const Datum *self, const ast::Attribute *expr);
  Result attributeOfObject(const Datum &object, const ast::Attribute *expr);
  Result attributeOfClass(const ast::ClassDef *type, const ast::Attribute *expr);

  // Expressions.cpp, Subscripts.cpp, FStrings.cpp
  Result evaluateKind(const ast::Expr *expr);
  Result evaluateName(const ast::Name *expr);
  Result evaluateSequence(ast::ExprList elements, bool isList);
  Result evaluateDict(const ast::Dict *expr);
  Result evaluateBoolOp(const ast::BoolOp *expr);
  Result evaluateCompare(const ast::Compare *expr);
  Result evaluateConditional(const ast::Conditional *expr);
  Result evaluateComprehension(const ast::Comprehension *expr);
  Result evaluateAttribute(const ast::Attribute *expr);
  Result evaluateFString(const ast::FString *expr);
  Result attributeOfNamespace(const NamespaceValue &space, const ast::Attribute *expr);
  Result attributeOfIR(const Datum &base, const ast::Attribute *expr);
  Result attributeOfDType(DType type, const ast::Attribute *expr);
  Result methodOf(const Datum &base, const ast::Attribute *expr);
  Result evaluateSubscript(const ast::Subscript *expr);
  Result elementOf(const SequenceValue &sequence, const ast::Expr *index);
  Result entryOf(const SequenceValue &dictionary, const ast::Expr *key);
  Result sliceOf(const SequenceValue &sequence, const ast::Slice *slice);
  Result indexTile(const Datum &tile, const ast::Expr *index);
  Result unknownName(const ast::Name *expr);
  Result unsupported(SourceRange range, llvm::StringRef what);

  // Calls.cpp
  Result evaluateCall(const ast::Call *expr);
  mlir::FailureOr<GivenArguments> evaluateArguments(const ast::Call *expr);
  mlir::LogicalResult spreadKeywords(const Datum &value, SourceRange range, GivenArguments &given);
  Result callBuiltin(const Builtin &builtin, const GivenArguments &given, SourceRange range);
  mlir::LogicalResult bindArguments(Call &call, const GivenArguments &given);
  mlir::LogicalResult bindKeyword(Call &call, const GivenArgument &argument);
  mlir::LogicalResult finishArguments(Call &call);
  Result inlineFunction(const ast::FunctionDef *callee, const GivenArguments &given, SourceRange range,
                        Datum *self = nullptr);
  mlir::LogicalResult bindParameters(Frame &callee, const GivenArguments &given, SourceRange range);
  mlir::LogicalResult bindParameter(Frame &callee, const ast::Param &param, const GivenArgument *argument,
                                    SourceRange call);

  // Statements.cpp, Branches.cpp
  FlowResult executeSimple(const ast::Stmt *statement);
  mlir::LogicalResult executeAssign(const ast::Assign *statement);
  mlir::LogicalResult executeAnnotatedAssign(const ast::AnnotatedAssign *statement);
  mlir::LogicalResult executeAugmentedAssign(const ast::AugmentedAssign *statement);
  mlir::LogicalResult executeAssert(const ast::Assert *statement);
  mlir::FailureOr<bool> changeList(const ast::Expr *statement);
  mlir::LogicalResult unpackRest(ast::ExprList targets, size_t starred, const SequenceValue &sequence);
  mlir::LogicalResult unpack(ast::ExprList targets, const Datum &value, SourceRange range);
  Result evaluateNamed(const ast::Assign *statement);
  FlowResult executeStatement(const ast::Stmt *statement, ast::Body tail, bool &isTailDone);
  void poison(const ast::Stmt *statement);
  FlowResult executeIf(const ast::If *statement, ast::Body tail, bool &isTailDone);
  FlowResult executeDynamicIf(const ast::If *statement, mlir::Value condition, ast::Body tail, bool &isTailDone);
  using ArmBuilder = llvm::function_ref<mlir::LogicalResult(Arm &)>;
  mlir::LogicalResult runArm(mlir::Region &region, Arm &arm, ArmBuilder build);
  mlir::LogicalResult mergeArms(mlir::scf::IfOp skeleton, const Arm (&arms)[2], Arm &merged, uint32_t end);
  Result emitChoice(mlir::Value condition, llvm::function_ref<Result()> thenValue,
                    llvm::function_ref<Result()> elseValue);
  uint32_t lastUse(llvm::StringRef name);
  FlowResult executeTail(ast::Body tail);

  // TileBranches.cpp
  FlowResult executeTileIf(const ast::If *statement, const Datum &condition, ast::Body tail, bool &isTailDone);
  Result evaluateTileChoice(const ast::Conditional *expr, const Datum &condition);
  Result chooseTile(const Datum &condition, const Datum &thenValue, const Datum &elseValue);
  FlowResult mergeTileArms(const Datum &condition, const Arm (&arms)[2]);
  mlir::LogicalResult guardTileArm(mlir::Operation *before, const Datum &condition);

  // Escapes.cpp
  FlowResult executeReturn(const ast::Return *statement);
  FlowResult executeLeave(const ast::Stmt *statement);
  FlowResult executeGuarded(uint32_t end, llvm::function_ref<FlowResult()> rest);
  Result anyEscape();
  FlowResult executeGuardedTile(const Datum &goesOn, llvm::function_ref<FlowResult()> rest);
  Flow flowOfEscapes();
  void dropEscapes();

  // Loops.cpp, ExitingLoops.cpp
  FlowResult executeFor(const ast::For *statement);
  FlowResult executeWhile(const ast::While *statement);
  FlowResult executeStaticWhile(const ast::While *statement);
  mlir::LogicalResult emitFor(const ast::For *statement, const RangeValue &range);
  FlowResult emitExitingFor(const ast::For *statement, const RangeValue &range, LoopExits exits);
  FlowResult emitWhile(const LoopPlan &plan);
  mlir::FailureOr<mlir::scf::WhileOp> fillWhile(mlir::scf::WhileOp loop, class CarriedVariables &carried,
                                                const LoopPlan &plan);
  mlir::FailureOr<mlir::Value> whileCondition(const ast::Expr *condition, mlir::Value goesOn);
  FlowResult unroll(const ast::For *statement, llvm::ArrayRef<Datum> items);
  FlowResult unrollFrom(const ast::For *statement, llvm::ArrayRef<Datum> items);
  FlowResult executeLoopBody(ast::Body body);
  FlowResult finishLoop(ast::Body elseBody);
  std::optional<llvm::SmallVector<Datum>> staticItems(const Datum &iterable);

  // Tasks.cpp, TaskPlan.cpp, WarpGroups.cpp
  mlir::LogicalResult executeWith(const ast::With *statement);
  mlir::LogicalResult executeTasks(const ast::With *statement);
  mlir::LogicalResult executeStage(const ast::With *statement);
  mlir::LogicalResult collectTasks(ast::Body body, llvm::SmallVectorImpl<TaskRequest> &tasks);
  mlir::LogicalResult collectTask(const ast::With *with, llvm::SmallVectorImpl<TaskRequest> &tasks);
  const Builtin *contextBuiltin(const ast::With *statement);
  mlir::FailureOr<Call> bindContext(const ast::With *statement);
  mlir::LogicalResult readTask(Call &call, TaskRequest &task);
  mlir::FailureOr<AsyncTasksOp> emitTasks(llvm::ArrayRef<TaskRequest> tasks);
  mlir::LogicalResult executeTaskBody(ast::Body body, int64_t replicaId, mlir::Region *region);
  std::optional<int64_t> comparedGroup(const ast::Expr *condition, bool &isEqual);
  mlir::LogicalResult executeWarpGroups(const ast::If *statement);

  friend class CarriedVariables;
};

/// Does a decorator say that the function is evaluated while compiling?
bool isConstexprFunction(const ast::FunctionDef &function);
/// An option of a loop or of a region of tasks, as an attribute.
mlir::Attribute loopAttribute(mlir::Builder &builder, const Datum &value);
/// The result of replacing, in order, the IR values of `shape` that are null by `values`, beginning at `next`.
Datum substitute(const Datum &shape, mlir::ValueRange values, unsigned &next);

} // namespace tlx::specialize

#endif
