//===- CapturedOutput.cpp -----------------------------------------------------===//
#include "runtime/base/CapturedOutput.h"

#include <unistd.h>

namespace tlx {

CapturedOutput::CapturedOutput() : file(std::tmpfile()) {
  if (!file)
    return;
  std::fflush(stdout);
  original = ::dup(STDOUT_FILENO);
  if (original >= 0)
    ::dup2(::fileno(file), STDOUT_FILENO);
}

CapturedOutput::~CapturedOutput() {
  end();
  if (file)
    std::fclose(file);
}

void CapturedOutput::end() {
  if (original < 0)
    return;
  std::fflush(stdout);
  ::dup2(original, STDOUT_FILENO);
  ::close(original);
  original = -1;
}

std::vector<std::string> CapturedOutput::lines() {
  end();
  std::vector<std::string> lines;
  if (!file)
    return lines;
  std::rewind(file);
  std::string line;
  for (int next = 0; (next = std::fgetc(file)) != EOF;) {
    if (next != '\n') {
      line += char(next);
      continue;
    }
    lines.push_back(line);
    line.clear();
  }
  if (!line.empty())
    lines.push_back(line);
  return lines;
}

} // namespace tlx
