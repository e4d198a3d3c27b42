//===- Replay.h - the file at which verifier and simulator meet -----------===//
//
// A counterexample that stands on its own. The verifier writes it (--replay-out),
// `tlx-run --device sim KERNEL --replay FILE` follows it without a manifest and
// without values, and must end in the same violation. The two share this format
// and no evaluator, so a mistake in one of them shows as a replay that differs.
//
// It says what the environment did, since nothing else decides a run: the
// launch, the scalar arguments, the answer of every data-dependent branch and
// of every CLC query; and in which order the tasks' operations took effect.
//
// Identity of an operation: its number in a pre-order walk of the kernel's
// function, counted from 0 with the function itself as 0, in the file as it is
// parsed and before any pass. Names and locations are there for people; a
// reader checks the name. The content hash ties the file to the kernel's bytes.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Result.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tlx::replay {

inline constexpr int formatVersion = 1;

/// Where a step happens in the kernel.
struct Operation {
  std::string name;        ///< "ttng.wait_barrier"
  int64_t index = -1;      ///< pre-order number in the function; -1: not known
  SourceLocation location; ///< from the IR's locations: the Python line
};

struct Launch {
  std::string target;                      ///< "cuda:90", "hip:gfx950"
  std::array<int64_t, 3> grid{1, 1, 1};    ///< in programs, as in a manifest
  std::array<int64_t, 3> cluster{1, 1, 1}; ///< in CTAs
  int64_t numWarps = 4;                    ///< of the default region
  int64_t numCtas = 1;                     ///< CTAs of one program (metadata.num_ctas)
};

/// A scalar parameter of the function.
struct Scalar {
  int64_t parameter = 0; ///< position among the function's parameters
  std::string name;      ///< empty when the IR has none
  std::string type;      ///< "i32", "f32", …
  bool isFloat = false;  ///< which of the two values counts
  int64_t integer = 0;
  double real = 0;
};

/// One CTA that takes part.
struct Cta {
  std::array<int64_t, 3> program{0, 0, 0}; ///< program id
  int64_t rank = 0;                        ///< CTA rank in its cluster
};

/// What the environment answered the `occurrence`-th time (from 0) that a task
/// executed an operation.
struct Answer {
  enum class Kind : uint8_t {
    Branch, ///< values = {0 or 1}: the data-dependent condition
    Clc,    ///< values = {}: denied; {x, y, z}: granted, that program
    Value,  ///< values = {v}: an integer loaded from memory or left open
  };
  Kind kind = Kind::Branch;
  int64_t cta = 0;  ///< index into Trace::ctas
  std::string task; ///< as in Event
  Operation op;
  int64_t occurrence = 0;
  std::vector<int64_t> values;
};

/// One step: an operation of a task takes effect, or, with `completion`, the
/// asynchronous work that an earlier step of it started completes.
struct Event {
  int64_t cta = 0;  ///< index into Trace::ctas
  std::string task; ///< "default", "partition0", "partition1", …
  Operation op;
  std::vector<int64_t> iteration; ///< of the enclosing loops, outermost first
  bool completion = false;
  std::string note; ///< for people: "waits for phase 1 of full[0]"
};

struct Violation {
  std::string category; ///< the verdict's class: "deadlock", "smem race", …
  std::string message;
  Operation op; ///< where it shows
  /// The last event meets this phase of its barrier (counted from 0) though it
  /// was meant for `meant`; -1: the violation is something else.
  int64_t phase = -1, meant = -1;
};

struct Trace {
  std::string kernel;      ///< the function's name
  std::string contentHash; ///< SHA-256 of the kernel file's bytes, hexadecimal
  std::string writer;      ///< program and version that found it
  Launch launch;
  std::vector<Scalar> scalars;
  std::vector<Cta> ctas;
  std::vector<Answer> answers;
  std::vector<Event> events; ///< in their total order
  Violation violation;
};

const char *name(Answer::Kind kind);

/// The JSON text, ending in a newline.
std::string print(const Trace &trace);
/// Parses and validates; `file` is for messages.
Result<Trace> parse(std::string_view text, const std::string &file);
Result<Trace> read(const std::string &path);
Result<void> write(const Trace &trace, const std::string &path);

/// Fails when the trace was made from other bytes than `kernelText`.
Result<void> checkKernel(const Trace &trace, std::string_view kernelText,
                         const std::string &traceFile, const std::string &kernelFile);

} // namespace tlx::replay
