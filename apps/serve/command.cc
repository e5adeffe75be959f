// `instantgp serve`: the HTTP service and the live page.
#include <spawn.h>
#include <unistd.h>

#include <memory>
#include <utility>

#include "apps/cli/options/common.h"
#include "apps/cli/terminal/interrupt.h"
#include "apps/cli/terminal/terminal.h"
#include "apps/serve/api/service.h"
#include "apps/serve/http/guard.h"
#include "apps/serve/http/server.h"
#include "instantgp/base/error.h"
#include "instantgp/base/file.h"
#include "instantgp/inference/trained_network.h"

namespace instantgp::cli {
namespace {

constexpr char kServeHelp[] = "Serve the live page and the HTTP API.";

constexpr char kServeExamples[] =
    R"(The page is at the address that is printed; docs/server.md explains the API. Ctrl-C and SIGTERM let requests finish
and end with 0. The default address can be reached from this machine only. Any other needs a token, which clients send as
'Authorization: Bearer TOKEN'.

Examples:
  instantgp serve --open
  instantgp serve --port 0 --threads 4
  instantgp serve --host 0.0.0.0 --token-file /run/secrets/instantgp
  curl -sS --data-binary @data.csv -H 'Content-Type: text/csv' 'http://127.0.0.1:8080/v1/fit?kernel=SE')";

struct ServeArguments {
  CommonOptions common;
  serve::ServeOptions serve;
  std::string token_file;
  double body_mb = 32, memory_mb = 1024, model_memory_mb = 1024;
  bool open = false;
};

std::string ReadToken(const std::string& path) {
  std::string token = ReadFile(path);
  while (!token.empty() && (token.back() == '\n' || token.back() == '\r' || token.back() == ' ')) token.pop_back();
  if (token.empty()) throw Error(ErrorCode::kBadInput, path + ": holds no token; write one line of text into it");
  return token;
}

void CheckToken(const serve::ServeOptions& options) {
  constexpr std::size_t kShortest = 16;
  if (options.token.empty()) {
    if (serve::IsLoopback(options.host)) return;
    throw Error(ErrorCode::kUsage,
                "--host " + options.host + " lets other machines in; add --token or --token-file, or use 127.0.0.1");
  }
  if (options.token.size() < kShortest) {
    throw Error(ErrorCode::kUsage, "the token is too short to be secret; use at least 16 characters");
  }
  for (const char c : options.token) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                       c == '_' || c == '.' || c == '~';
    if (!plain) throw Error(ErrorCode::kUsage, "a token holds letters, digits and the characters - _ . ~ alone");
  }
}

// The desktop's own way to open an address; without one nothing happens.
void OpenBrowser(const std::string& address) {
  const char* const arguments[] = {"xdg-open", address.c_str(), nullptr};
  pid_t child = 0;
  if (::posix_spawnp(&child, "xdg-open", nullptr, nullptr, const_cast<char* const*>(arguments), environ) != 0) {
    Message("no xdg-open on this machine; open the address yourself");
  }
}

void RunServe(ServeArguments arguments) {
  serve::ServeOptions& options = arguments.serve;
  options.threads = arguments.common.threads;
  if (!arguments.token_file.empty()) options.token = ReadToken(arguments.token_file);
  CheckToken(options);
  constexpr double kMega = 1 << 20;
  options.limits.body_bytes = static_cast<std::size_t>(arguments.body_mb * kMega);
  options.limits.memory = arguments.memory_mb * kMega;
  options.limits.model_bytes = arguments.model_memory_mb * kMega;
  TrainedNetwork::Embedded();  // read now, not by the first request
  serve::Service service(options);
  serve::Server server(options, service);
  service.SetGauges([&server] { return std::pair(server.connections(), server.busy()); });
  SetPatience(static_cast<int>(options.limits.drain_seconds) + 5);
  WriteStdout(server.address() + "\n");
  if (!arguments.common.quiet) Message("serving at " + server.address() + "; Ctrl-C ends it");
  if (arguments.open) OpenBrowser(server.address());
  server.Run(StopToken());
}

}  // namespace

void RegisterServe(CLI::App& app, Selected& selected) {
  auto options = std::make_shared<ServeArguments>();
  serve::ServeOptions& serve = options->serve;
  serve::Limits& limits = serve.limits;
  CLI::App* command = app.add_subcommand("serve", kServeHelp);
  command->add_option("--host", serve.host, "Address to bind [127.0.0.1]")->type_name("ADDRESS");
  command->add_option("--port", serve.port, "Port; 0 is a free one, printed [8080]")
      ->type_name("N")
      ->check(CLI::Range(0, 65535));
  CLI::Option* token =
      command->add_option("--token", serve.token, "What clients must send; visible in the list of processes")
          ->type_name("TEXT");
  command->add_option("--token-file", options->token_file, "File that holds the token")
      ->type_name("FILE")
      ->excludes(token);
  command->add_flag("--open", options->open, "Open the page in a browser");
  command->add_option("--allow-host", serve.allowed_hosts, "Another name of this server, as a proxy passes it on")
      ->type_name("NAME");
  command->add_option("--allow-origin", serve.allowed_origins, "Let pages of this site ask, e.g. https://example.org")
      ->type_name("ORIGIN");
  command->add_option("--max-seconds", limits.seconds, "Most seconds of a request [60]")
      ->type_name("S")
      ->check(CLI::Range(0.1, 86400.0));
  command->add_option("--max-memory", options->memory_mb, "Most MiB of a request's matrices [1024]")
      ->type_name("MIB")
      ->check(CLI::Range(1.0, 1e7));
  command->add_option("--max-body", options->body_mb, "Most MiB of a request's body [32]")
      ->type_name("MIB")
      ->check(CLI::Range(0.001, 4096.0));
  command->add_option("--max-cells", limits.cells, "Most cells of a table [2000000]")
      ->type_name("N")
      ->check(CLI::Range(1.0, 1e9));
  command->add_option("--max-waiting", limits.waiting, "Most requests at work or waiting [256]")
      ->type_name("N")
      ->check(CLI::Range(1, 100000));
  command->add_option("--models", limits.models, "Most models kept in memory [256]")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000));
  command->add_option("--model-memory", options->model_memory_mb, "Most MiB of models kept [1024]")
      ->type_name("MIB")
      ->check(CLI::Range(1.0, 1e7));
  command->add_option("--model-seconds", limits.model_seconds, "How long a model is kept after its last use [3600]")
      ->type_name("S")
      ->check(CLI::Range(0.1, 1e9));
  AddCommonOptions(*command, options->common);
  command->footer(kServeExamples);
  command->callback([options, &selected] { selected.run = [options] { RunServe(*options); }; });
}

}  // namespace instantgp::cli
