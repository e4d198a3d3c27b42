// Operands and attributes of instructions: the usual form, and dialects arith and
// tt. Sim ops take operands in ODS order; what differs is spelled out here.
#include "compiler/export/Exporter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tlx {

/// Ops that only describe storage or check layouts at compile time.
static bool hasNoInstruction(Operation *op) {
  return isa<tlxd::StorageAliasSpecOp, tlxd::ReuseGroupOp, tlxd::SetBufferOverlapOp,
             tlxd::AssertSameLayoutOp, tlxd::AssertSameLayoutExpectedOp, tlxd::DumpLayoutOp>(op);
}

bool dependsOnLayouts(Operation *op) {
  return TypeSwitch<Operation *, bool>(op)
      .Case<tt::CatOp>([](auto) { return true; })
      .Case<tt::ReshapeOp>([](auto reshape) { return reshape.getAllowReorder(); })
      .Case<tt::ElementwiseInlineAsmOp>([](auto inlined) {
        // Lanes of a warp meet (.sync), or special registers tell them apart.
        StringRef text = inlined.getAsmString();
        return text.contains(".sync") || text.contains("activemask") || text.contains("%");
      })
      .Case<ttng::VoteBallotSyncOp>(
          [](auto vote) { return isa<RankedTensorType>(vote.getPred().getType()); })
      .Default(false);
}

bool dependsOnLayouts(ModuleOp module) {
  return module
      .walk([](Operation *op) {
        return dependsOnLayouts(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

Exporter::Form Exporter::plainForm(Operation *op) {
  Form form;
  StringRef name = op->getName().getStringRef();
  form.op = sim::opFromName(std::string_view(name.data(), name.size()));
  for (Value operand : op->getOperands())
    if (!isToken(operand.getType()))
      form.operands.push_back(reg(operand));
  for (Value result : op->getResults())
    if (!isToken(result.getType()))
      form.results.push_back(result);
  return form;
}

void Exporter::refineForm(Operation *op, Form &form) {
  // Barriers, fences and waits are their effects and nothing else.
  if (form.op == sim::Op::Sync)
    form.operands.clear();
  refineArith(op, form) || refineTt(op, form) || refineTtg(op, form) || refineTtng(op, form) ||
      refineAmd(op, form);
}

/// The type of a value; of tensor memory, the one that all views of its allocation have in the end.
static Type settledTypeOf(Value value) {
  auto type = dyn_cast<ttg::MemDescType>(value.getType());
  if (!type || !isa<ttng::TensorMemoryEncodingAttr>(type.getEncoding()))
    return value.getType();
  Value allocation = value;
  while (true) {
    if (auto index = allocation.getDefiningOp<ttg::MemDescIndexOp>()) {
      allocation = index.getSrc();
      continue;
    }
    auto argument = dyn_cast<BlockArgument>(allocation);
    auto holder =
        argument ? dyn_cast<ttg::WarpSpecializePartitionsOp>(argument.getOwner()->getParentOp())
                 : nullptr;
    if (!holder)
      break;
    allocation = holder->getOperand(argument.getArgNumber());
  }
  if (!isa_and_present<ttng::TMEMAllocOp, tlxd::StorageAliasLocalAllocOp>(
          allocation.getDefiningOp()))
    return type;
  auto stated = cast<ttg::MemDescType>(allocation.getType()), settled = settledType(allocation);
  if (type.getEncoding() != stated.getEncoding())
    return type;
  return ttg::MemDescType::get(type.getContext(), type.getShape(), type.getElementType(),
                               settled.getEncoding(), type.getMemorySpace(),
                               type.getMutableMemory(), type.getAllocShape());
}

void Exporter::emitForm(Operation *op, Form &form) {
  if (error || hasNoInstruction(op))
    return;
  if (!form.op)
    return fail(op->getLoc(),
                "the simulator has no operation '" + op->getName().getStringRef() + "'");
  // A buffer has the layout it was allocated with: at the levels where layouts are still being
  // settled, require_layout states a wish about all its uses.
  if (auto require = dyn_cast<tlxd::RequireLayoutOp>(op);
      require && isa<ttg::MemDescType>(require.getType())) {
    if (const BufferPlace *place = places.lookup(require.getSrc()))
      places[require.getResult()] = place;
    return bind(require.getResult(), reg(require.getSrc()));
  }
  // Results first: an effect may be on what the op itself makes.
  sim::Regs results;
  for (Value result : form.results) {
    results.push_back(builder.newReg(typeId(settledTypeOf(result))));
    bind(result, results.back());
  }
  std::vector<sim::Effect> effects = effectsOf(op);
  if (error)
    return;
  builder.setCost(costOf(op));
  builder.emitTo(*form.op, form.operands, results, form.attrs, effects);
}

//===----------------------------------------------------------------------===//
// arith
//===----------------------------------------------------------------------===//

bool Exporter::refineArith(Operation *op, Form &form) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<arith::CmpIOp>([&](auto compare) {
        form.attrs.cmpi = sim::CmpI(int(compare.getPredicate()));
        return true;
      })
      .Case<arith::CmpFOp>([&](auto compare) {
        form.attrs.cmpf = sim::CmpF(int(compare.getPredicate()));
        return true;
      })
      .Case<arith::TruncFOp>([&](auto trunc) {
        if (auto mode = trunc.getRoundingmode(); mode && *mode == arith::RoundingMode::toward_zero)
          form.attrs.rounding = sim::FpRounding::TowardZero;
        return true;
      })
      .Default(false);
}

static_assert(int(sim::CmpI::Uge) == int(arith::CmpIPredicate::uge) &&
              int(sim::CmpI::Slt) == int(arith::CmpIPredicate::slt));
static_assert(int(sim::CmpF::True) == int(arith::CmpFPredicate::AlwaysTrue) &&
              int(sim::CmpF::Oeq) == int(arith::CmpFPredicate::OEQ));

//===----------------------------------------------------------------------===//
// tt
//===----------------------------------------------------------------------===//

static_assert(int(sim::Precision::Bf16x6) == int(tt::InputPrecision::BF16x6));
static_assert(int(sim::ScaleElem::FP16) == int(tt::ScaleDotElemType::FP16));
static_assert(int(sim::ReduceKind::Xor) == int(tt::DescriptorReduceKind::XOR));
static_assert(int(sim::Rmw::Xchg) + 1 == int(tt::RMWOp::XCHG));
static_assert(int(sim::Cache::Cv) + 1 == int(tt::CacheModifier::CV));
static_assert(int(sim::Order::AcqRel) + 1 == int(tt::MemSemantic::ACQUIRE_RELEASE));
static_assert(int(sim::Scope::Sys) + 1 == int(tt::MemSyncScope::SYSTEM));

bool Exporter::refineTt(Operation *op, Form &form) {
  sim::Attrs &attrs = form.attrs;
  auto setInts = [&](ArrayRef<int32_t> values) { attrs.ints.assign(values.begin(), values.end()); };
  auto done = [](auto &&set) {
    set();
    return true;
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<tt::CallOp>([&](auto call) {
        auto found = functions.find(call.getCallee());
        if (found == functions.end())
          fail(op->getLoc(), "'" + call.getCallee() + "' has no body to call");
        else
          attrs.function = found->second;
        return true;
      })
      .Case<tt::ReduceOp, tt::ScanOp>([&](auto combine) {
        attrs.axis = combine.getAxis();
        if constexpr (std::is_same_v<decltype(combine), tt::ScanOp>)
          attrs.reverse = combine.getReverse();
        else
          setReductionOrder(combine, attrs);
        attrs.block = exportCombiner(combine.getCombineOp());
        return true;
      })
      .Case<tt::MapElementwiseOp>([&](auto map) {
        attrs.count = map.getPack();
        attrs.block = exportCombiner(map.getScalarOp());
        return true;
      })
      .Case<tt::TransOp>([&](auto trans) { return done([&] { setInts(trans.getOrder()); }); })
      .Case<tt::MakeRangeOp>([&](auto range) {
        attrs.ints = {int32_t(range.getStart()), int32_t(range.getEnd())};
        return true;
      })
      .Case<tt::ExpandDimsOp, tt::GatherOp>(
          [&](auto shape) { return done([&] { attrs.axis = shape.getAxis(); }); })
      .Case<tt::GetProgramIdOp, tt::GetNumProgramsOp>(
          [&](auto id) { return done([&] { attrs.axis = int(id.getAxis()); }); })
      .Case<tt::LoadOp, tt::StoreOp>([&](auto access) {
        attrs.cache = sim::Cache(int(access.getCache()) - 1);
        attrs.evict = sim::Evict(int(access.getEvict()) - 1);
        if constexpr (std::is_same_v<decltype(access), tt::LoadOp>)
          attrs.isVolatile = access.getIsVolatile();
        return true;
      })
      .Case<tt::AtomicRMWOp>([&](auto atomic) {
        attrs.rmw = sim::Rmw(int(atomic.getAtomicRmwOp()) - 1);
        attrs.order = sim::Order(int(atomic.getSem()) - 1);
        attrs.scope = sim::Scope(int(atomic.getScope()) - 1);
        return true;
      })
      .Case<tt::AtomicCASOp>([&](auto atomic) {
        attrs.order = sim::Order(int(atomic.getSem()) - 1);
        attrs.scope = sim::Scope(int(atomic.getScope()) - 1);
        return true;
      })
      .Case<tt::PrintOp>([&](auto print) {
        attrs.text = print.getPrefix().str();
        attrs.hex = print.getHex();
        setInts(print.getIsSigned());
        return true;
      })
      .Case<tt::AssertOp>(
          [&](auto check) { return done([&] { attrs.text = check.getMessage().str(); }); })
      .Case<tt::ExternElementwiseOp>(
          [&](auto call) { return done([&] { attrs.text = call.getSymbol().str(); }); })
      .Case<tt::ElementwiseInlineAsmOp>([&](auto inlined) {
        attrs.text = inlined.getAsmString().str();
        attrs.text2 = inlined.getConstraints().str();
        attrs.count = inlined.getPackedElement();
        if (dependsOnLayouts(op))
          if (std::optional<ElementSlots> slots = elementSlots(op->getResult(0))) {
            attrs.ints = std::move(slots->elements);
            attrs.axis = slots->registers;
          }
        return true;
      })
      .Case<ttng::VoteBallotSyncOp>([&](auto vote) {
        if (std::optional<ElementSlots> slots = elementSlots(vote.getPred().getType())) {
          attrs.ints = std::move(slots->elements);
          attrs.axis = slots->registers;
        }
        return true;
      })
      .Case<tt::ReshapeOp>([&](auto reshape) {
        // Registers stay where they are: with leave to reorder, elements change places.
        auto from = elementSlots(reshape.getSrc().getType()), to = elementSlots(reshape.getType());
        if (!reshape.getAllowReorder() || !from || !to ||
            from->elements.size() != to->elements.size())
          return true;
        attrs.ints.resize(reshape.getType().getNumElements());
        for (auto [source, result] : llvm::zip(from->elements, to->elements))
          attrs.ints[result] = source;
        return true;
      })
      .Case<tt::CatOp>([&](auto cat) {
        // Each thread's registers of both operands, one after the other: which elements of
        // the result those are is up to the layouts.
        auto from = elementSlots(cat.getLhs().getType()), to = elementSlots(cat.getType());
        if (!from || !to || to->registers != 2 * from->registers ||
            to->elements.size() != 2 * from->elements.size())
          return true;
        int64_t half = cast<RankedTensorType>(cat.getLhs().getType()).getNumElements();
        attrs.ints.resize(2 * half);
        for (auto [slot, element] : llvm::enumerate(to->elements)) {
          int64_t thread = slot / to->registers, reg = slot % to->registers;
          attrs.ints[element] = from->elements[thread * from->registers + reg % from->registers] +
                                (reg < from->registers ? 0 : half);
        }
        return true;
      })
      .Case<tt::ClampFOp>([&](auto clamp) {
        attrs.propagateNan = clamp.getPropagateNan() == tt::PropagateNan::ALL;
        return true;
      })
      .Case<tt::FpToFpOp>([&](auto convert) {
        if (auto mode = convert.getRounding())
          attrs.rounding = *mode == tt::RoundingMode::RTZ  ? sim::FpRounding::TowardZero
                           : *mode == tt::RoundingMode::RS ? sim::FpRounding::Stochastic
                                                           : sim::FpRounding::NearestEven;
        return true;
      })
      .Case<tt::DotOp>([&](auto dot) {
        attrs.precision = sim::Precision(int(dot.getInputPrecision()));
        attrs.twoCtas = dot.getTwoCtas();
        return true;
      })
      .Case<tt::DotScaledOp>([&](auto dot) {
        form.operands = {reg(dot.getA()), reg(dot.getB()), reg(dot.getC()), reg(dot.getAScale()),
                         reg(dot.getBScale())};
        attrs.aType = sim::ScaleElem(int(dot.getAElemType()));
        attrs.bType = sim::ScaleElem(int(dot.getBElemType()));
        attrs.aKPack = dot.getLhsKPack();
        attrs.bKPack = dot.getRhsKPack();
        return true;
      })
      .Case<tt::MakeTensorDescOp>([&](auto make) {
        form.operands = {reg(make.getBase()), reg(make.getDescPtr())};
        llvm::append_range(form.operands, regs(make.getShape()));
        llvm::append_range(form.operands, regs(make.getStrides()));
        attrs.count = make.getShape().size();
        attrs.padNan = make.getPadding() == tt::PaddingOption::PAD_NAN;
        return true;
      })
      .Case<tt::DescriptorStoreOp>([&](auto store) {
        attrs.reduceKind = sim::ReduceKind(int(store.getReduceKind()));
        return true;
      })
      .Case<tt::DescriptorReduceOp>([&](auto reduce) {
        attrs.reduceKind = sim::ReduceKind(int(reduce.getKind()));
        return true;
      })
      .Default(false);
}

} // namespace tlx
