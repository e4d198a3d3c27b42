//===- CudaLaunch.cpp -----------------------------------------------------------===//
#include "runtime/backends/cuda/CudaLaunch.h"

#include <array>

namespace tlx::cuda {

/// CUtensorMapDataType
static std::optional<int> mapType(DType type) {
  switch (type) {
  case DType::f16: return 6;
  case DType::f32: return 7;
  case DType::f64: return 8;
  case DType::bf16: return 9;
  case DType::u16: return 1;
  case DType::u32: return 2;
  case DType::i32: return 3;
  case DType::u64: return 4;
  case DType::i64: return 5;
  case DType::i16: return 1;
  default: return byteWidth(type) == 1 ? std::optional(0) : std::nullopt;
  }
}

static Result<TensorMap> encode(const Driver &driver, const PackageParameter &parameter,
                                const device::Argument &argument) {
  auto fail = [&](const std::string &what) {
    return Error("descriptor '" + argument.name + "' " + what, argument.location);
  };
  size_t rank = argument.shape.size();
  std::optional<int> type = mapType(parameter.element);
  if (rank == 0 || rank > 5 || rank != parameter.box.size() || argument.strides.size() != rank)
    return fail("has " + std::to_string(rank) + " dimensions; the kernel's has " +
                std::to_string(parameter.box.size()));
  if (!type)
    return fail("has an element type that TMA does not move");
  uint64_t sizes[5], strides[5];
  uint32_t box[5], steps[5] = {1, 1, 1, 1, 1};
  int64_t bytes = byteWidth(parameter.element);
  for (size_t dim = 0; dim < rank; ++dim) { // fastest first
    size_t from = rank - 1 - dim;
    sizes[dim] = uint64_t(argument.shape[from]);
    box[dim] = uint32_t(parameter.box[from]);
    if (dim > 0)
      strides[dim - 1] = uint64_t(argument.strides[from] * bytes);
  }
  int swizzle = parameter.swizzleBytes == 128  ? 3
                : parameter.swizzleBytes == 64 ? 2
                : parameter.swizzleBytes == 32 ? 1
                                               : 0;
  constexpr int noInterleave = 0, promote128 = 2;
  TensorMap map;
  Status status = driver.tensorMapEncode(
      &map, *type, unsigned(rank), reinterpret_cast<void *>(argument.address), sizes, strides, box,
      steps, noInterleave, swizzle, promote128, argument.paddingNan ? 1 : 0);
  if (auto good = driver.check(status, "descriptor '" + argument.name + "'"); !good) {
    Error error = std::move(good).error();
    error.location = argument.location;
    return error;
  }
  return map;
}

Result<PreparedLaunch> PreparedLaunch::make(const Driver &driver, const Package &package,
                                            const device::LaunchRequest &request, int64_t numCtas,
                                            Pointer scratch) {
  if (request.arguments.size() != package.parameters.size())
    return Error("the kernel takes " + std::to_string(package.parameters.size()) +
                 " arguments; got " + std::to_string(request.arguments.size()));
  PreparedLaunch prepared;
  auto word = [&](uint64_t bits) {
    prepared.words.push_back(bits);
    prepared.parameters.push_back(&prepared.words.back());
  };
  for (size_t index = 0; index < package.parameters.size(); ++index) {
    const device::Argument &argument = request.arguments[index];
    switch (argument.kind) {
    case device::Argument::Kind::Scalar: word(argument.bits); break;
    case device::Argument::Kind::Pointer: word(argument.address); break;
    case device::Argument::Kind::Descriptor: {
      auto map = encode(driver, package.parameters[index], argument);
      if (!map)
        return std::move(map).error();
      prepared.maps.push_back(*map);
      prepared.parameters.push_back(&prepared.maps.back());
      break;
    }
    }
  }
  word(scratch);
  word(0);
  std::array<int64_t, 3> grid = launchedGrid(request, numCtas);
  prepared.config.gridX = unsigned(grid[0]);
  prepared.config.gridY = unsigned(grid[1]);
  prepared.config.gridZ = unsigned(grid[2]);
  prepared.config.blockX = unsigned(package.warps * 32);
  prepared.config.blockY = prepared.config.blockZ = 1;
  prepared.config.sharedBytes = unsigned(package.sharedBytes);
  const std::array<int64_t, 3> &cluster = package.cluster;
  prepared.inClusters = cluster[0] * cluster[1] * cluster[2] > 1;
  prepared.cluster.id = attributeClusterDimension;
  prepared.cluster.cluster = {unsigned(cluster[0]), unsigned(cluster[1]), unsigned(cluster[2])};
  return prepared;
}

Status PreparedLaunch::launch(const Driver &driver, Function function, Stream stream) {
  config.stream = stream;
  config.attributes = inClusters ? &cluster : nullptr;
  config.numAttributes = inClusters ? 1 : 0;
  return driver.launch(&config, function, parameters.data(), nullptr);
}

} // namespace tlx::cuda
