#include "compiler/analysis/AxisInfo.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;

namespace tlx {

/// What zero, a multiple of everything, counts as.
constexpr int64_t kMost = int64_t(1) << 30;

static int64_t powerIn(int64_t value) {
  return value == 0 ? kMost : std::min(kMost, int64_t(uint64_t(value) & -uint64_t(value)));
}

static SmallVector<int64_t> shapeOf(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return SmallVector<int64_t>(tensor.getShape());
  return {1};
}

AxisInfo AxisInfo::unknown(Type type) {
  size_t rank = shapeOf(type).size();
  AxisInfo info;
  info.contiguity.assign(rank, 1);
  info.divisibility.assign(rank, 1);
  info.constancy.assign(rank, 1);
  return info;
}

namespace {

AxisInfo meet(const AxisInfo &a, const AxisInfo &b) {
  AxisInfo result = a;
  for (unsigned dim = 0; dim < a.rank(); ++dim) {
    result.contiguity[dim] = std::min(a.contiguity[dim], b.contiguity[dim]);
    result.divisibility[dim] = std::min(a.divisibility[dim], b.divisibility[dim]);
    result.constancy[dim] = std::min(a.constancy[dim], b.constancy[dim]);
  }
  // Shorter runs have more beginnings.
  for (unsigned dim = 0; dim < a.rank(); ++dim)
    if (a.contiguity[dim] != b.contiguity[dim])
      result.divisibility[dim] = std::min(result.divisibility[dim], result.contiguity[dim]);
  return result;
}

/// A multiple that every element is, not just the first of a run.
int64_t everyElement(const AxisInfo &info, unsigned dim) {
  return info.contiguity[dim] > 1 ? 1 : info.divisibility[dim];
}

/// What the first elements of runs of `length` are multiples of.
int64_t atRuns(const AxisInfo &info, unsigned dim, int64_t length, int64_t unit) {
  if (info.contiguity[dim] > length)
    return std::min(info.divisibility[dim], length * unit);
  return info.divisibility[dim];
}

AxisInfo sum(const AxisInfo &x, const AxisInfo &y, bool minus, int64_t unit) {
  AxisInfo result = x;
  for (unsigned dim = 0; dim < x.rank(); ++dim) {
    int64_t first = std::min(x.contiguity[dim], y.constancy[dim]);
    int64_t second = minus ? 1 : std::min(x.constancy[dim], y.contiguity[dim]);
    int64_t run = std::max<int64_t>({first, second, 1});
    result.contiguity[dim] = run;
    result.constancy[dim] = std::min(x.constancy[dim], y.constancy[dim]);
    result.divisibility[dim] = std::min(atRuns(x, dim, run, unit), atRuns(y, dim, run, 1) * unit);
  }
  return result;
}

class Transfer {
public:
  explicit Transfer(llvm::DenseMap<Value, AxisInfo> &infos) : infos(infos) {}

  /// Of an op's only result; nothing while an operand is not reached yet.
  std::optional<AxisInfo> of(Operation *op) {
    for (Value operand : op->getOperands())
      if (!infos.count(operand))
        return std::nullopt;
    AxisInfo found =
        llvm::TypeSwitch<Operation *, AxisInfo>(op)
            .Case<arith::ConstantOp>([&](auto one) { return constant(one); })
            .Case<tt::MakeRangeOp>([&](auto one) { return range(one); })
            .Case<tt::SplatOp>([&](auto one) { return splat(one); })
            .Case<tt::ExpandDimsOp>([&](auto one) { return expand(one); })
            .Case<tt::BroadcastOp>([&](auto one) { return broadcast(one); })
            .Case<tt::TransOp>([&](auto one) { return transposed(one); })
            .Case<ttg::ConvertLayoutOp, arith::ExtSIOp, arith::ExtUIOp>(
                [&](auto one) { return get(one->getOperand(0)); })
            .Case<tt::AddPtrOp>([&](auto one) {
              Type pointee =
                  cast<tt::PointerType>(tt::elementTypeOrSelf(one.getType())).getPointeeType();
              int64_t bytes = isa<tt::PointerType>(pointee)
                                  ? 8
                                  : std::max(8u, pointee.getIntOrFloatBitWidth()) / 8;
              return sum(get(one.getPtr()), get(one.getOffset()), false, powerIn(bytes));
            })
            .Case<arith::AddIOp>(
                [&](auto one) { return sum(get(one.getLhs()), get(one.getRhs()), false, 1); })
            .Case<arith::SubIOp>(
                [&](auto one) { return sum(get(one.getLhs()), get(one.getRhs()), true, 1); })
            .Case<arith::MulIOp>([&](auto one) { return product(one); })
            .Case<arith::RemSIOp, arith::RemUIOp>([&](auto one) { return remainder(one); })
            .Case<arith::DivSIOp, arith::DivUIOp>([&](auto one) { return quotient(one); })
            .Case<arith::CmpIOp>([&](auto one) { return comparison(one); })
            .Case<arith::AndIOp, arith::OrIOp, arith::XOrIOp>([&](auto one) { return bits(one); })
            .Default(
                [](Operation *other) { return AxisInfo::unknown(other->getResult(0).getType()); });
    promise(op, "tt.contiguity", found.contiguity);
    promise(op, "tt.divisibility", found.divisibility);
    promise(op, "tt.constancy", found.constancy);
    return found;
  }

private:
  const AxisInfo &get(Value value) { return infos.find(value)->second; }

  /// What the program's author says of a value.
  static void promise(Operation *op, StringRef name, SmallVector<int64_t, 4> &numbers) {
    auto said = op->getAttrOfType<DenseElementsAttr>(name);
    if (!said || said.getNumElements() != int64_t(numbers.size()))
      return;
    for (auto [number, value] : llvm::zip(numbers, said.getValues<APInt>()))
      number = std::max(number, powerIn(value.getSExtValue()));
  }

  AxisInfo constant(arith::ConstantOp op) {
    AxisInfo info = AxisInfo::unknown(op.getType());
    APInt value;
    if (auto integer = dyn_cast<IntegerAttr>(op.getValue()))
      value = integer.getValue();
    else if (auto elements = dyn_cast<DenseIntElementsAttr>(op.getValue());
             elements && elements.isSplat())
      value = elements.getSplatValue<APInt>();
    else
      return info;
    SmallVector<int64_t> shape = shapeOf(op.getType());
    for (unsigned dim = 0; dim < info.rank(); ++dim) {
      info.divisibility[dim] = powerIn(value.getSExtValue());
      info.constancy[dim] = shape[dim];
    }
    return info;
  }

  AxisInfo range(tt::MakeRangeOp op) {
    AxisInfo info = AxisInfo::unknown(op.getType());
    info.contiguity[0] = shapeOf(op.getType())[0];
    info.divisibility[0] = powerIn(op.getStart());
    return info;
  }

  AxisInfo splat(tt::SplatOp op) {
    AxisInfo info = AxisInfo::unknown(op.getType());
    SmallVector<int64_t> shape = shapeOf(op.getType());
    for (unsigned dim = 0; dim < info.rank(); ++dim) {
      info.divisibility[dim] = get(op.getSrc()).divisibility[0];
      info.constancy[dim] = shape[dim];
    }
    return info;
  }

  AxisInfo expand(tt::ExpandDimsOp op) {
    AxisInfo info = get(op.getSrc());
    int64_t every = kMost;
    for (unsigned dim = 0; dim < info.rank(); ++dim)
      every = std::min(every, everyElement(info, dim));
    info.contiguity.insert(info.contiguity.begin() + op.getAxis(), 1);
    info.divisibility.insert(info.divisibility.begin() + op.getAxis(), every);
    info.constancy.insert(info.constancy.begin() + op.getAxis(), 1);
    return info;
  }

  AxisInfo broadcast(tt::BroadcastOp op) {
    AxisInfo info = get(op.getSrc());
    SmallVector<int64_t> from = shapeOf(op.getSrc().getType()), to = shapeOf(op.getType());
    for (unsigned dim = 0; dim < info.rank(); ++dim)
      if (from[dim] == 1 && to[dim] != 1) {
        info.contiguity[dim] = 1;
        info.constancy[dim] = to[dim];
      }
    return info;
  }

  AxisInfo transposed(tt::TransOp op) {
    const AxisInfo &from = get(op.getSrc());
    AxisInfo info = from;
    for (auto [dim, source] : llvm::enumerate(op.getOrder())) {
      info.contiguity[dim] = from.contiguity[source];
      info.divisibility[dim] = from.divisibility[source];
      info.constancy[dim] = from.constancy[source];
    }
    return info;
  }

  AxisInfo product(arith::MulIOp op) {
    const AxisInfo &x = get(op.getLhs()), &y = get(op.getRhs());
    AxisInfo info = x;
    for (unsigned dim = 0; dim < x.rank(); ++dim) {
      info.contiguity[dim] = 1;
      info.constancy[dim] = std::min(x.constancy[dim], y.constancy[dim]);
      info.divisibility[dim] = std::min(kMost, everyElement(x, dim) * everyElement(y, dim));
    }
    return info;
  }

  // Aligned runs stay together when the divisor is a multiple of their length.
  AxisInfo remainder(Operation *op) {
    const AxisInfo &x = get(op->getOperand(0)), &y = get(op->getOperand(1));
    AxisInfo info = x;
    for (unsigned dim = 0; dim < x.rank(); ++dim) {
      int64_t run = std::min({x.contiguity[dim], x.divisibility[dim], everyElement(y, dim)});
      if (y.constancy[dim] < run)
        run = 1;
      info.contiguity[dim] = run;
      info.divisibility[dim] = std::min(atRuns(x, dim, run, 1), everyElement(y, dim));
      info.constancy[dim] = std::min(x.constancy[dim], y.constancy[dim]);
    }
    return info;
  }

  AxisInfo quotient(Operation *op) {
    const AxisInfo &x = get(op->getOperand(0)), &y = get(op->getOperand(1));
    AxisInfo info = AxisInfo::unknown(op->getResult(0).getType());
    for (unsigned dim = 0; dim < x.rank(); ++dim) {
      int64_t run = std::min(
          {x.contiguity[dim], x.divisibility[dim], everyElement(y, dim), y.constancy[dim]});
      info.constancy[dim] = std::max(run, std::min(x.constancy[dim], y.constancy[dim]));
      if (std::optional<int64_t> divisor = constantOf(op->getOperand(1));
          divisor && *divisor > 0 && llvm::isPowerOf2_64(*divisor))
        info.divisibility[dim] = std::max<int64_t>(1, everyElement(x, dim) / *divisor);
    }
    return info;
  }

  static std::optional<int64_t> constantOf(Value value) {
    APInt number;
    DenseIntElementsAttr elements;
    if (matchPattern(value, m_ConstantInt(&number)))
      return number.getSExtValue();
    if (matchPattern(value, m_Constant(&elements)) && elements.isSplat())
      return elements.getSplatValue<APInt>().getSExtValue();
    return std::nullopt;
  }

  /// One of two values, element by element.
  AxisInfo either(Value first, Value second) {
    const AxisInfo &x = get(first), &y = get(second);
    AxisInfo info = AxisInfo::unknown(first.getType());
    for (unsigned dim = 0; dim < x.rank(); ++dim)
      info.divisibility[dim] = std::min(everyElement(x, dim), everyElement(y, dim));
    return info;
  }

  // x < bound has one answer for a run that begins at a multiple of its length,
  // when the bound is such a multiple too.
  AxisInfo comparison(arith::CmpIOp op) {
    const AxisInfo &x = get(op.getLhs()), &y = get(op.getRhs());
    AxisInfo info = AxisInfo::unknown(op.getType());
    using P = arith::CmpIPredicate;
    P predicate = op.getPredicate();
    bool leftRuns = llvm::is_contained({P::slt, P::sge, P::ult, P::uge}, predicate);
    bool rightRuns = llvm::is_contained({P::sgt, P::sle, P::ugt, P::ule}, predicate);
    auto runs = [](const AxisInfo &moving, const AxisInfo &bound, unsigned dim) {
      return std::min({moving.contiguity[dim], moving.divisibility[dim], everyElement(bound, dim),
                       bound.constancy[dim]});
    };
    for (unsigned dim = 0; dim < x.rank(); ++dim) {
      int64_t run = std::min(x.constancy[dim], y.constancy[dim]);
      if (leftRuns)
        run = std::max(run, runs(x, y, dim));
      if (rightRuns)
        run = std::max(run, runs(y, x, dim));
      info.constancy[dim] = run;
    }
    return info;
  }

  AxisInfo bits(Operation *op) {
    const AxisInfo &x = get(op->getOperand(0)), &y = get(op->getOperand(1));
    AxisInfo info = AxisInfo::unknown(op->getResult(0).getType());
    for (unsigned dim = 0; dim < x.rank(); ++dim)
      info.constancy[dim] = std::min(x.constancy[dim], y.constancy[dim]);
    return info;
  }

  llvm::DenseMap<Value, AxisInfo> &infos;
};

/// Values that reach a block argument or a region op's result.
SmallVector<std::pair<Value, Value>> flowsOf(Operation *op) {
  SmallVector<std::pair<Value, Value>> flows;
  auto add = [&](ValueRange from, ValueRange to) {
    for (auto [source, target] : llvm::zip(from, to))
      flows.push_back({source, target});
  };
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    add(loop.getInitArgs(), loop.getRegionIterArgs());
    add(loop.getYieldedValues(), loop.getRegionIterArgs());
    add(loop.getRegionIterArgs(), loop.getResults());
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    add(loop.getInits(), loop.getBeforeArguments());
    add(loop.getYieldedValues(), loop.getBeforeArguments());
    add(loop.getConditionOp().getArgs(), loop.getAfterArguments());
    add(loop.getConditionOp().getArgs(), loop.getResults());
  } else if (auto branch = dyn_cast<scf::IfOp>(op); branch && branch.elseBlock()) {
    add(branch.thenYield().getOperands(), branch.getResults());
    add(branch.elseYield().getOperands(), branch.getResults());
  } else if (auto partitions = dyn_cast<ttg::WarpSpecializePartitionsOp>(op)) {
    for (Region &region : partitions.getPartitionRegions())
      add(partitions.getExplicitCaptures(), region.getArguments());
  }
  return flows;
}

} // namespace

AxisInfos::AxisInfos(tt::FuncOp function) {
  for (BlockArgument argument : function.getArguments()) {
    AxisInfo info = AxisInfo::unknown(argument.getType());
    if (auto given =
            function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), "tt.divisibility"))
      info.divisibility[0] = powerIn(given.getInt());
    infos[argument] = info;
  }
  Transfer transfer(infos);
  // From the most that could be known downwards, until nothing changes.
  for (bool changed = true; changed;) {
    changed = false;
    auto update = [&](Value value, const AxisInfo &info) {
      auto [place, added] = infos.try_emplace(value, info);
      if (!added && !(place->second == info)) {
        AxisInfo less = meet(place->second, info);
        if (less == place->second)
          return;
        place->second = less;
      } else if (!added) {
        return;
      }
      changed = true;
    };
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      SmallVector<std::pair<Value, Value>> flows = flowsOf(op);
      llvm::DenseSet<Value> targets;
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        // First bound and step together say of what the counter is a multiple.
        targets.insert(loop.getInductionVar());
        auto begin = infos.find(loop.getLowerBound()), step = infos.find(loop.getStep());
        if (begin != infos.end() && step != infos.end()) {
          AxisInfo counter = AxisInfo::unknown(loop.getInductionVar().getType());
          counter.divisibility[0] =
              std::min(begin->second.divisibility[0], step->second.divisibility[0]);
          update(loop.getInductionVar(), counter);
        }
      }
      for (auto [from, to] : flows) {
        targets.insert(to);
        if (auto found = infos.find(from); found != infos.end())
          update(to, AxisInfo(found->second));
      }
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (BlockArgument argument : block.getArguments())
            if (!targets.count(argument) && op != function)
              update(argument, AxisInfo::unknown(argument.getType()));
      if (op->getNumRegions() == 0 && op->getNumResults() == 1) {
        if (std::optional<AxisInfo> info = transfer.of(op))
          update(op->getResult(0), *info);
        return;
      }
      for (Value result : op->getResults())
        if (!targets.count(result))
          update(result, AxisInfo::unknown(result.getType()));
    });
  }
}

AxisInfo AxisInfos::of(Value value) const {
  auto found = infos.find(value);
  return found == infos.end() ? AxisInfo::unknown(value.getType()) : found->second;
}

} // namespace tlx
