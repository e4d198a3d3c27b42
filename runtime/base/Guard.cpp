#include "runtime/base/Guard.h"

#include "runtime/base/Result.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <new>
#include <pthread.h>
#include <thread>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TLX_SANITIZER_HANDLES_SIGNALS
#endif
#endif

namespace tlx {
namespace {

using Clock = std::chrono::steady_clock;

void (*answer)(Limit) = nullptr;
std::atomic<Clock::rep> started{0};

int64_t residentBytes() {
  long total = 0, resident = 0;
  std::FILE *file = std::fopen("/proc/self/statm", "r");
  if (!file)
    return 0;
  int got = std::fscanf(file, "%ld %ld", &total, &resident);
  std::fclose(file);
  return got == 2 ? int64_t(resident) * ::sysconf(_SC_PAGESIZE) : 0;
}

void watch(GuardLimits limits) {
  for (;;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    std::chrono::duration<double> spent =
        Clock::now().time_since_epoch() - Clock::duration(started);
    if (limits.seconds > 0 && spent.count() > limits.seconds)
      answer(Limit::Time);
    if (limits.bytes > 0 && residentBytes() > limits.bytes)
      answer(Limit::Memory);
  }
}

#ifdef TLX_SANITIZER_HANDLES_SIGNALS
void catchStackOverflow() {}
#else
/// The lowest address of the guarded thread's stack, and who handled the signal
/// before.
uintptr_t stackEnd = 0;
struct sigaction previous;

/// A fault just below or in the last part of the stack is an overflow: frames
/// may skip the page that stands guard.
void onFault(int, siginfo_t *info, void *) {
  constexpr uintptr_t reach = uintptr_t(2) << 20;
  auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  if (address > stackEnd - reach && address < stackEnd + reach)
    answer(Limit::Stack);
  ::sigaction(SIGSEGV, &previous, nullptr); // the fault comes again, and is theirs
}

void catchStackOverflow() {
  pthread_attr_t attributes;
  if (::pthread_getattr_np(::pthread_self(), &attributes) != 0)
    return;
  void *lowest = nullptr;
  size_t size = 0;
  ::pthread_attr_getstack(&attributes, &lowest, &size);
  ::pthread_attr_destroy(&attributes);
  stackEnd = reinterpret_cast<uintptr_t>(lowest);
  static char space[1 << 16];
  stack_t other{};
  other.ss_sp = space;
  other.ss_size = sizeof space;
  struct sigaction action{};
  action.sa_sigaction = onFault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  if (::sigaltstack(&other, nullptr) == 0)
    ::sigaction(SIGSEGV, &action, &previous);
}
#endif

/// What guardTool says, composed while there is memory to compose it in.
std::string messages[3];

void say(Limit limit) {
  static std::atomic_flag said;
  while (said.test_and_set()) // another thread's limit came first
    ::pause();
  const std::string &message = messages[int(limit)];
  ssize_t written = ::write(STDERR_FILENO, message.data(), message.size());
  (void)written; // there is nobody left to tell
  std::_Exit(int(limit == Limit::Stack ? ExitCode::BadInput : ExitCode::Unknown));
}

} // namespace

int64_t defaultMemoryLimit() {
  int64_t bytes = int64_t(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
  for (const char *path :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    int64_t most = 0;
    if (std::ifstream(path) >> most && most > 0)
      bytes = std::min(bytes, most);
  }
  return bytes / 4 * 3;
}

int64_t memoryLimit(std::optional<int64_t> mebibytes) {
  return mebibytes ? *mebibytes << 20 : defaultMemoryLimit();
}

void guardProcess(const GuardLimits &limits, void (*exceeded)(Limit)) {
  answer = exceeded;
  restartGuardClock();
  std::set_new_handler([] { answer(Limit::Memory); });
  catchStackOverflow();
  if (limits.seconds > 0 || limits.bytes > 0)
    std::thread(watch, limits).detach();
}

void guardTool(const GuardLimits &limits, const std::string &file) {
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%g", limits.seconds);
  auto set = [&](Limit limit, std::string message, std::string hint) {
    messages[int(limit)] = Error(std::move(message), {file, 0, 0}, std::move(hint)).str() + "\n";
  };
  set(Limit::Time, std::string("no answer within ") + seconds + " s", "--timeout allows more");
  set(Limit::Memory,
      limits.bytes > 0 ? "needs more than " + std::to_string(limits.bytes >> 20) + " MiB of memory"
                       : "needs more memory than there is",
      "--memory-limit allows more");
  set(Limit::Stack, "nested too deeply", {});
  guardProcess(limits, say);
}

void restartGuardClock() { started = Clock::now().time_since_epoch().count(); }

} // namespace tlx
