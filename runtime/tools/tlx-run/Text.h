//===- Text.h - numbers as people read them ---------------------------------===//
#pragma once

#include <cstdint>
#include <string>

namespace tlx::run {

/// 1234567 → "1,234,567".
std::string grouped(int64_t number);
/// Nanoseconds in a unit that suits.
std::string duration(double nanoseconds);

} // namespace tlx::run
