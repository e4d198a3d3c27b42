//===- Completion.cpp - scripts for shells ----------------------------------===//
//
// A command's options are asked of its --help when they are needed, so that a
// script never lags behind the tools.
//
//===----------------------------------------------------------------------===//
#include "runtime/tools/tlx/Commands.h"

namespace tlx::front {

static std::string names() {
  std::string out;
  for (const Command &command : commands())
    out += (out.empty() ? "" : " ") + command.name;
  return out;
}

std::string completionScript(const std::string &shell) {
  const std::string options =
      "tlx \"$command\" --help 2>/dev/null | grep -o -e '--[a-z][a-z-]*' | sort -u";
  if (shell == "bash")
    return "_tlx() {\n"
           "  local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]}\n"
           "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
           "    COMPREPLY=($(compgen -W '" +
           names() +
           "' -- \"$word\"))\n"
           "  elif [[ $word == -* ]]; then\n"
           "    COMPREPLY=($(compgen -W \"$(" +
           options +
           ")\" -- \"$word\"))\n"
           "  else\n"
           "    COMPREPLY=($(compgen -f -- \"$word\"))\n"
           "  fi\n"
           "}\n"
           "complete -o filenames -F _tlx tlx\n";
  if (shell == "zsh")
    return "#compdef tlx\n"
           "_tlx() {\n"
           "  local command=$words[2]\n"
           "  if (( CURRENT == 2 )); then\n"
           "    compadd " +
           names() +
           "\n"
           "  elif [[ $PREFIX == -* ]]; then\n"
           "    compadd -- $(" +
           options +
           ")\n"
           "  else\n"
           "    _files\n"
           "  fi\n"
           "}\n"
           "compdef _tlx tlx\n";
  if (shell == "fish") {
    std::string out;
    for (const Command &command : commands())
      out += "complete -c tlx -n __fish_use_subcommand -a " + command.name + " -d '" +
             command.summary + "'\n";
    return out + "complete -c tlx -n 'not __fish_use_subcommand' -a \"(tlx (commandline -opc)[2] "
                 "--help 2>/dev/null | "
                 "string match -ra -- '--[a-z][a-z-]*' | sort -u)\"\n";
  }
  return {};
}

} // namespace tlx::front
