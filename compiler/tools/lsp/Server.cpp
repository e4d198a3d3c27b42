//===- Server.cpp - tlx-lsp-server ------------------------------------------===//
//
// The language server for TLX IR (Language Server Protocol 3.17 over standard
// input and output): the verifier's findings as diagnostics when a file is opened
// or saved, the parser's while it is edited, and, on hovering over an operation,
// what it does to barriers and memory and what it costs.
//
//===----------------------------------------------------------------------===//
#include "compiler/tools/lsp/Verification.h"
#include "runtime/base/Guard.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/LSP/Logging.h"
#include "llvm/Support/LSP/Transport.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm::lsp;
using tlx::lsp::Document;

namespace {

// LLVM's protocol headers lack it; a saved document is named as a closed one is.
using DidSaveParams = DidCloseTextDocumentParams;

class Server {
public:
  Server(JSONTransport &transport, std::string verifier)
      : verifier(std::move(verifier)), handler(transport),
        publish(handler.outgoingNotification<PublishDiagnosticsParams>(
            "textDocument/publishDiagnostics")) {
    handler.method("initialize", this, &Server::onInitialize);
    handler.method("shutdown", this, &Server::onShutdown);
    handler.notification("initialized", this, &Server::onInitialized);
    handler.notification("textDocument/didOpen", this, &Server::onOpen);
    handler.notification("textDocument/didChange", this, &Server::onChange);
    handler.notification("textDocument/didSave", this, &Server::onSave);
    handler.notification("textDocument/didClose", this, &Server::onClose);
    handler.method("textDocument/hover", this, &Server::onHover);
  }

  int run(JSONTransport &transport) {
    if (llvm::Error error = transport.run(handler)) {
      Logger::error("transport: {0}", error);
      llvm::consumeError(std::move(error));
      return 1;
    }
    return shuttingDown ? 0 : 1; // as the protocol has it
  }

private:
  void onInitialize(const InitializeParams &, Callback<llvm::json::Value> reply) {
    llvm::json::Object sync{
        {"openClose", true}, {"change", int(TextDocumentSyncKind::Full)}, {"save", true}};
    reply(llvm::json::Object{
        {"serverInfo", llvm::json::Object{{"name", "tlx-lsp-server"}}},
        {"capabilities",
         llvm::json::Object{{"textDocumentSync", std::move(sync)}, {"hoverProvider", true}}}});
  }
  void onInitialized(const InitializedParams &) {}
  void onShutdown(const NoParams &, Callback<std::nullptr_t> reply) {
    shuttingDown = true;
    reply(nullptr);
  }

  void onOpen(const DidOpenTextDocumentParams &params) {
    replace(params.textDocument.uri, params.textDocument.text, params.textDocument.version,
            /*verify=*/true);
  }
  void onChange(const DidChangeTextDocumentParams &params) {
    if (!params.contentChanges.empty())
      replace(params.textDocument.uri, params.contentChanges.back().text,
              params.textDocument.version, false);
  }
  void onSave(const DidSaveParams &params) {
    if (auto found = documents.find(params.textDocument.uri.file()); found != documents.end())
      tell(params.textDocument.uri, *found->second, 0, /*verify=*/true);
  }
  void onClose(const DidCloseTextDocumentParams &params) {
    documents.erase(params.textDocument.uri.file());
    publish(PublishDiagnosticsParams(params.textDocument.uri, 0));
  }

  void onHover(const TextDocumentPositionParams &params, Callback<std::optional<Hover>> reply) {
    auto found = documents.find(params.textDocument.uri.file());
    std::string words = found == documents.end() ? "" : found->second->describe(params.position);
    if (words.empty())
      return reply(std::nullopt);
    Hover hover(Range(params.position));
    hover.contents.kind = MarkupKind::Markdown;
    hover.contents.value = words;
    reply(std::move(hover));
  }

  void replace(const URIForFile &uri, const std::string &text, int64_t version, bool verify) {
    auto &document = documents[uri.file()];
    document = std::make_unique<Document>(uri.file().str(), text);
    tell(uri, *document, version, verify);
  }

  void tell(const URIForFile &uri, const Document &document, int64_t version, bool verify) {
    PublishDiagnosticsParams out(uri, version);
    if (document.problem())
      out.diagnostics.push_back(tlx::lsp::problemOf(document));
    else if (verify)
      out.diagnostics = tlx::lsp::verify(document, verifier);
    publish(out);
  }

  std::string verifier;
  MessageHandler handler;
  OutgoingNotification<PublishDiagnosticsParams> publish;
  llvm::StringMap<std::unique_ptr<Document>> documents;
  bool shuttingDown = false;
};

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  if (argc > 1) {
    bool help = llvm::StringRef(argv[1]) == "--help" || llvm::StringRef(argv[1]) == "-h";
    (help ? llvm::outs() : llvm::errs()) << "Usage: tlx-lsp-server\n\nThe language server for TLX "
                                            "IR: speaks LSP on standard input and output.\n"
                                            "Editors start it; it needs tlx-verify beside it.\n";
    return help ? 0 : 2;
  }
  std::string self = llvm::sys::fs::getMainExecutable(argv[0], nullptr);
  llvm::SmallString<128> verifier(llvm::sys::path::parent_path(self));
  llvm::sys::path::append(verifier, "tlx-verify");
  tlx::guardTool({}, "tlx-lsp-server"); // LLVM's parser of messages follows any nesting
  JSONTransport transport(stdin, llvm::outs());
  return Server(transport, verifier.str().str()).run(transport);
}
