//===- ProgressLine.cpp -----------------------------------------------------===//
#include "runtime/tools/tlx-run/ProgressLine.h"

#include "runtime/tools/tlx-run/Text.h"

#include <chrono>
#include <cstdio>
#include <unistd.h>

namespace tlx::run {

std::string progressText(const Progress &progress) {
  const char *phase = progress.phase;
  if (!phase)
    return "";
  std::string out = std::string(phase) + ": " + grouped(progress.done) + " of " +
                    grouped(progress.all) + " CTAs done";
  if (int64_t cycles = progress.cycles)
    out += ", " + grouped(cycles) + " cycles";
  return out;
}

ProgressLine::ProgressLine(const Progress &progress) {
  if (isatty(STDERR_FILENO))
    thread = std::thread([this, &progress] { show(progress); });
}

ProgressLine::~ProgressLine() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    over = true;
  }
  ended.notify_all();
  if (thread.joinable())
    thread.join();
}

void ProgressLine::show(const Progress &progress) {
  using namespace std::chrono_literals;
  constexpr const char *clearLine = "\r\x1b[K";
  std::unique_lock<std::mutex> lock(mutex);
  bool shown = false;
  for (auto pause = 1000ms; !ended.wait_for(lock, pause, [this] { return over; }); pause = 200ms) {
    std::fprintf(stderr, "%s%s", clearLine, progressText(progress).c_str());
    shown = true;
  }
  if (shown)
    std::fputs(clearLine, stderr);
}

} // namespace tlx::run
