// A compiler library that answers by the kernel's name.
#include "runtime/loader/CompilerLibrary.h"

using namespace tlx;

namespace tlx::sim {
struct Program {
  int token;
};
} // namespace tlx::sim

static int deleted = 0;

extern "C" {
int tlxCompilerLoad(const TlxCompilerRequest *request, TlxCompilerReply *reply) {
  reply->kernels = {"good", "bad"};
  if (request->interfaceVersion != compilerInterfaceVersion) {
    reply->error = Error("wrong version");
  } else if (request->kernel == "good") {
    reply->program = new sim::Program{int(request->text.size())};
    return 0;
  } else if (request->kernel == "bad") {
    reply->error = Error("cannot export it", {request->file, 3, 7});
  } else if (request->kernel != "silent") {
    reply->noSuchKernel = true;
    if (request->kernel == "nothing")
      reply->kernels.clear();
    reply->error = Error("no function @" + request->kernel, {request->file, 0, 0});
  }
  return 2;
}

void tlxCompilerDeleteProgram(sim::Program *program) {
  ++deleted;
  delete program;
}

int tlxCompilerCompile(const TlxCompilerRequest *request, TlxCompilerReply *reply,
                       std::string *bytes) {
  if (request->kernel == "good") {
    *bytes = "code of " + std::string(request->text);
    return 0;
  }
  reply->error = Error("cannot compile it", {request->file, 5, 2});
  return 2;
}

int fakeCompilerDeleted() { return deleted; }
}
