//===- Driver.h - the CUDA driver, opened at run time ------------------------===//
//
// The few functions of libcuda.so.1 that launching takes, declared here as the
// driver API documents them: building needs no CUDA toolkit, and a machine without
// a driver gets one clear error.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Result.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace tlx::cuda {

using Status = int; ///< CUresult
inline constexpr Status ok = 0, notReady = 600;

using DeviceNumber = int;
using Context = struct ContextRecord *;
using Module = struct ModuleRecord *;
using Function = struct FunctionRecord *;
using Stream = struct StreamRecord *;
using Event = struct EventRecord *;
using Graph = struct GraphRecord *;
using GraphExec = struct GraphExecRecord *;
using Pointer = uint64_t; ///< CUdeviceptr

struct alignas(64) TensorMap {
  uint64_t opaque[16];
};

struct LaunchAttribute {
  int id;
  int padding;
  union {
    char bytes[64];
    struct {
      unsigned x, y, z;
    } cluster;
  };
};
inline constexpr int attributeClusterDimension = 4;

struct LaunchConfig {
  unsigned gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes;
  Stream stream;
  LaunchAttribute *attributes;
  unsigned numAttributes;
};

/// CUfunction_attribute, CUdevice_attribute
inline constexpr int maxDynamicShared = 8, nonPortableCluster = 14;
inline constexpr int computeMajor = 75, computeMinor = 76, l2CacheBytes = 38;

struct Driver {
  Status (*init)(unsigned);
  Status (*deviceGet)(DeviceNumber *, int);
  Status (*deviceGetName)(char *, int, DeviceNumber);
  Status (*deviceGetAttribute)(int *, int, DeviceNumber);
  Status (*primaryContextRetain)(Context *, DeviceNumber);
  Status (*contextSetCurrent)(Context);
  Status (*contextSynchronize)();
  Status (*allocate)(Pointer *, size_t);
  Status (*release)(Pointer);
  Status (*toDevice)(Pointer, const void *, size_t);
  Status (*toHost)(void *, Pointer, size_t);
  Status (*fill8)(Pointer, unsigned char, size_t);
  Status (*fill8Async)(Pointer, unsigned char, size_t, Stream);
  Status (*moduleLoad)(Module *, const void *);
  Status (*moduleGetFunction)(Function *, Module, const char *);
  Status (*functionSetAttribute)(Function, int, int);
  Status (*launch)(const LaunchConfig *, Function, void **, void **);
  Status (*streamCreate)(Stream *, unsigned);
  Status (*streamQuery)(Stream);
  Status (*captureBegin)(Stream, int mode);
  Status (*captureEnd)(Stream, Graph *);
  Status (*graphInstantiate)(GraphExec *, Graph, unsigned long long);
  Status (*graphLaunch)(GraphExec, Stream);
  Status (*graphExecDestroy)(GraphExec);
  Status (*graphDestroy)(Graph);
  Status (*eventCreate)(Event *, unsigned);
  Status (*eventRecord)(Event, Stream);
  Status (*eventSynchronize)(Event);
  Status (*eventElapsed)(float *, Event, Event);
  Status (*tensorMapEncode)(TensorMap *, int type, unsigned rank, void *address,
                            const uint64_t *sizes, const uint64_t *byteStrides, const uint32_t *box,
                            const uint32_t *elementStrides, int interleave, int swizzle,
                            int promotion, int outOfBounds);
  Status (*errorName)(Status, const char **);
  Status (*errorText)(Status, const char **);

  /// The driver of this machine, opened once.
  static Result<const Driver *> open();
  /// Nothing, or "<doing>: CUDA_ERROR_…: what it means".
  Result<void> check(Status status, const std::string &doing) const;
};

} // namespace tlx::cuda
