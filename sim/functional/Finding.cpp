//===- Finding.cpp - what a run found wrong -------------------------------===//
#include "sim/functional/Finding.h"

namespace tlx::sim {

const char *name(Finding::Kind kind) {
  switch (kind) {
  case Finding::Kind::Deadlock: return "deadlock";
  case Finding::Kind::OverArrival: return "over-arrival";
  case Finding::Kind::LostPhase: return "lost-phase";
  case Finding::Kind::BarrierMisuse: return "barrier-misuse";
  case Finding::Kind::OutOfBounds: return "out-of-bounds";
  case Finding::Kind::Uninitialized: return "uninitialized";
  case Finding::Kind::EarlyRead: return "early-read";
  case Finding::Kind::Race: return "race";
  case Finding::Kind::MissingFence: return "missing-fence";
  case Finding::Kind::Leftover: return "leftover";
  case Finding::Kind::AssertFailed: return "assert";
  case Finding::Kind::Divergence: return "divergence";
  case Finding::Kind::Unsupported: return "unsupported";
  case Finding::Kind::BadLaunch: return "bad-launch";
  case Finding::Kind::StepLimit: return "step-limit";
  }
  return "?";
}

std::string render(const Program &program, const Finding &finding) {
  std::string text = program.locationText(finding.loc) + ": error: " + finding.message;
  if (finding.count > 1)
    text += " (" + std::to_string(finding.count) + " times)";
  text += '\n';
  for (const Finding::Note &note : finding.notes)
    text += program.locationText(note.loc) + ": note: " + note.text + '\n';
  return text;
}

} // namespace tlx::sim
