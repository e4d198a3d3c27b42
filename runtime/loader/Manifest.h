//===- Manifest.h - launch manifests --------------------------------------===//
//
// A launch manifest says everything about one launch of a kernel that its IR
// does not: target, grid, cluster, warps, and the arguments with the data that
// memory holds before the launch. docs/reference has the schema; this is it as
// types. Parsing checks each value on its own and against its neighbours, so
// that what comes out can be relied on.
//
//   { "kernel": "add", "target": "cuda:90", "grid": [4, 1, 1], "cluster": [],
//     "metadata": {"default_num_warps": 4, "num_ctas": 1},
//     "args": [ {"kind": "pointer", "dtype": "f32", "shape": [512],
//                "strides": [1], "storage": 0, "offset": 0,
//                "data": {"fill": "zeros"}},
//               {"kind": "scalar", "type": "i32", "value": 512} ] }
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Dtype.h"
#include "runtime/base/Result.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tlx {

/// What an allocation holds before the launch, element by element in row-major
/// order of the view that the argument describes.
struct Fill {
  enum class Kind : uint8_t {
    Zeros,
    Constant,   ///< `value`
    Values,     ///< `bits`, one for each element
    Uniform,    ///< low + (high - low) * u
    UniformInt, ///< low + floor((high - low) * u)
    File,       ///< a .npy file
  };
  Kind kind = Kind::Zeros;
  double value = 0;
  uint64_t seed = 0;
  double low = 0, high = 0;
  std::vector<uint64_t> bits; ///< elements of the argument's dtype
  std::string path;           ///< resolved against the manifest's folder
  SourceLocation location;
};

/// What fbtriton's driver does to encode one host descriptor.
struct TensorMapFacts {
  int64_t swizzle = 0; ///< 0 none, 1 32 B, 2 64 B, 3 128 B
  int64_t elementSize = 0;
  int64_t elementType = 0;        ///< CUtensorMapDataType after fbtriton
  std::vector<int64_t> blockSize; ///< the TMA box
  bool fp4Padded = false;
};

/// One run-time argument; tuples are flattened, in order.
struct Argument {
  enum class Kind : uint8_t { Pointer, TensorDesc, Scalar, Null };
  Kind kind = Kind::Null;
  std::string name; ///< "a_desc", "arg.1" for an item of a tuple; may be empty
  std::string type; ///< the front end's spelling: "*fp16", "i32"; may be empty
  SourceLocation location;

  // Pointer and TensorDesc.
  DType dtype = DType::u8;
  std::vector<int64_t> shape, strides; ///< strides in elements
  int64_t storage = 0;                 ///< arguments with the same number share an allocation
  int64_t offset = 0;                  ///< elements from the beginning of the allocation
  Fill data;

  // TensorDesc.
  std::vector<int64_t> blockShape;
  std::vector<int64_t> baseShape; ///< of the tensor it was made from
  bool paddingNan = false;
  std::optional<TensorMapFacts> tensorMap;

  // Scalar.
  DType scalarType = DType::i32;
  uint64_t bits = 0;

  bool isMemory() const { return kind == Kind::Pointer || kind == Kind::TensorDesc; }
  /// The view that `data` fills: baseShape of a descriptor, else shape.
  const std::vector<int64_t> &dataShape() const { return baseShape.empty() ? shape : baseShape; }
  /// Its strides; empty: contiguous, as the tensor is from which a descriptor of
  /// another shape was made.
  std::vector<int64_t> dataStrides() const;
  int64_t numElements() const; ///< of dataShape()
  /// Elements from the allocation's beginning to the last one that it can reach.
  int64_t extent() const;
};

struct Constexpr {
  std::string name;
  std::string text; ///< as JSON
};

struct Manifest {
  std::string file;
  std::string kernel;
  std::string target; ///< "cuda:90", "hip:gfx950"
  std::string irHash; ///< short hash of the IR that was launched; may be empty
  std::array<int64_t, 3> grid{1, 1, 1};
  /// As given; without one, num_ctas along x.
  std::array<int64_t, 3> cluster{1, 1, 1};
  SourceLocation kernelLocation, targetLocation, gridLocation, sharedLocation, tmemLocation;
  SourceLocation defaultNumWarpsLocation, numWarpsLocation, numCtasLocation;

  std::optional<int64_t> defaultNumWarps; ///< of the default region
  int64_t numCtas = 1;
  std::optional<int64_t> numWarps; ///< all that are launched
  std::optional<int64_t> sharedBytes;
  std::optional<int64_t> tmemColumns;
  std::optional<int64_t> maxRegisters; ///< of a thread
  int64_t globalScratchBytes = 0;      ///< for each CTA of the grid

  std::vector<Constexpr> constexprs;
  std::vector<Argument> arguments;

  bool isCuda() const { return target.rfind("cuda:", 0) == 0; }
  /// CTAs that are launched along each axis: grid.x times num_ctas.
  std::array<int64_t, 3> launchedGrid() const { return {grid[0] * numCtas, grid[1], grid[2]}; }
  int64_t clusterSize() const { return cluster[0] * cluster[1] * cluster[2]; }
};

/// Parses and validates; `file` is for messages and locates .npy files.
Result<Manifest> parseManifest(std::string_view text, const std::string &file);
Result<Manifest> readManifest(const std::string &path);

} // namespace tlx
