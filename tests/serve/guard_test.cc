// Who may ask: names of the server, other sites, tokens; and what every answer carries for a browser.
#include <gtest/gtest.h>

#include "tests/cli/cli_support.h"
#include "tests/serve/server_support.h"

namespace instantgp::testing {
namespace {

TEST(ServeGuard, AnswersToItsOwnNamesOnly) {
  const RunningServer server;
  const std::string port = std::to_string(server.port());
  for (const std::string& host :
       {"127.0.0.1:" + port, "localhost:" + port, std::string("localhost"), "[::1]:" + port}) {
    EXPECT_EQ(server.Ask("GET", "/healthz", "", {{"Host", host}}).status, 200) << host;
  }
  for (const std::string& host : {std::string("evil.example"), "evil.example:" + port, std::string(""),
                                  std::string("127.0.0.1.evil.example"), std::string("localhost.evil.example")}) {
    EXPECT_EQ(server.Ask("GET", "/healthz", "", {{"Host", host}}).status, 421) << host;
  }
  const RunningServer proxied({"--allow-host", "gp.example.org"});
  EXPECT_EQ(proxied.Ask("GET", "/healthz", "", {{"Host", "gp.example.org"}}).status, 200);
}

TEST(ServeGuard, PagesOfOtherSitesMayNotAsk) {
  const RunningServer server;
  const std::string csv = "a,y\n1,2\n2,3\n4,4\n";
  const auto fit = [&](const RunningServer& to, const std::string& origin) {
    return to.Ask("POST", "/v1/fit", csv, {{"Origin", origin}, {"Content-Type", "text/csv"}});
  };
  EXPECT_EQ(fit(server, "http://" + server.host()).status, 200);
  EXPECT_EQ(fit(server, "https://" + server.host()).status, 200);  // a proxy ends TLS
  for (const std::string origin : {"http://evil.example", "null", "http://127.0.0.1:1", "file://"}) {
    const Reply reply = fit(server, origin);
    EXPECT_EQ(reply.status, 403) << origin;
    EXPECT_FALSE(reply.headers.contains("access-control-allow-origin"));
  }
  const RunningServer open({"--allow-origin", "https://friend.example"});
  const Reply allowed = fit(open, "https://friend.example");
  EXPECT_EQ(allowed.status, 200);
  EXPECT_EQ(allowed.headers.at("access-control-allow-origin"), "https://friend.example");
  const Reply asked = open.Ask("OPTIONS", "/v1/fit", "", {{"Origin", "https://friend.example"}});
  EXPECT_EQ(asked.status, 204);
  EXPECT_EQ(fit(open, "https://evil.example").status, 403);
}

TEST(ServeGuard, TokensAreWanted) {
  const std::string token = "0123456789abcdef-secret";
  const TemporaryFolder folder;
  const RunningServer server({"--token-file", folder.Write("token", token + "\n")});
  EXPECT_EQ(server.Ask("GET", "/healthz").status, 200);
  EXPECT_EQ(server.Ask("GET", "/").status, 200);
  const Reply without = server.Ask("GET", "/metrics");
  EXPECT_EQ(without.status, 401);
  EXPECT_EQ(without.headers.at("www-authenticate"), "Bearer realm=\"instantgp\"");
  for (const std::string& wrong : {token + "x", token.substr(1), std::string("x") + token.substr(1), std::string()}) {
    EXPECT_EQ(server.Ask("GET", "/metrics", "", {{"Authorization", "Bearer " + wrong}}).status, 401) << wrong;
  }
  EXPECT_EQ(server.Ask("GET", "/metrics", "", {{"Authorization", token}}).status, 401);
  EXPECT_EQ(server.Ask("GET", "/metrics", "", {{"Authorization", "Bearer " + token}}).status, 200);
  EXPECT_EQ(server.Ask("POST", "/v1/fit", "a,y\n1,2\n").status, 401);
}

TEST(ServeGuard, OtherMachinesOnlyWithAToken) {
  ExpectFails(Cli({"serve", "--host", "0.0.0.0", "--port", "0"}), 2, "--token");
  ExpectFails(Cli({"serve", "--host", "0.0.0.0", "--port", "0", "--token", "short"}), 2, "16 characters");
  ExpectFails(Cli({"serve", "--host", "no address", "--port", "0", "--token", "0123456789abcdef"}), 2, "no address");
}

TEST(ServeGuard, EveryAnswerProtectsTheBrowser) {
  const RunningServer server;
  for (const std::string path : {"/", "/healthz", "/nowhere", "/openapi.json"}) {
    const Reply reply = server.Ask("GET", path);
    EXPECT_NE(reply.headers.at("content-security-policy").find("default-src 'none'"), std::string::npos) << path;
    EXPECT_EQ(reply.headers.at("x-content-type-options"), "nosniff") << path;
    EXPECT_EQ(reply.headers.at("x-frame-options"), "DENY") << path;
    EXPECT_EQ(reply.headers.at("referrer-policy"), "no-referrer") << path;
    EXPECT_EQ(reply.headers.at("cross-origin-resource-policy"), "same-origin") << path;
    EXPECT_FALSE(reply.headers.contains("access-control-allow-origin")) << path;
  }
  EXPECT_EQ(server.Ask("GET", "/healthz").headers.at("cache-control"), "no-store");
}

TEST(ServeGuard, ThePageIsInTheProgramAndSmall) {
  const RunningServer server;
  const std::string page = server.Ask("GET", "/").body;
  EXPECT_NE(page.find("<title>InstantGP</title>"), std::string::npos);
  EXPECT_EQ(page.find("http://"), std::string::npos);
  EXPECT_EQ(page.find("https://"), std::string::npos);
  std::size_t bytes = 0;
  for (const char* name : {"", "style.css", "icon.svg", "app.js", "canvas.js", "kernels.js", "presets.js", "service.js",
                           "charts.js", "table.js", "calls.js", "state.js"}) {
    const Reply reply = server.Ask("GET", std::string("/") + name, "", {{"Accept-Encoding", "gzip"}});
    ASSERT_EQ(reply.status, 200) << name;
    EXPECT_EQ(reply.headers.at("content-encoding"), "gzip");
    bytes += reply.body.size();
    const Reply again = server.Ask("GET", std::string("/") + name, "", {{"If-None-Match", reply.headers.at("etag")}});
    EXPECT_EQ(again.status, 304) << name;
    EXPECT_EQ(again.body, "");
  }
  EXPECT_LT(bytes, 300u * 1024);
  const Reply head = server.Ask("HEAD", "/app.js");
  EXPECT_EQ(head.status, 200);
  EXPECT_GT(std::stoul(head.headers.at("content-length")), 1000u);
}

}  // namespace
}  // namespace instantgp::testing
