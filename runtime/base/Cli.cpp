//===- Cli.cpp - the only file that includes CLI11 ------------------------===//
#include "runtime/base/Cli.h"

#include "runtime/base/Result.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <string_view>

namespace tlx {

const char *versionString() { return TLX_VERSION; }

std::string nearestWord(const std::string &word, const std::vector<std::string> &candidates) {
  std::string best;
  size_t bestDistance = word.size() / 3 + 1; // more than that is no typo
  for (const std::string &candidate : candidates) {
    // Levenshtein distance, one row at a time, for as long as it can be the least.
    size_t least =
        std::max(word.size(), candidate.size()) - std::min(word.size(), candidate.size());
    if (least > bestDistance)
      continue;
    std::vector<size_t> row(candidate.size() + 1);
    for (size_t j = 0; j < row.size(); ++j)
      row[j] = j;
    for (size_t i = 1; i <= word.size() && least <= bestDistance; ++i) {
      size_t diagonal = row[0];
      least = row[0] = i;
      for (size_t j = 1; j < row.size(); ++j) {
        size_t replaced = diagonal + (word[i - 1] != candidate[j - 1]);
        diagonal = row[j];
        row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
        least = std::min(least, row[j]);
      }
    }
    if (least > bestDistance)
      continue;
    if (row.back() < bestDistance || (row.back() == bestDistance && best.empty()))
      bestDistance = row.back(), best = candidate;
  }
  return best;
}

struct Cli::Impl {
  explicit Impl(std::string description) : app(std::move(description)) {}
  CLI::App app;
  std::string program;
  std::vector<std::string> longNames{"--help", "--version"};

  CLI::Option *add(const std::string &names, CLI::Option *option) {
    for (const std::string &name : CLI::detail::split(names, ','))
      if (name.rfind("--", 0) == 0)
        longNames.push_back(name);
    return option;
  }
  int usageError(const CLI::ParseError &error);
  std::string hintFor(const std::string &message) const;
};

Cli::Cli(std::string program, std::string description)
    : impl(std::make_unique<Impl>(std::move(description))) {
  impl->program = std::move(program);
  CLI::App &app = impl->app;
  app.name(impl->program);
  app.set_help_flag("-h,--help", "print this and exit");
  app.set_version_flag("--version", impl->program + " " + versionString(),
                       "print the version and exit");
  app.get_formatter()->column_width(34);
  app.option_defaults()->always_capture_default(false);
}
Cli::~Cli() = default;

void Cli::positional(const std::string &name, std::string &target, const std::string &help,
                     bool required) {
  impl->app.add_option(name, target, help)->required(required)->option_text(" ");
}

void Cli::positionals(const std::string &name, std::vector<std::string> &target,
                      const std::string &help, bool required) {
  impl->app.add_option(name, target, help)->required(required)->option_text("...");
}

void Cli::flag(const std::string &names, bool &target, const std::string &help) {
  impl->add(names, impl->app.add_flag(names, target, help))->option_text(" ");
}

void Cli::option(const std::string &names, std::string &target, const std::string &value,
                 const std::string &help) {
  impl->add(names, impl->app.add_option(names, target, help))->option_text(value);
}

template <typename T>
static CLI::Option *addOptional(CLI::App &app, const std::string &names, std::optional<T> &target,
                                const std::string &help) {
  return app.add_option_function<T>(names, [&target](const T &value) { target = value; }, help);
}

void Cli::option(const std::string &names, std::optional<std::string> &target,
                 const std::string &value, const std::string &help) {
  impl->add(names, addOptional(impl->app, names, target, help))->option_text(value);
}
void Cli::option(const std::string &names, std::optional<int64_t> &target, const std::string &value,
                 const std::string &help) {
  impl->add(names, addOptional(impl->app, names, target, help))->option_text(value);
}
void Cli::option(const std::string &names, std::optional<double> &target, const std::string &value,
                 const std::string &help) {
  impl->add(names, addOptional(impl->app, names, target, help))->option_text(value);
}

void Cli::optionOrFlag(const std::string &names, std::optional<std::string> &target,
                       const std::string &value, const std::string &help) {
  impl->add(names, addOptional(impl->app, names, target, help))
      ->option_text("[" + value + "]")
      ->expected(0, 1);
}

void Cli::options(const std::string &names, std::vector<std::string> &target,
                  const std::string &value, const std::string &help) {
  impl->add(names, impl->app.add_option(names, target, help))
      ->option_text(value + " (may be repeated)")
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all();
}

void Cli::choice(const std::string &names, std::string &target,
                 const std::vector<std::string> &choices, const std::string &help) {
  std::string list;
  for (const std::string &choice : choices)
    list += (list.empty() ? "" : "|") + choice;
  auto check = [choices, list](const std::string &value) {
    bool known = std::find(choices.begin(), choices.end(), value) != choices.end();
    return known ? std::string() : "must be one of " + list + "; got '" + value + "'";
  };
  impl->add(names, impl->app.add_option(names, target, help))
      ->option_text(list)
      ->check(CLI::Validator(check, "", ""));
}

void Cli::excludes(const std::string &one, const std::string &other) {
  impl->app.get_option(one)->excludes(impl->app.get_option(other));
}

void Cli::footer(const std::string &text) { impl->app.footer(text); }

/// A remedy for CLI11's message: the option that an unknown one resembles.
std::string Cli::Impl::hintFor(const std::string &message) const {
  size_t at = message.find("--");
  if (at != std::string::npos) {
    std::string word = message.substr(at, message.find_first_of(" =,]:", at) - at);
    std::string nearest = nearestWord(word, longNames);
    if (!nearest.empty() && nearest != word)
      return "did you mean " + nearest + "?";
  }
  return "'" + program + " --help' lists the options";
}

int Cli::Impl::usageError(const CLI::ParseError &error) {
  std::string message = error.what();
  if (dynamic_cast<const CLI::ExtrasError *>(&error)) {
    std::string extra;
    for (const std::string &word : app.remaining())
      extra += (extra.empty() ? "" : " ") + word;
    message = (extra.rfind("-", 0) == 0 ? "unknown option: " : "unexpected argument: ") + extra;
  } else if (!message.empty()) {
    // "--timeout: 1 required TEXT" and the like keep their first capital off.
    bool word = message.size() > 1 && message[1] >= 'a' && message[1] <= 'z';
    if (word)
      message[0] = char(std::tolower(message[0]));
    while (!message.empty() && (message.back() == '.' || message.back() == '\n'))
      message.pop_back();
  }
  Error shown(message, {}, hintFor(message));
  std::fprintf(stderr, "%s: %s\n", program.c_str(), shown.str().c_str());
  return int(ExitCode::BadInput);
}

std::optional<int> Cli::parse(int argc, const char *const *argv) {
  try {
    // `tlx` asks this of a tool before it records; --help does not show it.
    std::vector<const char *> words(argv, argv + argc);
    bool onlyCheck = std::erase(words, std::string_view("--check-options")) > 0;
    impl->app.parse(int(words.size()), words.data());
    return onlyCheck ? std::optional(int(ExitCode::Holds)) : std::nullopt;
  } catch (const CLI::CallForHelp &) {
    std::fputs(impl->app.help().c_str(), stdout);
    return int(ExitCode::Holds);
  } catch (const CLI::CallForVersion &) {
    std::printf("%s %s\n", impl->program.c_str(), versionString());
    return int(ExitCode::Holds);
  } catch (const CLI::ParseError &error) {
    return impl->usageError(error);
  }
}

} // namespace tlx
