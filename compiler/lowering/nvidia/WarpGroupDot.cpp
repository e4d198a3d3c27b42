// wgmma: products of a warp group, accumulators in registers.
//
// The tile is cut into instructions of 64 x n x k. Which registers an instruction
// takes and where its operands begin in shared memory is looked up in the layouts:
// the instruction's own fragment order (PTX ISA, "Register Fragments for
// wgmma.mma_async") gives coordinates, and the layout says who holds them.
#include "compiler/lowering/nvidia/Emitter.h"
#include "compiler/lowering/nvidia/Families.h"
#include "compiler/lowering/nvidia/Fragment.h"
#include "compiler/lowering/nvidia/Ptx.h"

#include "compiler/analysis/EncodingToLayout.h"
#include "compiler/dialect/ttng/TTNG.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using tlx::layout::LinearLayout;

namespace tlx::nvidia {
namespace {

StringRef typeName(Type type, tt::InputPrecision precision) {
  if (type.isF16())
    return "f16";
  if (type.isBF16())
    return "bf16";
  if (type.isF32())
    return precision == tt::InputPrecision::TF32 ? "tf32" : "f32";
  if (isa<Float8E4M3FNType>(type))
    return "e4m3";
  if (isa<Float8E5M2Type>(type))
    return "e5m2";
  if (type.isInteger(8))
    return type.isUnsignedInteger() ? "u8" : "s8";
  return type.isInteger(32) ? "s32" : "";
}

/// An operand in shared memory. `outer` is its dimension of rows or columns of the
/// product, `inner` the summed one.
class SharedOperand {
public:
  SharedOperand(Emitter &e, Value value, unsigned outerDim)
      : e(e), outerDim(outerDim), type(cast<ttg::MemDescType>(value.getType())),
        place(e.buffer(value)), toOffset(e.layout(type).pseudoInverse()),
        bytes(Emitter::memoryBits(type.getElementType()) / 8) {
    Result<layout::EncodingPtr> encoding = describeEncoding(type.getEncoding());
    if (const auto *swizzled = (*encoding)->as<layout::NvmmaSharedEncoding>()) {
      known = true;
      swizzle = swizzled->swizzlingByteWidth;
      unsigned fastest = swizzled->transposed ? 0 : 1;
      outerMajor = fastest == outerDim;
    }
  }

  bool known = false;
  bool outerMajor = false; ///< consecutive along rows or columns, not along the sum

  /// The descriptor's constant part (PTX ISA, "Matrix Descriptor Format").
  int64_t strides() const {
    auto field = [](int64_t bytesApart) { return bytesApart >> 4 & 0x3fff; };
    int64_t leading = 0, stride = 0;
    if (outerMajor) {
      leading = swizzle ? offset(swizzle / bytes, 0) : offset(0, 8);
      stride = swizzle ? offset(0, 8) : offset(8, 0);
    } else {
      leading = swizzle ? 16 : offset(0, 16 / bytes);
      stride = offset(8, 0);
    }
    int64_t mode = swizzle == 128 ? 1 : swizzle == 64 ? 2 : swizzle == 32 ? 3 : 0;
    return int64_t(uint64_t(mode) << 62 | uint64_t(field(stride)) << 32 |
                   uint64_t(field(leading)) << 16);
  }

  /// The descriptor's low word: address and leading stride.
  Value lowWord(Value address) const {
    return e.bor(e.lshr(e.band(address, e.i32(0x3ffff)), 4), e.i32(int32_t(strides())));
  }

  /// To be called before the descriptors: what all of them have in common.
  void begin(Value moved) {
    offsetOfGroup = moved;
    whole = Emitter::constantOf(place.flip) == 0;
    if (whole)
      common = lowWord(e.add(place.base, moved));
  }

  /// Descriptor of what begins at (outer, inner). Addresses are less than 2^18, so
  /// that adding to the field that holds them carries nowhere; one addition for each
  /// instruction is all that may stand between them.
  Value descriptor(int64_t outer, int64_t inner) const {
    int64_t constant = offset(outer, inner);
    Value low = whole ? e.add(common, e.i32(constant >> 4))
                      : lowWord(e.add(place.base,
                                      e.bxor(e.bxor(place.flip, offsetOfGroup), e.i32(constant))));
    return e.bor(e.resize(low, e.b.getI64Type()), e.i64(strides() >> 32 << 32));
  }

  /// Where the warp group's part begins, from the product's layout.
  Value groupOffset(const LinearLayout &product) const {
    SmallVector<int64_t> bases;
    for (unsigned bit = 0; bit < product.inBits(layout::kWarp); ++bit) {
      int64_t outer = product.basis(layout::kWarp, bit, layout::dimName(outerDim));
      bases.push_back(bit < 2 ? 0 : offset(outer, 0));
    }
    return e.flipped(e.task.uniformWarp, bases);
  }

  /// Byte offset of an element, 0 where the buffer does not reach.
  int64_t offset(int64_t outer, int64_t inner) const {
    unsigned innerDim = 1 - outerDim;
    std::string outerName = layout::dimName(outerDim), innerName = layout::dimName(innerDim);
    if (outer >= toOffset.inSize(outerName) || inner >= toOffset.inSize(innerName))
      return 0;
    return toOffset.apply({{outerName, outer}, {innerName, inner}}, layout::kOffset) * bytes;
  }

private:
  Emitter &e;
  unsigned outerDim;
  ttg::MemDescType type;
  Buffer place;
  LinearLayout toOffset;
  int64_t bytes, swizzle = 0;
  bool whole = false;          ///< no view within a swizzled tile
  Value common, offsetOfGroup; ///< see begin
};

bool isZero(Value value) {
  Attribute constant;
  if (!matchPattern(value, m_Constant(&constant)))
    return false;
  auto elements = dyn_cast<DenseElementsAttr>(constant);
  if (!elements || !elements.isSplat())
    return false;
  if (auto floating = dyn_cast<FloatAttr>(elements.getSplatValue<Attribute>()))
    return floating.getValue().isPosZero();
  return elements.getSplatValue<APInt>().isZero();
}

class WarpGroupDot {
public:
  WarpGroupDot(ttng::WarpGroupDotOp op, Emitter &e)
      : op(op), e(e), product(cast<RankedTensorType>(op.getType())), layout(e.layout(product)) {}

  LogicalResult run() {
    if (failed(check()))
      return failure();
    if (isa<RankedTensorType>(op.getA().getType()))
      gatherFragments();
    NVVM::WgmmaFenceAlignedOp::create(e.b, e.loc);
    SharedOperand b(e, op.getB(), 1);
    std::optional<SharedOperand> a;
    if (isa<ttg::MemDescType>(op.getA().getType()))
      a.emplace(e, op.getA(), 0);
    if (!b.known || (a && !a->known))
      return op.emitError("'ttng.warp_group_dot' operand must have an nvmma_shared encoding");
    if (a)
      a->begin(a->groupOffset(layout));
    b.begin(b.groupOffset(layout));
    Registers accumulators = e.get(op.getC());
    Fragment held(layout);
    for (int64_t row = 0; row < extent(0); row += 16 * warps[0])
      for (int64_t column = 0; column < extent(1); column += n * warps[1]) {
        SmallVector<int64_t> registers;
        for (int64_t index = 0; index < n / 2; ++index)
          registers.push_back(
              held.at(row + (index >> 1 & 1) * 8, column + (index & 1) + (index >> 2) * 8));
        tile(row, column, registers, accumulators, a, b);
      }
    NVVM::WgmmaGroupSyncAlignedOp::create(e.b, e.loc);
    bool half = product.getElementType().isF16();
    if (!op.getIsAsync() || half)
      NVVM::WgmmaWaitGroupSyncOp::create(e.b, e.loc, 0);
    e.set(op.getD(), std::move(accumulators));
    return success();
  }

private:
  /// Rows or columns of the product that are this CTA's.
  int64_t extent(unsigned dim) const {
    int64_t size = product.getShape()[dim];
    for (unsigned bit = 0; bit < layout.inBits(layout::kBlock); ++bit)
      size /= layout.basis(layout::kBlock, bit, layout::dimName(dim)) ? 2 : 1;
    return size;
  }

  /// Whether each CTA holds the rows or columns of an operand that its part of the product takes,
  /// and all of the sum.
  bool sharedAlike(Value operand, unsigned outerDim) const {
    auto tile = dyn_cast<RankedTensorType>(operand.getType());
    const LinearLayout &held =
        tile ? e.layout(tile) : e.layout(cast<ttg::MemDescType>(operand.getType()));
    for (unsigned bit = 0; bit < layout.inBits(layout::kBlock); ++bit)
      for (unsigned dim : {outerDim, 1 - outerDim}) {
        int64_t wanted =
            dim == outerDim ? layout.basis(layout::kBlock, bit, layout::dimName(dim)) : 0;
        int64_t found = bit < held.inBits(layout::kBlock)
                            ? held.basis(layout::kBlock, bit, layout::dimName(dim))
                            : 0;
        if (wanted != found)
          return false;
      }
    return true;
  }

  LogicalResult check() {
    Result<layout::EncodingPtr> encoding = describeEncoding(product.getEncoding());
    const auto *mma = encoding ? (*encoding)->as<layout::NvidiaMmaEncoding>() : nullptr;
    if (!mma || mma->versionMajor != 3 || mma->warpsPerCta.size() != 2)
      return op.emitError("'ttng.warp_group_dot' result must have an nvidia_mma encoding of "
                          "version 3; got ")
             << product.getEncoding();
    if (!sharedAlike(op.getA(), 0) || !sharedAlike(op.getB(), 1))
      return op.emitError(
          "'ttng.warp_group_dot' whose operands are not where the CTAs of a cluster need them");
    if (e.task.warps % 4 != 0 || e.task.firstWarp % 4 != 0)
      return op.emitError("'ttng.warp_group_dot' needs whole warp groups; its task has ")
             << e.task.warps << " warps from warp " << e.task.firstWarp;
    warps = {mma->warpsPerCta[0], mma->warpsPerCta[1]};
    n = mma->instrShape[1];
    auto bType = cast<ttg::MemDescType>(op.getB().getType());
    Type aElement = cast<ShapedType>(op.getA().getType()).getElementType();
    aName = typeName(aElement, op.getInputPrecision());
    bName = typeName(bType.getElementType(), op.getInputPrecision());
    resultName = typeName(product.getElementType(), tt::InputPrecision::IEEE);
    if (aName.empty() || bName.empty() || aName == "f32")
      return op.emitError("'ttng.warp_group_dot' of ")
             << aElement << " has no instruction" << (aName == "f32" ? " in full precision" : "");
    bits = aElement.getIntOrFloatBitWidth();
    k = 256 / bits;
    depth = bType.getShape()[0];
    int64_t imprecise = op.getMaxNumImpreciseAcc();
    if (isa<FloatType>(aElement) && bits == 8 && product.getElementType().isF32() &&
        imprecise <= depth)
      bound = llvm::alignTo(std::max<int64_t>(imprecise, k), k);
    if (auto tensor = dyn_cast<RankedTensorType>(op.getA().getType())) {
      Result<layout::EncodingPtr> operand = describeEncoding(tensor.getEncoding());
      const auto *dot = operand ? (*operand)->as<layout::DotOperandEncoding>() : nullptr;
      if (!dot || dot->kWidth != 32 / bits)
        return op.emitError("'ttng.warp_group_dot' operand in registers must have kWidth = ")
               << 32 / bits;
    }
    return success();
  }

  /// What the sums begin with: C, or zero where it is not to be used.
  SmallVector<Value> startingValues(ValueRange values, Type element) {
    SmallVector<Value> start(values);
    if (op.getUseC())
      for (Value &value : start)
        value = e.select(e.scalar(op.getUseC()), value, e.zero(element));
    return start;
  }

  /// The tensor cores keep fewer bits of sums of 8-bit floats than f32 has: what a few
  /// instructions gave is waited for and added in full.
  SmallVector<Value> addPartial(ArrayRef<Value> sums, ValueRange partial) {
    NVVM::WgmmaGroupSyncAlignedOp::create(e.b, e.loc);
    SmallVector<Value> result = ptx::wgmmaWait(e, 0, partial);
    if (!sums.empty())
      for (auto [value, sum] : llvm::zip(result, sums))
        value = LLVM::FAddOp::create(e.b, e.loc, sum, value);
    NVVM::WgmmaFenceAlignedOp::create(e.b, e.loc);
    return result;
  }

  /// All instructions of one 64 x n tile of each warp group.
  void tile(int64_t row, int64_t column, ArrayRef<int64_t> registers, Registers &accumulators,
            const std::optional<SharedOperand> &a, const SharedOperand &b) {
    Type element = e.scalarType(product);
    bool half = element.isF16();
    SmallVector<Value> values;
    for (int64_t reg : registers)
      values.push_back(accumulators[reg]);
    if (half)
      values = pairUp(e, values);
    bool overwrite = isZero(op.getC());
    SmallVector<Value> sums; // of a product whose instructions sum up no more than `bound` terms
    if (bound && !overwrite)
      sums = startingValues(values, element);
    for (int64_t inner = 0; inner < depth; inner += k) {
      ptx::Wgmma in;
      in.n = n;
      in.k = k;
      in.accumulator = resultName;
      in.a = aName;
      in.b = bName;
      if (a) {
        in.descriptorA = a->descriptor(row, inner);
        in.transposeA = a->outerMajor;
      } else {
        in.fragmentA = fragments.lookup({row, inner});
      }
      in.descriptorB = b.descriptor(column, inner);
      in.transposeB = b.outerMajor;
      bool begins = bound ? inner % bound == 0 : inner == 0 && overwrite;
      if (!begins)
        in.accumulators = values;
      if (inner == 0 && !begins && op.getUseC())
        in.accumulate = e.scalar(op.getUseC());
      values = ptx::wgmma(e, in, half ? e.b.getI32Type() : element);
      if (bound && (inner + k == depth || (inner + k) % bound == 0))
        sums = addPartial(sums, values);
    }
    if (bound)
      values = sums;
    if (half)
      values = takeApart(e, values, element);
    for (auto [reg, value] : llvm::zip(registers, values))
      accumulators[reg] = value;
  }

  /// A's registers as the instructions take them, four words each. All are put
  /// together before the first instruction: registers of an instruction in flight
  /// must not be written.
  void gatherFragments() {
    auto type = cast<RankedTensorType>(op.getA().getType());
    Fragment held(e.layout(type));
    const Registers &registers = e.get(op.getA());
    int64_t pack = 32 / bits;
    SmallVector<Value> words;
    SmallVector<std::pair<int64_t, int64_t>> places;
    for (int64_t row = 0; row < extent(0); row += 16 * warps[0])
      for (int64_t inner = 0; inner < depth; inner += k) {
        places.push_back({row, inner});
        for (int64_t index = 0; index < 4; ++index) {
          SmallVector<Value> parts;
          for (int64_t part = 0; part < pack; ++part)
            parts.push_back(
                registers[held.at(row + (index & 1) * 8, inner + (index >> 1) * 4 * pack + part)]);
          words.push_back(packWord(e, parts));
        }
      }
    for (auto [number, place] : llvm::enumerate(places))
      fragments[place] = SmallVector<Value>(ArrayRef(words).slice(4 * number, 4));
  }

  ttng::WarpGroupDotOp op;
  Emitter &e;
  RankedTensorType product;
  const LinearLayout layout;
  std::array<int64_t, 2> warps{};
  int64_t n = 0, k = 0, bits = 0, depth = 0;
  int64_t bound = 0; ///< terms that instructions may sum up; 0: any number
  StringRef aName, bName, resultName;
  llvm::DenseMap<std::pair<int64_t, int64_t>, SmallVector<Value>> fragments;
};

LogicalResult lowerWarpGroupDot(ttng::WarpGroupDotOp op, Emitter &e) {
  return WarpGroupDot(op, e).run();
}

/// Whether arithmetic on tiles stands between a wait and the products or the wait before it.
bool followsArithmetic(ttng::WarpGroupDotWaitOp wait) {
  for (Operation *op = wait->getPrevNode(); op; op = op->getPrevNode()) {
    if (isa<ttng::WarpGroupDotOp, ttng::WarpGroupDotWaitOp>(op))
      return false;
    StringRef dialect = op->getDialect()->getNamespace();
    auto tile = op->getNumResults() == 1 ? dyn_cast<RankedTensorType>(op->getResult(0).getType())
                                         : RankedTensorType();
    if (tile && isa<FloatType>(tile.getElementType()) && (dialect == "arith" || dialect == "math"))
      return true;
  }
  return false;
}

/// What is waited for passes through the wait, so that no use of it can move in
/// front. Arithmetic that the products overlap stays in front of it.
LogicalResult lowerWait(ttng::WarpGroupDotWaitOp op, Emitter &e) {
  if (followsArithmetic(op))
    ptx::endBlock(e);
  SmallVector<Value> values;
  for (Value input : op.getInputs()) {
    if (isa<ttg::MemDescType>(input.getType()))
      continue;
    const Registers &registers = e.get(input);
    if (registers.front().getType().getIntOrFloatBitWidth() == 32)
      llvm::append_range(values, registers);
  }
  SmallVector<Value> waited = ptx::wgmmaWait(e, op.getPendings(), values);
  size_t next = 0;
  for (auto [input, output] : llvm::zip(op.getInputs(), op.getOutputs())) {
    Registers registers = e.get(input);
    if (!isa<ttg::MemDescType>(input.getType()) &&
        registers.front().getType().getIntOrFloatBitWidth() == 32)
      for (Value &value : registers)
        value = waited[next++];
    e.set(output, std::move(registers));
  }
  return success();
}

} // namespace

void addWarpGroupDot(LoweringTable &table) {
  table.add<ttng::WarpGroupDotOp>(lowerWarpGroupDot);
  table.add<ttng::WarpGroupDotWaitOp>(lowerWait);
}

} // namespace tlx::nvidia
