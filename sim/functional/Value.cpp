//===- Value.cpp - what a register holds -----------------------------------------------===//
#include "sim/functional/Value.h"

#include <array>
#include <bit>
#include <cstdlib>
#include <new>
#include <vector>

namespace tlx::sim {

// --- Buffers -----------------------------------------------------------------------------

namespace {
/// Tiles come and go by the million in few sizes: freed buffers are kept, by
/// power-of-two size, for the thread's next request.
class Pool {
public:
  ~Pool() {
    for (std::vector<Buffer *> &list : lists)
      for (Buffer *buffer : list)
        std::free(buffer);
  }
  Buffer *take(unsigned sizeClass) {
    std::vector<Buffer *> &list = lists[sizeClass];
    if (list.empty())
      return static_cast<Buffer *>(
          std::aligned_alloc(64, sizeof(Buffer) + (size_t(1) << sizeClass)));
    Buffer *buffer = list.back();
    list.pop_back();
    return buffer;
  }
  void give(Buffer *buffer, unsigned sizeClass) {
    if (lists[sizeClass].size() >= 64)
      std::free(buffer);
    else
      lists[sizeClass].push_back(buffer);
  }

private:
  std::array<std::vector<Buffer *>, 48> lists;
};
thread_local Pool pool;

unsigned sizeClassOf(size_t bytes) { return std::max(6, int(std::bit_width(bytes - 1))); }
} // namespace

Buffer *Buffer::make(size_t bytes) {
  Buffer *buffer = pool.take(sizeClassOf(bytes ? bytes : 1));
  if (!buffer)
    throw std::bad_alloc();
  buffer->refs = 1;
  buffer->bytes = bytes ? bytes : 1;
  buffer->pending = noAsync;
  return buffer;
}

void Buffer::free(Buffer *buffer) { pool.give(buffer, sizeClassOf(buffer->bytes)); }

// --- Values --------------------------------------------------------------------------------

Store storeOf(DType elem) {
  switch (elem) {
  case DType::i1: return Store::B1;
  case DType::i8:
  case DType::u8: return Store::I8;
  case DType::i16:
  case DType::u16: return Store::I16;
  case DType::i32:
  case DType::u32: return Store::I32;
  case DType::i64:
  case DType::u64: return Store::I64;
  case DType::f64: return Store::F64;
  default: return Store::F32;
  }
}

Store storeOf(const Type &type) { return type.pointer ? Store::I64 : storeOf(type.elem); }

Value Value::integer(Store store, int64_t x) {
  Value value = elements(store, 1);
  withStore(store, [&](auto zero) {
    using T = decltype(zero);
    *value.mutableData<T>() = store == Store::B1 ? T(x & 1) : T(x);
  });
  return value;
}

Value Value::real(Store store, double x) {
  Value value = elements(store, 1);
  withStore(store, [&](auto zero) { *value.mutableData<decltype(zero)>() = decltype(zero)(x); });
  return value;
}

template <typename T> static Buffer *bufferOf(const T &object) {
  Buffer *buffer = Buffer::make(sizeof(T));
  std::memcpy(buffer->data(), &object, sizeof(T));
  return buffer;
}

Value Value::memory(const MemRef &ref) {
  Value value;
  value.kind_ = Kind::Memory;
  value.buffer = bufferOf(ref);
  return value;
}

Value Value::descriptor(const DescRef &ref) {
  Value value;
  value.kind_ = Kind::Descriptor;
  value.buffer = bufferOf(ref);
  return value;
}

void Value::makeUnique() {
  if (isUnique())
    return;
  Buffer *copy = Buffer::make(buffer->bytes);
  std::memcpy(copy->data(), buffer->data(), buffer->bytes);
  release();
  buffer = copy;
}

int64_t Value::asInt(size_t i) const {
  if (count_ == 1)
    i = 0;
  return withStore(store_, [&](auto zero) { return int64_t(data<decltype(zero)>()[i]); });
}

double Value::asDouble(size_t i) const {
  if (count_ == 1)
    i = 0;
  return withStore(store_, [&](auto zero) { return double(data<decltype(zero)>()[i]); });
}

bool Value::isUniform() const {
  size_t bytes = storeBytes(store_);
  const char *first = data<char>();
  for (size_t i = 1; i < count_; ++i)
    if (std::memcmp(first, first + i * bytes, bytes) != 0)
      return false;
  return true;
}

Value Value::expanded(size_t count) const {
  if (count_ == count || kind_ != Kind::Elements)
    return *this;
  Value result = elements(store_, count);
  withStore(store_, [&](auto zero) {
    using T = decltype(zero);
    std::fill_n(result.mutableData<T>(), count, *data<T>());
  });
  return result;
}

// --- Elements in memory -----------------------------------------------------------------------

void fromMemory(const Type &type, const void *raw, void *elements, size_t count) {
  switch (storeOf(type)) {
  case Store::F32:
    if (type.elem == DType::f32)
      std::memcpy(elements, raw, count * 4);
    else
      toFloats(type.elem, raw, static_cast<float *>(elements), count);
    return;
  case Store::B1:
    for (size_t i = 0; i < count; ++i)
      static_cast<uint8_t *>(elements)[i] = static_cast<const uint8_t *>(raw)[i] != 0;
    return;
  default: std::memcpy(elements, raw, count * storeBytes(storeOf(type)));
  }
}

void toMemory(const Type &type, const void *elements, void *raw, size_t count) {
  Store store = storeOf(type);
  if (store == Store::F32 && type.elem != DType::f32)
    fromFloats(type.elem, static_cast<const float *>(elements), raw, count);
  else
    std::memcpy(raw, elements, count * storeBytes(store));
}

Value fromBits(const Type &type, const uint64_t *bits, size_t count) {
  Store store = storeOf(type);
  Value value = Value::elements(store, count);
  for (size_t i = 0; i < count; ++i)
    withStore(store, [&](auto zero) {
      using T = decltype(zero);
      T &element = value.mutableData<T>()[i];
      if (store == Store::F32 || store == Store::F64)
        element = T(toDouble(type.elem, bits[i]));
      else
        element = store == Store::B1 ? T(bits[i] & 1) : T(bits[i]);
    });
  return value;
}

void roundElements(DType elem, float *data, size_t count) {
  if (elem == DType::f32)
    return;
  constexpr size_t chunk = 512;
  uint16_t raw[chunk];
  for (size_t at = 0; at < count; at += chunk) {
    size_t n = std::min(chunk, count - at);
    if (elem == DType::f16) {
      floatToHalf(data + at, raw, n);
      halfToFloat(raw, data + at, n);
    } else if (elem == DType::bf16) {
      floatToBfloat(data + at, raw, n);
      bfloatToFloat(raw, data + at, n);
    } else {
      fromFloats(elem, data + at, raw, n);
      toFloats(elem, raw, data + at, n);
    }
  }
}

} // namespace tlx::sim
