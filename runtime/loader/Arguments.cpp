//===- Arguments.cpp - allocations and their contents ---------------------===//
#include "runtime/loader/Arguments.h"

#include "runtime/loader/FillData.h"

#include <algorithm>
#include <cstring>
#include <map>

namespace tlx {

namespace {

bool isContiguous(const std::vector<int64_t> &shape, const std::vector<int64_t> &strides) {
  int64_t expected = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    if (shape[d] != 1 && strides[d] != expected)
      return false;
    expected *= shape[d];
  }
  return true;
}

/// Copies row-major elements to where a strided view has them.
void scatter(const uint8_t *from, uint8_t *to, const std::vector<int64_t> &shape,
             const std::vector<int64_t> &strides, size_t width) {
  size_t rank = shape.size();
  int64_t inner = shape.back(), step = strides.back();
  std::vector<int64_t> index(rank, 0);
  for (;;) {
    int64_t at = 0;
    for (size_t d = 0; d + 1 < rank; ++d)
      at += index[d] * strides[d];
    if (step == 1)
      std::memcpy(to + size_t(at) * width, from, size_t(inner) * width);
    else
      for (int64_t i = 0; i < inner; ++i)
        std::memcpy(to + size_t(at + i * step) * width, from + size_t(i) * width, width);
    from += size_t(inner) * width;
    size_t d = rank - 1;
    for (; d > 0; --d) {
      if (++index[d - 1] < shape[d - 1])
        break;
      index[d - 1] = 0;
    }
    if (d == 0)
      return;
  }
}

Result<void> fillStorage(const Argument &argument, Storage &storage) {
  const std::vector<int64_t> &shape = argument.dataShape();
  std::vector<int64_t> strides = argument.dataStrides();
  size_t width = byteWidth(argument.dtype);
  auto count = size_t(argument.numElements());
  uint8_t *start = storage.memory.data() + size_t(argument.offset) * width;
  bool zeros = argument.data.kind == Fill::Kind::Zeros;
  if (zeros || (count == 0 && argument.data.kind != Fill::Kind::File))
    return {};
  if (strides.empty() || isContiguous(shape, strides))
    return fillElements(argument.data, argument.dtype, start, count);
  HostBuffer rows(count * width);
  if (!rows.data())
    return Error("not enough memory to fill '" + argument.name + "'", argument.location);
  if (auto filled = fillElements(argument.data, argument.dtype, rows.data(), count); !filled)
    return filled;
  if (count)
    scatter(rows.data(), start, shape, strides, width);
  return {};
}

Result<Storage> makeStorage(const Argument &argument, size_t index, const BuildOptions &options) {
  Storage out;
  out.id = argument.storage;
  out.dtype = argument.dtype;
  out.argument = index;
  out.elements = argument.extent();
  std::vector<int64_t> strides = argument.dataStrides();
  bool whole =
      argument.offset == 0 && (strides.empty() || isContiguous(argument.dataShape(), strides));
  out.shape = whole ? argument.dataShape() : std::vector<int64_t>{out.elements};
  size_t bytes = size_t(out.elements) * byteWidth(argument.dtype);
  if (!options.maxBytes || bytes <= size_t(options.maxBytes))
    out.memory = HostBuffer(bytes);
  if (!out.memory.data())
    return Error("not enough memory for the " + std::to_string(bytes >> 20) + " MiB of '" +
                     argument.name + "'",
                 argument.location);
  bool small = !options.maxFillBytes || bytes <= options.maxFillBytes;
  bool wanted = options.fillFloats || isInteger(argument.dtype);
  if (wanted && small)
    if (auto filled = fillStorage(argument, out); !filled)
      return std::move(filled).error();
  return out;
}

} // namespace

Result<std::vector<Storage>> buildArguments(const Manifest &manifest, BuildOptions options) {
  auto bytesOf = [&](size_t index) {
    const Argument &argument = manifest.arguments[index];
    return uint64_t(argument.extent()) * byteWidth(argument.dtype);
  };
  std::map<int64_t, size_t> views; // storage id → the view that reaches furthest
  for (size_t i = 0; i < manifest.arguments.size(); ++i) {
    if (!manifest.arguments[i].isMemory())
      continue;
    auto [entry, fresh] = views.try_emplace(manifest.arguments[i].storage, i);
    if (!fresh && bytesOf(i) > bytesOf(entry->second))
      entry->second = i;
  }
  std::vector<Storage> out;
  for (auto [id, index] : views) {
    auto storage = makeStorage(manifest.arguments[index], index, options);
    if (!storage)
      return std::move(storage).error();
    out.push_back(std::move(*storage));
  }
  return out;
}

} // namespace tlx
