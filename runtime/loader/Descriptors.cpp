//===- Descriptors.cpp - what the TMA unit can address --------------------===//
//
// A host descriptor that the CUDA driver would refuse is refused here, at its
// argument. CUDA driver API, cuTensorMapEncodeTiled: the address is a multiple
// of 16 bytes, so is every stride but the innermost, which is one element; each
// size is 1 to 2^32 elements, each stride below 2^40 bytes, each side of the
// box at most 256 elements.
//
//===----------------------------------------------------------------------===//
#include "runtime/loader/Arguments.h"

namespace tlx {

static Result<void> checkDescriptor(const Argument &argument) {
  auto fail = [&](const std::string &message, std::string hint = {}) {
    return Error("descriptor '" + argument.name + "' " + message, argument.location,
                 std::move(hint));
  };
  auto width = int64_t(byteWidth(argument.dtype));
  if (argument.offset * width % 16)
    return fail("begins at byte " + std::to_string(argument.offset * width) +
                    " of its storage; TMA needs a multiple of 16",
                "change 'offset', which counts elements");
  size_t rank = argument.shape.size();
  for (size_t d = 0; d < rank; ++d) {
    std::string at = "[" + std::to_string(d) + "]";
    if (argument.shape[d] < 1 || argument.shape[d] > int64_t(1) << 32)
      return fail("has shape" + at + " = " + std::to_string(argument.shape[d]) +
                  "; TMA needs 1 to 2^32");
    int64_t bytes = argument.strides[d] * width;
    if (d + 1 == rank && argument.strides[d] != 1)
      return fail("has strides" + at + " = " + std::to_string(argument.strides[d]) +
                  "; TMA needs contiguous elements in the last dimension");
    if (d + 1 < rank && (bytes % 16 || bytes >= int64_t(1) << 40))
      return fail("has strides" + at + " = " + std::to_string(argument.strides[d]) + ", " +
                  std::to_string(bytes) + " bytes; TMA needs a multiple of 16 below 2^40");
  }
  if (argument.tensorMap)
    for (int64_t side : argument.tensorMap->blockSize)
      if (side > 256)
        return fail("has a box of " + std::to_string(side) +
                    " elements along one side; TMA takes at most 256");
  return {};
}

Result<void> checkDescriptors(const Manifest &manifest) {
  if (!manifest.isCuda())
    return {};
  for (const Argument &argument : manifest.arguments)
    if (argument.kind == Argument::Kind::TensorDesc)
      if (auto checked = checkDescriptor(argument); !checked)
        return checked;
  return {};
}

} // namespace tlx
