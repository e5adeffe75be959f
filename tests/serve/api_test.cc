// The answers: the same documents as those of the command line, and the same numbers as the library's.
#include <gtest/gtest.h>
#include <unistd.h>

#include "instantgp/data/airline.h"
#include "instantgp/data/csv.h"
#include "instantgp/model/fit.h"
#include "tests/cli/cli_support.h"
#include "tests/serve/server_support.h"

namespace instantgp::testing {
namespace {

using nlohmann::json;

const RunningServer& Shared() {
  static const RunningServer server;
  return server;
}

// Without what differs from run to run, or by its nature.
json Comparable(json document) {
  for (const char* key : {"time_ms", "data", "model", "comparison"}) document.erase(key);
  if (document.contains("members")) {
    for (json& one : document["members"]) one.erase("time_ms");
  }
  if (document.contains("series")) {
    for (json& one : document["series"]) one.erase("ms");
  }
  return document;
}

json FromCli(std::vector<std::string> arguments, const std::string& input = "") {
  arguments.emplace_back("--json");
  return Comparable(ParseJson(Cli(arguments, input)));
}

json Answer(const Reply& reply) {
  EXPECT_EQ(reply.status, 200) << reply.body;
  EXPECT_EQ(reply.headers.at("content-type"), "application/json");
  return reply.json();
}

TEST(ServeApi, FitIsTheDocumentOfTheCommandLine) {
  const std::string csv = RandomCsv(40, 2, 7);
  const json expected =
      FromCli({"fit", "-", "--kernel", "SE + LIN", "--holdout", "0.25", "--seed", "3", "--explain"}, csv);
  const json by_json = Answer(Shared().Post(
      "/v1/fit", {{"csv", csv}, {"kernel", "SE + LIN"}, {"holdout", 0.25}, {"seed", 3}, {"explain", true}}));
  EXPECT_EQ(Comparable(by_json), expected);
  const json by_csv = Answer(Shared().PostCsv("/v1/fit?kernel=SE+%2B+LIN&holdout=0.25&seed=3&explain=true", csv));
  EXPECT_EQ(Comparable(by_csv), expected);
  EXPECT_EQ(by_json["model"].get<std::string>().size(), 32u);
}

TEST(ServeApi, ColumnsAreTheTableTheyStandFor) {
  const json columns = {{"columns", {{"a", {1.5, 2, 3.25, 4, 5.125}}, {"y", {0.1, 0.30000000000000004, 2, 1e-7, 1}}}}};
  json request = columns;
  request["target"] = "y";
  const json by_columns = Answer(Shared().Post("/v1/fit", request));
  const json by_csv =
      Answer(Shared().PostCsv("/v1/fit", "a,y\n1.5,0.1\n2,0.30000000000000004\n3.25,2\n4,1e-07\n5.125,1\n"));
  EXPECT_EQ(Comparable(by_columns), Comparable(by_csv));
}

TEST(ServeApi, NumbersOfTheLibraryToTheLastBit) {
  const std::string csv = RandomCsv(30, 1, 5);
  const std::string rows = "x1\n0.1\n0.55\n1.7\n";
  const json fitted = Answer(Shared().Post("/v1/fit", {{"csv", csv}, {"kernel", "SE + PER"}, {"predict", rows}}));
  const Dataset data = ToDataset(ParseTable(csv, "csv"));
  const Model model = instantgp::Fit(data, "SE + PER");
  Matrix X(3, 1);
  X << 0.1, 0.55, 1.7;
  const Prediction expected = model.Predict(X);
  EXPECT_EQ(fitted["nlml_per_point"].get<double>(), model.summary().nlml);
  const json predicted = Answer(Shared().Post("/v1/predict", {{"model", fitted["model"]}, {"csv", rows}}));
  for (Index i = 0; i < 3; ++i) {
    EXPECT_EQ(predicted["mean"][i].get<double>(), expected.mean[i]);
    EXPECT_EQ(predicted["std"][i].get<double>(), expected.std[i]);
    EXPECT_EQ(fitted["predictions"]["mean"][i].get<double>(), expected.mean[i]);
  }
}

TEST(ServeApi, EveryCommandIsTheDocumentOfTheCommandLine) {
  const std::string csv = RandomCsv(35, 1, 11);
  EXPECT_EQ(Comparable(Answer(Shared().Post("/v1/ensemble", {{"csv", csv}, {"kernels", {"SE", "LIN", "SE + LIN"}}}))),
            [&] {
              const TemporaryFolder folder;
              const std::string kernels = folder.Write("k.txt", "SE\nLIN\nSE + LIN\n");
              return FromCli({"ensemble", "-", "--kernels", kernels}, csv);
            }());
  EXPECT_EQ(Comparable(Answer(Shared().Post("/v1/search", {{"csv", csv}, {"depth", 1}, {"refine_top", 2}}))),
            FromCli({"search", "-", "--depth", "1", "--refine-top", "2"}, csv));
  const std::string series = "t,y\n1,3\n2,5\n3,4\n4,6\n5,8\n6,7\n7,9\n8,11\n9,10\n10,12\n";
  const json forecast = Answer(Shared().Post("/v1/forecast", {{"csv", series}, {"horizon", 3}, {"level", {50, 90}}}));
  EXPECT_EQ(Comparable(forecast), FromCli({"forecast", "-", "--horizon", "3", "--level", "50,90"}, series));
  EXPECT_EQ(Comparable(Answer(Shared().PostCsv("/v1/forecast?horizon=3&level=50,90", series))), Comparable(forecast));
}

TEST(ServeApi, ModelsCanBeDownloadedUpdatedUploadedAndRemoved) {
  const RunningServer& server = Shared();
  const TemporaryFolder folder;
  const std::string csv = RandomCsv(25, 1, 2), rows = "x1\n0.3\n0.9\n", more = "x1,y\n0.31,0.3\n0.72,0.7\n";
  const Reply fit = server.PostCsv("/v1/fit?kernel=SE", csv);
  const std::string id = fit.json()["model"];
  EXPECT_EQ(fit.headers.at("location"), "/v1/models/" + id);
  const Reply file = server.Ask("GET", "/v1/models/" + id);
  ASSERT_EQ(file.status, 200);
  EXPECT_EQ(file.headers.at("content-type"), "application/octet-stream");
  const std::string path = folder.Write("m.gp", file.body);
  const json here = Answer(server.Post("/v1/predict", {{"model", id}, {"csv", rows}, {"samples", 2}, {"seed", 4}}));
  const json there = FromCli({"predict", path, "-", "--samples", "2", "--seed", "4"}, rows);
  EXPECT_EQ(Comparable(here), there);

  const json updated = Answer(server.Post("/v1/update", {{"model", id}, {"csv", more}}));
  EXPECT_EQ(updated["n"], 27);
  EXPECT_NE(updated["model"], id);
  EXPECT_EQ(Comparable(updated), FromCli({"update", path, "-"}, more));

  const Reply uploaded = server.Ask("POST", "/v1/models", file.body, {{"Content-Type", "application/octet-stream"}});
  ASSERT_EQ(uploaded.status, 201) << uploaded.body;
  const json again = Answer(server.Post("/v1/predict", {{"model", uploaded.json()["model"]}, {"csv", rows}}));
  EXPECT_EQ(again["mean"], here["mean"]);
  std::string broken = file.body;
  broken[broken.size() / 2] ^= 1;
  EXPECT_EQ(server.Ask("POST", "/v1/models", broken).status, 422);

  EXPECT_EQ(server.Ask("DELETE", "/v1/models/" + id).status, 204);
  EXPECT_EQ(server.Ask("GET", "/v1/models/" + id).status, 404);
  EXPECT_EQ(server.Post("/v1/predict", {{"model", id}, {"csv", rows}}).status, 404);
}

TEST(ServeApi, ModelsAreKeptForAWhileAndNotMoreThanSoMany) {
  const RunningServer server({"--models", "2", "--model-seconds", "1"});
  const std::string csv = RandomCsv(10, 1);
  const auto fit = [&] { return server.PostCsv("/v1/fit", csv).json()["model"].get<std::string>(); };
  const std::string first = fit(), second = fit();
  EXPECT_EQ(server.Ask("GET", "/v1/models/" + first).status, 200);
  const std::string third = fit();  // the second was not used for longest
  EXPECT_EQ(server.Ask("GET", "/v1/models/" + second).status, 404);
  EXPECT_EQ(server.Ask("GET", "/v1/models/" + first).status, 200);
  EXPECT_EQ(server.Metric("instantgp_models "), 2);
  ::usleep(1200 * 1000);
  EXPECT_EQ(server.Ask("GET", "/v1/models/" + third).status, 404);
  EXPECT_EQ(server.Post("/v1/fit", {{"csv", csv}, {"keep", false}}).json().contains("model"), false);
}

TEST(ServeApi, ASearchStreamsItsProgress) {
  Client client(Shared().port());
  const json request = {{"csv", RandomCsv(40, 1, 3)}, {"stream", true}, {"depth", 2}};
  client.Send(
      RequestText(Shared().host(), "POST", "/v1/search", request.dump(), {{"Content-Type", "application/json"}}));
  const Reply reply = client.Read();
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.headers.at("content-type"), "application/x-ndjson");
  std::vector<json> lines;
  for (std::size_t begin = 0; begin < reply.body.size();) {
    const std::size_t end = reply.body.find('\n', begin);
    lines.push_back(json::parse(reply.body.substr(begin, end - begin)));
    begin = end + 1;
  }
  ASSERT_GE(lines.size(), 2u);
  EXPECT_GT(lines.front()["progress"]["evaluated"].get<int>(), 0);
  EXPECT_EQ(lines.back()["result"]["schema"], "instantgp/search/1");
  // The connection is good for another request.
  client.Send(RequestText(Shared().host(), "GET", "/healthz"));
  EXPECT_EQ(client.Read().status, 200);
}

TEST(ServeApi, DiagnosticsEffectsAndPlotsForThePage) {
  const json document = Answer(Shared().Post("/v1/fit", {{"example", true},
                                                         {"kernel", "LIN + SE*PER"},
                                                         {"holdout", 0.2},
                                                         {"diagnostics", true},
                                                         {"effects", true},
                                                         {"plot", true},
                                                         {"explain_plot", true}}));
  EXPECT_EQ(document["diagnostics"]["training"]["observed"].size(), document["n"].get<std::size_t>());
  EXPECT_EQ(document["diagnostics"]["holdout"]["mean"].size(), document["holdout"]["n"].get<std::size_t>());
  EXPECT_EQ(document["effects"].size(), 1u);
  EXPECT_EQ(document["plot"].get<std::string>().rfind("<svg", 0), 0u);
  EXPECT_EQ(document["explain_plot"].get<std::string>().rfind("<svg", 0), 0u);
  const json table =
      Answer(Shared().PostCsv("/v1/table", "day,city,y\n2024-01-01,Rome,1\n2024-01-02,Rome,\n2024-01-03,Bonn,3\n"));
  EXPECT_EQ(table["rows"], 3);
  EXPECT_EQ(table["columns"][0]["kind"], "date");
  EXPECT_EQ(table["columns"][1]["kind"], "category");
  EXPECT_EQ(table["columns"][2]["missing"], 1);
}

}  // namespace
}  // namespace instantgp::testing
