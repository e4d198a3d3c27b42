//===- Completion.cpp - what shells offer -----------------------------------===//
//
// The scripts hand the words of the command line to `tlx completion words`, which
// asks a command's options, and the values that they take, of its --help: neither
// lags behind the tools.
//
//===----------------------------------------------------------------------===//
#include "runtime/base/Process.h"
#include "runtime/tools/tlx/Commands.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>

namespace tlx::front {

using Words = std::vector<std::string>;

static Words linesOf(const Words &command) {
  auto done = captureProgram(command);
  Words lines;
  std::istringstream text(done ? done->output : "");
  for (std::string line; std::getline(text, line);)
    lines.push_back(line);
  return lines;
}

static std::string trimmed(const std::string &line) {
  size_t begin = line.find_first_not_of(' ');
  return begin == std::string::npos ? "" : line.substr(begin);
}

static bool inWord(char c) { return std::islower(c) || std::isdigit(c) || c == '-' || c == '.'; }

/// The alternatives among "sim|cuda|null", "{auto,exact}" or "all|first|N" that are words.
static Words alternatives(const std::string &text) {
  Words out;
  std::string word;
  for (char c : text + "|") {
    if (c != '|' && c != ',' && c != '{' && c != '}') {
      word += c;
      continue;
    }
    if (!word.empty() && std::all_of(word.begin(), word.end(), inWord))
      out.push_back(word);
    word.clear();
  }
  return out;
}

/// The options that a help lists.
static Words optionsIn(const Words &help) {
  std::set<std::string> found;
  for (const std::string &line : help) {
    std::string head = trimmed(line).substr(0, trimmed(line).find(' '));
    size_t at = head.starts_with("-") ? head.find("--") : std::string::npos;
    if (at != std::string::npos)
      found.insert(head.substr(at, head.find_first_of("=<,[", at) - at));
  }
  return {found.begin(), found.end()};
}

/// The values that a help lists behind an option, or below it as LLVM's do.
static Words valuesIn(const Words &help, const std::string &option) {
  for (size_t i = 0; i < help.size(); ++i) {
    std::string line = trimmed(help[i]);
    size_t behind = option.size();
    if (!line.starts_with(option) || line.size() <= behind)
      continue;
    if (line[behind] == ' ') {
      std::string value = line.substr(behind + 1, line.find(' ', behind + 1) - behind - 1);
      if (value.find('|') != std::string::npos || value.starts_with("{"))
        return alternatives(value);
    }
    Words out;
    if (line[behind] == '=')
      while (++i < help.size() && trimmed(help[i]).starts_with("=")) {
        line = trimmed(help[i]);
        out.push_back(line.substr(1, line.find(' ') - 1));
      }
    return out;
  }
  return {};
}

/// The names of the simulated chips, or what is compiled for them.
static Words chipNames(std::string ChipTarget::*part) {
  std::set<std::string> found;
  if (auto chips = chipTargets({}))
    for (const ChipTarget &chip : *chips)
      found.insert(chip.*part);
  return {found.begin(), found.end()};
}

static Words classNames() {
  Words out{"contracts\twhat proofs rely on"};
  for (const std::string &line : linesOf({findProgram("tlx-verify"), "--explain", "classes"})) {
    size_t end = line.find(' ');
    if (end != std::string::npos)
      out.push_back(line.substr(0, end) + "\t" + trimmed(line.substr(end)));
  }
  return out;
}

static Words valuesOf(const std::string &command, const std::string &option) {
  if (option == "--chip")
    return chipNames(&ChipTarget::chip);
  if (option == "--target")
    return chipNames(&ChipTarget::target);
  if (option == "--explain")
    return classNames();
  return valuesIn(linesOf({findProgram("tlx"), command, "--help"}), option);
}

Words completions(const Words &words) {
  Words out;
  if (words.size() < 2) {
    for (const Command &command : commands())
      out.push_back(command.name + "\t" + command.summary);
    return out;
  }
  const std::string &command = words[0], &word = words.back(), &before = words[words.size() - 2];
  if (!findCommand(command))
    return {};
  if (size_t equals = word.find('='); word.starts_with("--") && equals != std::string::npos) {
    for (const std::string &value : valuesOf(command, word.substr(0, equals)))
      out.push_back(word.substr(0, equals + 1) + value);
    return out;
  }
  if (word.starts_with("-"))
    return optionsIn(linesOf({findProgram("tlx"), command, "--help"}));
  if (before.starts_with("--"))
    return valuesOf(command, before);
  if (command == "explain")
    return classNames();
  if (command == "chips")
    return chipNames(&ChipTarget::chip);
  if (command == "completion")
    return {"bash", "zsh", "fish"};
  return {};
}

std::string completionScript(const std::string &shell) {
  if (shell == "bash") // readline takes what stands behind the last : or = for the word
    return R"script(_tlx() {
  local line=${COMP_LINE:0:COMP_POINT} words word IFS
  read -ra words <<<"$line"
  [[ $line != *[[:space:]] ]] || words+=("")
  word=${words[-1]}
  IFS=$'\n'
  COMPREPLY=($(compgen -W "$(tlx completion words "${words[@]:1}" 2>/dev/null | cut -f1)" -- "$word"))
  COMPREPLY=("${COMPREPLY[@]#"${word%"${word##*[:=]}"}"}")
}
complete -o default -F _tlx tlx
)script";
  if (shell == "zsh") // loaded from a file of its name, it is called when it is first asked for
    return R"script(#compdef tlx
_tlx() {
  local -a found
  found=(${(f)"$(tlx completion words "${(@)words[2,CURRENT]}" 2>/dev/null | cut -f1)"})
  if (( $#found )); then
    compadd -- $found
  else
    _files
  fi
}
if [ "$funcstack[1]" = _tlx ]; then
  _tlx "$@"
else
  compdef _tlx tlx
fi
)script";
  if (shell == "fish")
    return R"script(function __tlx_words
  set -l words (commandline -opc) (commandline -ct)
  tlx completion words $words[2..] 2>/dev/null
end
complete -c tlx -n 'count (__tlx_words) >/dev/null' -f -a '(__tlx_words)'
)script";
  return {};
}

} // namespace tlx::front
