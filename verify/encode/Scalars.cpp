//===- Scalars.cpp - SSA values as expressions ----------------------------===//
//
// Integer arithmetic is taken as it stands (contract: i32 counters do not wrap
// and what is compared or divided as unsigned is not negative); narrower integers
// wrap around, and of conditions a sum is one bit. Any other pure
// operation is an opaque function of its operands, so that the same computation
// in two tasks is the same value. A scalar load is an opaque function of its
// address when the kernel never writes through that pointer argument.
//
//===----------------------------------------------------------------------===//

#include "verify/encode/EncoderImpl.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tlx::verify {

ExprId Encoder::unknown(Value value, const std::string &name, bool perEvaluation) {
  Symbol symbol;
  symbol.name = name;
  symbol.launchInvariant = false;
  symbol.perIterationDepth = perEvaluation ? depth : 0;
  if (value.getType().isInteger(1))
    symbol.lo = 0, symbol.hi = 1;
  return e.symbol(symbol);
}

ExprId Encoder::argument(BlockArgument arg) {
  std::string name = nameOf(arg, "");
  if (name.empty())
    name = "arg" + std::to_string(arg.getArgNumber());
  auto [it, isNew] = shared.try_emplace("arg" + std::to_string(arg.getArgNumber()), NoExpr);
  if (!isNew)
    return it->second;
  Symbol symbol;
  symbol.name = name;
  symbol.ofLaunch = true;
  symbol.parameter = static_cast<int>(arg.getArgNumber());
  if (arg.getType().isInteger(1))
    symbol.lo = 0, symbol.hi = 1;
  auto func = dyn_cast<FunctionOpInterface>(function);
  if (auto divisor = func.getArgAttrOfType<IntegerAttr>(arg.getArgNumber(), "tt.divisibility"))
    symbol.divisor = divisor.getInt();
  return it->second = e.symbol(symbol);
}

ExprId Encoder::scalar(Value value) {
  if (auto it = scalars.find(value); it != scalars.end())
    return it->second;
  ExprId result;
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    result = arg.getOwner()->getParentOp() == function ? argument(arg)
                                                       : unknown(value, "block argument", true);
  } else {
    result = compute(value.getDefiningOp(), cast<OpResult>(value).getResultNumber());
  }
  scalars[value] = result;
  return result;
}

static bool readsAnswer(Operation *op) {
  return isa<ttng::CLCQueryCancelOp, ttng::CLCLoadResultOp>(op);
}

/// An answer of cluster launch control is numbered where it is read.
void Encoder::readAnswer(Operation *op) {
  if (!readsAnswer(op))
    return;
  for (Value result : op->getResults())
    scalar(result);
  answersRead = e.add(answersRead, e.constant(1));
}

/// A loop that reads answers carries their number; -1 when it reads none.
VarId Encoder::countAnswers(Operation *loop, Stmt &stmt) {
  bool reads = false;
  loop->walk([&](Operation *op) { reads |= readsAnswer(op); });
  if (!reads)
    return -1;
  VarId count = p.addVar("answers");
  stmt.inits.push_back({count, answersRead});
  answersRead = e.var(count);
  return count;
}

/// After the loop's body: what it carries on, and what is known behind it.
void Encoder::countedAnswers(VarId count, Stmt &stmt, std::vector<Assign> &results) {
  if (count < 0)
    return;
  stmt.nexts.push_back({count, answersRead});
  VarId after = p.addVar("answers");
  results.push_back({after, e.var(count)});
  answersRead = e.var(after);
}

/// x, when `op` is `(x >> width - 1) & 1`: what predicates without comparisons look like.
static Value signOf(Operation *op) {
  APInt mask, by;
  if (!isa<arith::AndIOp>(op) || !matchPattern(op->getOperand(1), m_ConstantInt(&mask)) ||
      !mask.isOne())
    return {};
  Operation *shift = op->getOperand(0).getDefiningOp();
  if (!shift || !isa<arith::ShRSIOp, arith::ShRUIOp>(shift) ||
      !matchPattern(shift->getOperand(1), m_ConstantInt(&by)) || by != by.getBitWidth() - 1)
    return {};
  return shift->getOperand(0);
}

/// Bits of a type whose numbers wrap around for all to see; 0 of the wide ones (contract).
static unsigned narrowWidth(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return integer && integer.getWidth() > 1 && integer.getWidth() < 32 ? integer.getWidth() : 0;
}

/// The lowest bits of a number, signed or not.
static ExprId lowBits(Exprs &e, ExprId x, unsigned width, bool isSigned) {
  int64_t values = int64_t(1) << width, half = isSigned ? values / 2 : 0;
  ExprId bits = e.binary(Op::And, e.add(x, e.constant(half)), e.constant(values - 1));
  return e.sub(bits, e.constant(half));
}

/// What an operation on two conditions is; true is -1 where signs count.
static std::optional<Op> ofConditions(StringRef name) {
  return llvm::StringSwitch<std::optional<Op>>(name)
      .Cases({"arith.addi", "arith.subi", "arith.xori"}, Op::Xor)
      .Cases({"arith.muli", "arith.andi", "arith.maxsi", "arith.minui"}, Op::And)
      .Cases({"arith.ori", "arith.minsi", "arith.maxui"}, Op::Or)
      .Default(std::nullopt);
}

/// A call that computes something and does nothing else.
bool Encoder::callsFunction(Operation *op) const {
  auto call = dyn_cast<tt::CallOp>(op);
  if (!call)
    return false;
  auto callee = SymbolTable::lookupNearestSymbolFrom<tt::FuncOp>(op, call.getCalleeAttr());
  WalkResult pure = callee.getBody().walk([&](Operation *inner) {
    return isPure(inner) || inner->hasTrait<OpTrait::IsTerminator>() ||
                   inner->hasTrait<OpTrait::HasRecursiveMemoryEffects>()
               ? WalkResult::advance()
               : WalkResult::interrupt();
  });
  return !pure.wasInterrupted();
}

ExprId Encoder::compute(Operation *op, unsigned result) {
  Value value = op->getResult(result);
  StringRef name = op->getName().getStringRef();
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (auto integer = dyn_cast<IntegerAttr>(constant.getValue()))
      return e.constant(value.getType().isInteger(1) ? integer.getValue().getZExtValue()
                                                     : integer.getInt());
    std::string text;
    llvm::raw_string_ostream os(text);
    constant.getValue().print(os);
    return e.opaque(text);
  }
  bool isUnsigned = name.ends_with("ui");
  if (auto cmp = dyn_cast<arith::CmpIOp>(op))
    isUnsigned = cmp.getPredicate() >= arith::CmpIPredicate::ult;
  auto operand = [&](unsigned i) {
    ExprId x = scalar(op->getOperand(i));
    unsigned width = narrowWidth(op->getOperand(i).getType());
    return width && isUnsigned ? lowBits(e, x, width, false) : x;
  };
  if (op->getNumOperands() == 2 && value.getType().isInteger(1) &&
      op->getOperand(0).getType().isInteger(1) && !isa<arith::CmpIOp>(op))
    if (auto o = ofConditions(name))
      return e.binary(*o, operand(0), operand(1));
  if (op->getNumOperands() == 2 && isScalar(op->getOperand(0).getType()) &&
      isScalar(value.getType())) {
    static const llvm::StringMap<Op> ops = {
        {"arith.addi", Op::Add},  {"arith.subi", Op::Sub},  {"arith.muli", Op::Mul},
        {"arith.divsi", Op::Div}, {"arith.divui", Op::Div}, {"arith.remsi", Op::Rem},
        {"arith.remui", Op::Rem}, {"arith.andi", Op::And},  {"arith.ori", Op::Or},
        {"arith.xori", Op::Xor},  {"arith.shli", Op::Shl},  {"arith.shrsi", Op::Shr},
        {"arith.shrui", Op::Shr}, {"arith.minsi", Op::Min}, {"arith.maxsi", Op::Max},
        {"arith.minui", Op::Min}, {"arith.maxui", Op::Max}};
    if (Value x = signOf(op))
      return e.lt(scalar(x), e.constant(0));
    if (auto it = ops.find(name); it != ops.end() && !value.getType().isInteger(1)) {
      ExprId result = e.binary(it->second, operand(0), operand(1));
      unsigned width = narrowWidth(value.getType());
      return width ? lowBits(e, result, width, true) : result;
    }
    if (name == "arith.ceildivsi" || name == "arith.ceildivui") {
      ExprId b = operand(1);
      return e.binary(Op::Div, e.add(operand(0), e.sub(b, e.constant(1))), b);
    }
    if (auto cmp = dyn_cast<arith::CmpIOp>(op)) {
      ExprId a = operand(0), b = operand(1);
      if (cmp.getLhs().getType().isInteger(1) && !isUnsigned)
        std::swap(a, b);
      using P = arith::CmpIPredicate;
      switch (cmp.getPredicate()) {
      case P::eq: return e.eq(a, b);
      case P::ne: return e.logicalNot(e.eq(a, b));
      case P::slt:
      case P::ult: return e.lt(a, b);
      case P::sle:
      case P::ule: return e.le(a, b);
      case P::sgt:
      case P::ugt: return e.lt(b, a);
      case P::sge:
      case P::uge: return e.le(b, a);
      }
    }
  }
  if (isa<arith::SelectOp>(op) && isScalar(value.getType()))
    return e.select(scalar(op->getOperand(0)), scalar(op->getOperand(1)),
                    scalar(op->getOperand(2)));
  if (isa<arith::ExtSIOp>(op) && isScalar(value.getType())) {
    ExprId a = scalar(op->getOperand(0));
    return op->getOperand(0).getType().isInteger(1) ? e.sub(e.constant(0), a) : a;
  }
  bool isBits = isa<arith::BitcastOp>(op) && op->getOperand(0).getType().isIntOrIndex() &&
                value.getType().isIntOrIndex();
  if (isBits || (isa<arith::ExtUIOp, arith::IndexCastOp, arith::IndexCastUIOp>(op) &&
                 isScalar(value.getType())))
    return operand(0);
  if (isa<arith::TruncIOp>(op) && isScalar(value.getType())) {
    ExprId a = scalar(op->getOperand(0));
    if (value.getType().isInteger(1))
      return e.binary(Op::And, a, e.constant(1));
    unsigned width = narrowWidth(value.getType());
    return width ? lowBits(e, a, width, true) : a;
  }
  if (name == "tt.get_program_id") {
    int axis = static_cast<int>(cast<tt::GetProgramIdOp>(op).getAxis());
    auto [it, isNew] = shared.try_emplace("pid" + std::to_string(axis), NoExpr);
    if (isNew) {
      Symbol symbol;
      symbol.name = std::string("program_id.") + "xyz"[axis];
      if (cluster[axis] > 1 && numCtas == 1)
        symbol.name = std::string("cluster_id.") + "xyz"[axis];
      symbol.lo = 0;
      symbol.launchInvariant = false;
      symbol.ofLaunch = true;
      it->second = e.symbol(symbol);
    }
    if (numCtas > 1 || cluster[axis] == 1)
      return it->second; // one program for all CTAs of the cluster
    int64_t position = axis == 0   ? rank % cluster[0]
                       : axis == 1 ? rank / cluster[0] % cluster[1]
                                   : rank / (cluster[0] * cluster[1]);
    return e.add(e.binary(Op::Mul, it->second, e.constant(cluster[axis])), e.constant(position));
  }
  if (name == "tt.get_num_programs") {
    int axis = static_cast<int>(cast<tt::GetNumProgramsOp>(op).getAxis());
    auto [it, isNew] = shared.try_emplace("num_programs" + std::to_string(axis), NoExpr);
    if (isNew) {
      Symbol symbol;
      symbol.name = std::string("num_programs.") + "xyz"[axis];
      symbol.lo = symbol.divisor = numCtas == 1 ? cluster[axis] : 1; // clusters are whole
      symbol.ofLaunch = true;
      it->second = e.symbol(symbol);
    }
    return it->second;
  }
  if (name == "nvg.cluster_id")
    return e.constant(rank);
  if (name == "gpu.thread_id") {
    if (threadId == NoExpr) {
      Symbol symbol;
      symbol.name = "thread_id";
      symbol.launchInvariant = false;
      symbol.lo = 0;
      threadId = e.symbol(symbol);
    }
    return threadId;
  }
  if (name == "ttng.cluster_size_1d")
    return e.constant(p.ranks);
  if (name == "ttng.clc_query_cancel") {
    // The n-th answer is the same for all who ask for the n-th time (checked while
    // the program runs).
    Function answers{std::string("clc_answer.") + "xyz"[result], -1, INT64_MAX, true};
    return e.element(answers, answersRead);
  }
  if (name == "ttng.clc_load_result")
    return e.element({"clc_answer", INT64_MIN, INT64_MAX, true}, answersRead);
  if (auto moved = dyn_cast<tt::AddPtrOp>(op); moved && !isa<RankedTensorType>(value.getType()))
    return e.add(scalar(moved.getPtr()), scalar(moved.getOffset())); // in elements
  bool loads = name == "tt.load";
  if (loads && op->getNumOperands() == 1) {
    Value root = pointerRoot(op->getOperand(0));
    if (root && !writtenPointers.contains(root)) {
      loadsNumbers = true;
      bool narrow = value.getType().isInteger() && value.getType().getIntOrFloatBitWidth() < 16;
      return e.opaque(narrow ? Function::NarrowLoad : Function::Load, scalar(op->getOperand(0)));
    }
    return unknown(value, "loaded value", true);
  }
  if ((isPure(op) || callsFunction(op)) && op->getNumOperands() <= 3 && op->getNumRegions() == 0) {
    auto cmp = dyn_cast<arith::CmpFOp>(op);
    bool plain = cmp && cmp.getFastmath() == arith::FastMathFlags::none;
    std::string key = plain ? arith::stringifyCmpFPredicate(cmp.getPredicate()).str() : name.str();
    for (NamedAttribute attr : op->getAttrs())
      if (attr.getName() != "loc" && !plain) {
        std::string text;
        llvm::raw_string_ostream os(text);
        attr.getValue().print(os);
        key += " " + text;
      }
    bool simple = llvm::all_of(op->getOperands(), [&](Value operand) {
      return !isa<RankedTensorType>(operand.getType());
    });
    if (simple) {
      std::array<ExprId, 3> operands{NoExpr, NoExpr, NoExpr};
      for (auto [i, operand] : llvm::enumerate(op->getOperands()))
        operands[i] = scalar(operand);
      ExprId computed = e.opaque(key + (result ? "#" + std::to_string(result) : ""), operands[0],
                                 operands[1], operands[2]);
      if (value.getType().isInteger(1))
        e.opaques[e[computed].value].lo = 0, e.opaques[e[computed].value].hi = 1;
      return computed;
    }
  }
  return unknown(value, name.str(), true);
}

} // namespace tlx::verify
