//===- Value.h - what a register holds -----------------------------------------------===//
//
// Elements are kept in one of seven storage types: integers in their own width,
// i1 as a byte of 0 or 1, pointers as 64-bit integers, f64 as double, every narrower
// float as an f32 that has been rounded to its element type (exact: each of them is a
// subset of f32). Arithmetic thus runs on plain arrays.
//
// A value with one stored element stands for any number of equal ones: a scalar,
// or a tensor whose elements are all the same (constants, splats). A scalar register
// with several elements differs from thread to thread (gpu.thread_id).
//
// Values share their elements; whoever wants to write takes a copy unless it is
// the only owner. One cluster runs on one thread, so the counts are plain integers;
// constants, which clusters share, are immortal.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/functional/Observer.h"
#include "sim/program/Types.h"

#include <cassert>
#include <cstring>
#include <utility>

namespace tlx::sim {

enum class Store : uint8_t { B1, I8, I16, I32, I64, F32, F64 };

Store storeOf(const Type &type);
Store storeOf(DType elem);
inline constexpr size_t storeBytes(Store store) {
  constexpr size_t bytes[] = {1, 1, 2, 4, 8, 4, 8};
  return bytes[unsigned(store)];
}

/// Shared, 64-byte aligned bytes.
struct Buffer {
  int64_t refs;    ///< negative: immortal
  size_t bytes;    ///< usable
  AsyncId pending; ///< asynchronous operation that will write it, or noAsync
  int64_t unused;
  char pad[32];
  char *data() { return reinterpret_cast<char *>(this + 1); }

  static Buffer *make(size_t bytes);
  static void free(Buffer *buffer);
};
static_assert(sizeof(Buffer) == 64);

/// A buffer in shared or tensor memory, or part of one.
struct MemRef {
  int32_t rank = -1; ///< CTA of the cluster; -1: the executing one
  int32_t allocation = -1;
  int64_t base = 0;        ///< byte offset in the space
  int64_t offsets[6] = {}; ///< coordinates of a sub-slice in the layout's dimensions
};

/// A TMA descriptor. Dimensions in the order of the block shape, outermost first.
struct DescRef {
  /// Not zero: the descriptor lies there in device memory and is read when it is used.
  uint64_t stored = 0;
  uint64_t address = 0;
  int32_t rank = 0;
  DType elem = DType::f16;
  bool padNan = false;
  bool predicate = true; ///< AMD: descriptors carry one
  int64_t shape[5] = {};
  int64_t strides[5] = {}; ///< bytes
  int64_t offsets[5] = {}; ///< AMD: added to the coordinates
};

class Value {
public:
  enum class Kind : uint8_t { Empty, Elements, Memory, Descriptor, Unknown };

  Value() = default;
  Value(const Value &other) { copyFrom(other); }
  Value(Value &&other) noexcept { moveFrom(other); }
  Value &operator=(const Value &other) {
    if (this != &other) {
      release();
      copyFrom(other);
    }
    return *this;
  }
  Value &operator=(Value &&other) noexcept {
    if (this != &other) {
      release();
      moveFrom(other);
    }
    return *this;
  }
  ~Value() { release(); }

  /// `count` elements to be written by the caller.
  static Value elements(Store store, size_t count) {
    Value value;
    value.kind_ = Kind::Elements;
    value.store_ = store;
    value.count_ = uint32_t(count);
    if (count != 1)
      value.buffer = Buffer::make(count * storeBytes(store));
    return value;
  }
  static Value integer(Store store, int64_t x);
  static Value real(Store store, double x);
  static Value boolean(bool x) { return integer(Store::B1, x); }
  static Value memory(const MemRef &ref);
  static Value descriptor(const DescRef &ref);
  /// An element or tensor that a run without values does not compute.
  static Value unknown() {
    Value value;
    value.kind_ = Kind::Unknown;
    return value;
  }

  Kind kind() const { return kind_; }
  bool isUnknown() const { return kind_ == Kind::Unknown; }
  Store store() const { return store_; }
  /// Stored elements: 1 stands for any number of equal ones.
  size_t count() const { return count_; }

  template <typename T> const T *data() const {
    return reinterpret_cast<const T *>(buffer ? buffer->data() : inlined);
  }
  /// For the only owner: just made, or after makeUnique().
  template <typename T> T *mutableData() {
    return reinterpret_cast<T *>(buffer ? buffer->data() : inlined);
  }
  bool isUnique() const { return !buffer || buffer->refs == 1; }
  void makeUnique();

  const MemRef &mem() const { return *data<MemRef>(); }
  const DescRef &desc() const { return *data<DescRef>(); }

  /// Element `i` (the only one if there is one), sign-extended; i1 is 0 or 1.
  int64_t asInt(size_t i = 0) const;
  double asDouble(size_t i = 0) const;
  /// All stored elements are equal.
  bool isUniform() const;
  /// As many stored elements as asked for: repeats a single one.
  Value expanded(size_t count) const;

  AsyncId pending() const { return buffer ? buffer->pending : noAsync; }
  void setPending(AsyncId id) {
    if (!buffer && isUnknown() && id != noAsync) // what is not computed is waited for all the same
      buffer = Buffer::make(0);
    if (buffer)
      buffer->pending = id;
  }
  void makeImmortal() {
    if (buffer)
      buffer->refs = -1;
  }

private:
  Buffer *buffer = nullptr;
  alignas(8) char inlined[8] = {}; ///< the element when there is one
  uint32_t count_ = 0;
  Kind kind_ = Kind::Empty;
  Store store_ = Store::I32;

  void copyFrom(const Value &other) {
    buffer = other.buffer;
    std::memcpy(inlined, other.inlined, 8);
    count_ = other.count_;
    kind_ = other.kind_;
    store_ = other.store_;
    if (buffer && buffer->refs >= 0)
      ++buffer->refs;
  }
  void moveFrom(Value &other) {
    buffer = std::exchange(other.buffer, nullptr);
    std::memcpy(inlined, other.inlined, 8);
    count_ = other.count_;
    kind_ = std::exchange(other.kind_, Kind::Empty);
    store_ = other.store_;
  }
  void release() {
    if (buffer && buffer->refs >= 0 && --buffer->refs == 0)
      Buffer::free(buffer);
    buffer = nullptr;
  }
};

/// Calls `f` with a value of the C++ type of a storage type.
template <typename F> decltype(auto) withStore(Store store, F &&f) {
  switch (store) {
  case Store::B1: return f(uint8_t());
  case Store::I8: return f(int8_t());
  case Store::I16: return f(int16_t());
  case Store::I32: return f(int32_t());
  case Store::I64: return f(int64_t());
  case Store::F32: return f(float());
  case Store::F64: break;
  }
  return f(double());
}

/// Raw elements as they lie in memory (byteWidth(elem) each) to storage and back.
/// `pointer` elements are 8 bytes.
void fromMemory(const Type &type, const void *raw, void *elements, size_t count);
void toMemory(const Type &type, const void *elements, void *raw, size_t count);
/// One bit pattern as Constant holds it.
Value fromBits(const Type &type, const uint64_t *bits, size_t count);
/// Rounds f32-stored elements to a narrower float type; f32 stays as it is.
void roundElements(DType elem, float *data, size_t count);

} // namespace tlx::sim
