#include "compiler/analysis/EncodingToLayout.h"

#include "compiler/dialect/tlx/TLX.h"
#include "compiler/dialect/ttng/TTNG.h"

using namespace mlir;

namespace tlx {

namespace {

layout::Bases toBases(ArrayAttr bases) {
  layout::Bases result;
  if (!bases)
    return result;
  for (Attribute basis : bases) {
    ArrayRef<int32_t> values = cast<DenseI32ArrayAttr>(basis).asArrayRef();
    result.emplace_back(values.begin(), values.end());
  }
  return result;
}

std::vector<unsigned> toVector(ArrayRef<unsigned> values) { return {values.begin(), values.end()}; }

std::string spelled(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << attribute;
  return text;
}

Result<layout::EncodingPtr> describeRegisters(Attribute encoding) {
  using namespace layout;
  if (auto attr = dyn_cast<ttg::BlockedEncodingAttr>(encoding))
    return makeEncoding(BlockedEncoding{
        toVector(attr.getSizePerThread()), toVector(attr.getThreadsPerWarp()),
        toVector(attr.getWarpsPerCTA()), toVector(attr.getOrder()), toBases(attr.getCga())});
  if (auto attr = dyn_cast<ttg::LinearEncodingAttr>(encoding))
    return makeEncoding(LinearEncoding{toBases(attr.getRegisterBases()),
                                       toBases(attr.getLaneBases()), toBases(attr.getWarpBases()),
                                       toBases(attr.getBlockBases()), false});
  if (auto attr = dyn_cast<ttg::GenericLinearEncodingAttr>(encoding))
    return makeEncoding(LinearEncoding{toBases(attr.getRegisterBases()),
                                       toBases(attr.getLaneBases()), toBases(attr.getWarpBases()),
                                       toBases(attr.getBlockBases()), true});
  if (auto attr = dyn_cast<ttg::SliceEncodingAttr>(encoding)) {
    Result<EncodingPtr> parent = describeEncoding(attr.getParent());
    if (!parent)
      return parent;
    return makeEncoding(SliceEncoding{attr.getDim(), *parent});
  }
  if (auto attr = dyn_cast<ttg::DotOperandEncodingAttr>(encoding)) {
    Result<EncodingPtr> parent = describeEncoding(attr.getParent());
    if (!parent)
      return parent;
    return makeEncoding(DotOperandEncoding{attr.getOpIdx(), *parent, attr.getKWidth()});
  }
  if (auto attr = dyn_cast<ttg::NvidiaMmaEncodingAttr>(encoding))
    return makeEncoding(NvidiaMmaEncoding{attr.getVersionMajor(), attr.getVersionMinor(),
                                          toVector(attr.getWarpsPerCTA()),
                                          toVector(attr.getInstrShape()), toBases(attr.getCga())});
  if (auto attr = dyn_cast<ttg::AMDMfmaEncodingAttr>(encoding))
    return makeEncoding(AmdMfmaEncoding{attr.getVersion(), toVector(attr.getWarpsPerCTA()),
                                        toVector(attr.getInstrShape()), attr.getIsTransposed(),
                                        toVector(attr.getTilesPerWarp()), attr.getElementBitWidth(),
                                        toBases(attr.getCga())});
  if (auto attr = dyn_cast<ttg::AMDWmmaEncodingAttr>(encoding))
    return makeEncoding(AmdWmmaEncoding{
        attr.getVersion(), attr.getIsTranspose(), toBases(attr.getCtaRegisterBases()),
        toBases(attr.getCtaWarpBases()), toVector(attr.getInstrShape()), toBases(attr.getCga())});
  return EncodingPtr();
}

Result<layout::EncodingPtr> describeMemory(Attribute encoding) {
  using namespace layout;
  if (auto attr = dyn_cast<ttg::SwizzledSharedEncodingAttr>(encoding))
    return makeEncoding(SwizzledSharedEncoding{attr.getVec(), attr.getPerPhase(),
                                               attr.getMaxPhase(), toVector(attr.getOrder()),
                                               toBases(attr.getCga())});
  if (auto attr = dyn_cast<ttg::AMDRotatingSharedEncodingAttr>(encoding))
    return makeEncoding(AmdRotatingSharedEncoding{attr.getVec(), attr.getPerPhase(),
                                                  attr.getMaxPhase(), toVector(attr.getOrder()),
                                                  toBases(attr.getCga())});
  if (auto attr = dyn_cast<ttg::NVMMASharedEncodingAttr>(encoding))
    return makeEncoding(NvmmaSharedEncoding{attr.getSwizzlingByteWidth(), attr.getTransposed(),
                                            attr.getElementBitWidth(), attr.getFp4Padded(),
                                            attr.getRank(), toBases(attr.getCga())});
  if (auto attr = dyn_cast<ttg::PaddedSharedEncodingAttr>(encoding)) {
    std::vector<std::pair<unsigned, unsigned>> padding;
    for (auto [interval, amount] : llvm::zip(attr.getIntervals(), attr.getPaddings()))
      padding.emplace_back(interval, amount);
    if (!attr.getOrder().empty())
      return makeEncoding(PaddedSharedEncoding::identity(padding, toVector(attr.getOrder()),
                                                         toVector(attr.getShape())));
    return makeEncoding(PaddedSharedEncoding{padding, toBases(attr.getOffsetBases()),
                                             toBases(attr.getBlockBases())});
  }
  if (auto attr = dyn_cast<ttg::SharedLinearEncodingAttr>(encoding))
    return makeEncoding(SharedLinearEncoding{toBases(attr.getOffsetBases()),
                                             toBases(attr.getBlockBases()), attr.getAlignment()});
  if (auto attr = dyn_cast<ttg::PartitionedSharedEncodingAttr>(encoding)) {
    Result<EncodingPtr> inner = describeEncoding(attr.getPartitionLayout());
    if (!inner)
      return inner;
    return makeEncoding(PartitionedSharedEncoding{attr.getNumPartitions(), attr.getNumGroups(),
                                                  attr.getPartitionDim(), *inner});
  }
  if (auto attr = dyn_cast<ttng::TensorMemoryEncodingAttr>(encoding)) {
    auto mode = TensorMemoryCtaMode::Default;
    if (attr.getCtaMode() == ttng::TensorMemoryCTAMode::TwoCTA_LHS)
      mode = TensorMemoryCtaMode::TwoCtaLhs;
    else if (attr.getCtaMode() == ttng::TensorMemoryCTAMode::TwoCTA_RHS)
      mode = TensorMemoryCtaMode::TwoCtaRhs;
    return makeEncoding(TensorMemoryEncoding{attr.getBlockM(), attr.getBlockN(),
                                             attr.getColStride(), attr.getTwoCTAs(), mode,
                                             attr.getFp4Padded(), toBases(attr.getCga())});
  }
  if (auto attr = dyn_cast<ttng::TensorMemoryScalesEncodingAttr>(encoding))
    return makeEncoding(TensorMemoryScalesEncoding{
        attr.getBlockRepOrder() == ttng::ScalesBlockRepOrder::KThenMn, toBases(attr.getCga())});
  // A placeholder in tensor memory stands for scale factors.
  if (isa<tlxd::DummyTMEMLayoutAttr>(encoding))
    return makeEncoding(TensorMemoryScalesEncoding{});
  return EncodingPtr();
}

} // namespace

Result<layout::EncodingPtr> describeEncoding(Attribute encoding) {
  encoding = tlxd::unwrapLayout(encoding);
  if (!encoding)
    return Error("the tile has no layout yet");
  for (auto *describe : {&describeRegisters, &describeMemory}) {
    Result<layout::EncodingPtr> found = describe(encoding);
    if (!found || *found)
      return found;
  }
  return Error("no linear layout for the encoding " + spelled(encoding));
}

Result<layout::LinearLayout> layoutOf(RankedTensorType type) {
  Result<layout::EncodingPtr> encoding = describeEncoding(type.getEncoding());
  if (!encoding)
    return encoding.error();
  return layout::toLinearLayout(**encoding, {type.getShape().begin(), type.getShape().end()});
}

Attribute encodingOf(MLIRContext *context, const layout::LinearLayout &registers) {
  auto basesOf = [&](std::string_view in) {
    SmallVector<Attribute> bases;
    if (registers.hasIn(in))
      for (const std::vector<int32_t> &basis : registers.bases(in))
        bases.push_back(DenseI32ArrayAttr::get(context, basis));
    return ArrayAttr::get(context, bases);
  };
  return ttg::LinearEncodingAttr::get(context, basesOf(layout::kRegister), basesOf(layout::kLane),
                                      basesOf(layout::kWarp), basesOf(layout::kBlock));
}

unsigned encodedRank(ttg::MemDescType type) {
  unsigned rank = type.getShape().size();
  Result<layout::EncodingPtr> encoding = describeEncoding(type.getEncoding());
  unsigned stated = encoding ? layout::encodedRank(**encoding) : 0;
  return stated == 0 ? rank : std::min(rank, stated);
}

Result<layout::LinearLayout> layoutOf(ttg::MemDescType type) {
  Result<layout::EncodingPtr> encoding = describeEncoding(type.getEncoding());
  if (!encoding)
    return encoding.error();
  ArrayRef<int64_t> shape = type.getAllocShape().take_back(encodedRank(type));
  layout::Shape rounded;
  for (int64_t dim : shape) // a ring of three barriers has no power-of-two size
    rounded.push_back(llvm::PowerOf2Ceil(dim));
  return layout::toLinearLayout(**encoding, rounded);
}

} // namespace tlx
