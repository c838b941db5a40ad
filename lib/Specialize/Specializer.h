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
  const ast::FunctionDef *function;
  /// Where its free names are looked up.
  const ast::Module *module = nullptr;
  Names names;
  std::map<llvm::StringRef, LostName> lost;
  Datum returned;
  /// Run-time loops and tasks around the current statement, out of which `return` cannot lead.
  unsigned closedRegions = 0;
};

/// The statements that follow the ones being executed, up to the end of the function.
struct Rest {
  ast::Body statements;
  const Rest *next;
};

enum class Flow { Next, Returned };
using FlowResult = mlir::FailureOr<Flow>;

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
      : module(module), emit(context, files, sink), sink(sink) {}

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

  // Statements.
  FlowResult execute(ast::Body body, const Rest *rest);
  mlir::LogicalResult assign(const ast::Expr *target, const Datum &value);
  void bind(llvm::StringRef name, Datum value, SourceRange range);

  /// Gives the memory of an allocation the name of the variable that it is assigned to.
  std::string allocationName(llvm::StringRef fallback);
  /// The variable that the value is being assigned to, or empty.
  llvm::StringRef assignee() const { return assignedName; }

  Frame &frame() { return *frames.back(); }

  /// Calls a function of Library.tlx.
  /// Calls a function that is a value: the module's, the library's or a builtin.
  Result callFunction(const Datum &function, const GivenArguments &given, SourceRange range);
  Result callLibrary(llvm::StringRef function, const GivenArguments &given, SourceRange range);

  const ast::Module &module;
  Emitter emit;
  diag::Sink &sink;
  mlir::func::FuncOp function;
  /// Warps of the default task.
  int64_t numWarps = 4;
  /// All warps of the kernel, where the shorthand divides them.
  int64_t totalWarps = 12;
  int64_t clusterSize = 1;
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

  /// The variable that the expression being evaluated is assigned to, if one.
  std::string assignedName;
  llvm::StringMap<unsigned> allocationCounts;

  // Expressions.cpp, Subscripts.cpp
  Result evaluateKind(const ast::Expr *expr);
  Result evaluateName(const ast::Name *expr);
  Result evaluateSequence(ast::ExprList elements, bool isList);
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
  Result sliceOf(const SequenceValue &sequence, const ast::Slice *slice);
  Result indexTile(const Datum &tile, const ast::Expr *index);
  Result unknownName(const ast::Name *expr);
  Result unsupported(SourceRange range, llvm::StringRef what);

  // Calls.cpp
  Result evaluateCall(const ast::Call *expr);
  mlir::FailureOr<GivenArguments> evaluateArguments(const ast::Call *expr);
  Result callBuiltin(const Builtin &builtin, const GivenArguments &given, SourceRange range);
  mlir::LogicalResult bindArguments(Call &call, const GivenArguments &given);
  mlir::LogicalResult bindKeyword(Call &call, const GivenArgument &argument);
  mlir::LogicalResult finishArguments(Call &call);
  Result inlineFunction(const ast::FunctionDef *callee, const GivenArguments &given, SourceRange range);
  mlir::LogicalResult bindParameters(Frame &callee, const GivenArguments &given, SourceRange range);
  mlir::LogicalResult bindParameter(Frame &callee, const ast::Param &param, const GivenArgument *argument,
                                    SourceRange call);

  // Statements.cpp, Branches.cpp
  mlir::LogicalResult executeSimple(const ast::Stmt *statement);
  mlir::LogicalResult executeAnnotatedAssign(const ast::AnnotatedAssign *statement);
  mlir::LogicalResult executeAugmentedAssign(const ast::AugmentedAssign *statement);
  mlir::LogicalResult executeAssert(const ast::Assert *statement);
  mlir::LogicalResult unpack(ast::ExprList targets, const Datum &value, SourceRange range);
  Result evaluateNamed(const ast::Assign *statement);
  FlowResult executeReturn(const ast::Return *statement);
  FlowResult executeIf(const ast::If *statement, const Rest *rest);
  FlowResult executeDynamicIf(const ast::If *statement, mlir::Value condition, const Rest *rest);
  using ArmBuilder = llvm::function_ref<Result()>;
  Result emitBranches(mlir::Value condition, ArmBuilder thenArm, ArmBuilder elseArm);
  Result mergeArms(mlir::scf::IfOp skeleton, const Names &thenNames, const Names &elseNames, const Datum &thenResult,
                   const Datum &elseResult);

  // Loops.cpp, Unroll.cpp
  mlir::LogicalResult executeFor(const ast::For *statement);
  mlir::LogicalResult executeWhile(const ast::While *statement);
  mlir::LogicalResult emitFor(const ast::For *statement, const RangeValue &range);
  mlir::LogicalResult unroll(const ast::For *statement, llvm::ArrayRef<Datum> items);
  mlir::LogicalResult executeLoopBody(ast::Body body);
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

/// An option of a loop or of a region of tasks, as an attribute.
mlir::Attribute loopAttribute(mlir::Builder &builder, const Datum &value);
/// The result of replacing, in order, the IR values of `shape` that are null by `values`, beginning at `next`.
Datum substitute(const Datum &shape, mlir::ValueRange values, unsigned &next);

} // namespace tlx::specialize

#endif
