//===- Result.h - a value or a located error ------------------------------===//
//
// How every part of TLX reports failure: a function that can fail returns
// Result<T>. An Error says what is wrong in the user's words, where, and, when
// there is one, the remedy. Tools print it and leave with its exit code:
//
//   launch.json:12:9: error: 'shape' must not be negative; got -4
//   hint: sizes are element counts
//
// No exceptions are involved, so it is safe to use from code built as LLVM is.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tlx {

/// What a tool's exit status means.
enum class ExitCode : int {
  Holds = 0,    ///< proved, or ran and matched
  Violated = 1, ///< refuted, or a mismatch
  BadInput = 2, ///< usage or bad input
  Internal = 3, ///< a fault of ours
  Unknown = 4,  ///< neither shown nor refuted
};

/// Lines and columns count from 1; 0 means "not known".
struct SourceLocation {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;

  /// "file:line:col", without the parts that are not known.
  std::string str() const;
};

/// A related place, printed after the error.
struct ErrorNote {
  SourceLocation location;
  std::string message;
};

struct [[nodiscard]] Error {
  std::string message; ///< lower case, no full stop
  SourceLocation location;
  std::string hint; ///< a remedy, or empty
  ExitCode code = ExitCode::BadInput;
  std::vector<ErrorNote> notes;

  Error() = default;
  explicit Error(std::string message, SourceLocation location = {}, std::string hint = {},
                 ExitCode code = ExitCode::BadInput)
      : message(std::move(message)), location(std::move(location)), hint(std::move(hint)),
        code(code) {}

  /// A fault of ours rather than of the input (exit code 3).
  static Error internal(std::string message, SourceLocation location = {}) {
    return Error(std::move(message), std::move(location), {}, ExitCode::Internal);
  }

  /// Adds a remedy.
  Error &&withHint(std::string text) && {
    hint = std::move(text);
    return std::move(*this);
  }
  /// Adds a related place.
  Error &&withNote(std::string text, SourceLocation place = {}) && {
    notes.push_back({std::move(place), std::move(text)});
    return std::move(*this);
  }

  /// The form that tools print: "file:line:col: error: message", then notes
  /// and the hint on lines of their own; no final newline.
  std::string str() const;
};

/// A T, or the Error that says why there is none.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : state(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state.index() == 0; }
  explicit operator bool() const { return ok(); }

  T &operator*() & { return value(); }
  const T &operator*() const & { return value(); }
  T &&operator*() && { return std::move(value()); }
  T *operator->() { return &value(); }
  const T *operator->() const { return &value(); }

  T &value() & {
    assert(ok() && "value of a failed Result");
    return *std::get_if<0>(&state);
  }
  const T &value() const & {
    assert(ok() && "value of a failed Result");
    return *std::get_if<0>(&state);
  }
  T &&value() && { return std::move(*std::get_if<0>(&state)); }

  Error &error() & {
    assert(!ok() && "error of a good Result");
    return *std::get_if<1>(&state);
  }
  const Error &error() const & {
    assert(!ok() && "error of a good Result");
    return *std::get_if<1>(&state);
  }
  /// The error, for `return std::move(result).error();`.
  Error error() && { return std::move(*std::get_if<1>(&state)); }

private:
  std::variant<T, Error> state;
};

/// Success without a value, or an Error.
template <> class [[nodiscard]] Result<void> {
public:
  Result() = default;
  Result(Error error) : failure(std::move(error)), good(false) {}

  bool ok() const { return good; }
  explicit operator bool() const { return good; }
  Error &error() & { return failure; }
  const Error &error() const & { return failure; }
  Error error() && { return std::move(failure); }

private:
  Error failure;
  bool good = true;
};

} // namespace tlx
