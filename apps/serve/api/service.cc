#include "apps/serve/api/service.h"

#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <utility>

#include "apps/cli/options/common.h"
#include "apps/serve/api/endpoints.h"
#include "apps/serve/http/problem.h"
#include "apps/serve/live/live.h"
#include "apps/serve/page/assets.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/base/version.h"

namespace instantgp::serve {
namespace {

struct Endpoint {
  std::string_view path;
  Json (*answer)(Call&);
};

constexpr std::array kEndpoints = {
    Endpoint{"/v1/fit", Fit},
    Endpoint{"/v1/predict", Predict},
    Endpoint{"/v1/ensemble", EnsembleOf},
    Endpoint{"/v1/search", Search},
    Endpoint{"/v1/forecast", ForecastTable},
    Endpoint{"/v1/update", UpdateModel},
    Endpoint{"/v1/table", DescribeTable},
};

constexpr std::string_view kModels = "/v1/models";
constexpr std::string_view kModelPrefix = "/v1/models/";

// Bytes this process has in memory.
double ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  double total = 0, resident = 0;
  file >> total >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

Service::Service(const ServeOptions& options)
    : options_(options), threads_(ResolveThreads(options.threads)), models_(options.limits) {}

Route Service::Find(std::string_view method, std::string_view path) const {
  const auto only = [&](std::string_view allowed, Route route) {
    route.methods = allowed;
    const std::string list = ", " + std::string(allowed) + ",", wanted = ", " + std::string(method) + ",";
    if (list.find(wanted) == std::string::npos) route.kind = RouteKind::kWrongMethod;
    return route;
  };
  if (path == "/healthz") return only("GET", {RouteKind::kAtOnce, "/healthz", "", true});
  if (path == "/metrics") return only("GET", {RouteKind::kAtOnce, "/metrics"});
  if (path == "/v1/live") return only("GET", {RouteKind::kLive, "/v1/live"});
  for (const Endpoint& endpoint : kEndpoints) {
    if (path == endpoint.path) return only("POST", {RouteKind::kWork, endpoint.path});
  }
  if (path == kModels) return only("POST", {RouteKind::kWork, kModels});
  if (path.starts_with(kModelPrefix)) return only("GET, DELETE", {RouteKind::kWork, "/v1/models/ID"});
  if (FindAsset(path) != nullptr) return only("GET", {RouteKind::kAtOnce, "page", "", true});
  return {};
}

Response Service::Answer(const Request& request) {
  try {
    return Answered(request);
  } catch (const std::exception& error) {
    return ProblemOf(error);
  }
}

Response Service::Answered(const Request& request) {
  if (request.path == "/healthz") {
    return {200, "application/json", Json({{"status", "ok"}, {"version", kVersion}}).dump() + "\n"};
  }
  if (request.path == "/metrics") return MetricsText();
  if (const Asset* asset = FindAsset(request.path)) return AssetResponse(*asset, request);
  if (request.path.starts_with(kModelPrefix)) return Download(request);
  Json (*answer)(Call&) = nullptr;
  for (const Endpoint& endpoint : kEndpoints) {
    if (request.path == endpoint.path) answer = endpoint.answer;
  }
  Call call{request, options_.limits, models_, threads_};
  const bool upload = answer == nullptr;
  if (!upload) call.fields = Fields::Of(request);
  try {
    Json document = upload ? UploadModel(call) : answer(call);
    const auto model = document.find("model");
    const bool kept = model != document.end() && model->is_string() && request.path != "/v1/predict";
    Response response;
    if (kept) response.headers.emplace_back("Location", std::string(kModelPrefix) + model->get<std::string>());
    if (upload) response.status = 201;
    if (call.streamed) {
      const std::string text = cli::JsonText(std::move(document));
      response.body = Json({{"result", Json::parse(text)}}).dump() + "\n";
    } else {
      response.body = cli::JsonText(std::move(document));
    }
    return response;
  } catch (const std::exception& error) {
    if (!call.streamed) throw;
    Response response = ProblemOf(error);
    response.body = Json({{"problem", ProblemJson(error)}}).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
    return response;
  }
}

Response Service::Download(const Request& request) {
  const std::string id = request.path.substr(kModelPrefix.size());
  if (request.method == "DELETE") {
    if (!models_.Remove(id)) FindModel(models_, id);
    return {204, ""};
  }
  const std::shared_ptr<const cli::Fitted> fitted = FindModel(models_, id);
  Response response{200, "application/octet-stream", cli::Serialize(*fitted)};
  const bool ensemble = std::holds_alternative<Ensemble>(*fitted);
  response.headers.emplace_back("Content-Disposition",
                                ensemble ? "attachment; filename=\"model.ens\"" : "attachment; filename=\"model.gp\"");
  return response;
}

Response Service::MetricsText() const {
  std::string text = metrics_.Text();
  const auto gauge = [&](const char* name, const char* help, double value) {
    char line[320];
    std::snprintf(line, sizeof line, "# HELP %s %s\n# TYPE %s gauge\n%s %.10g\n", name, help, name, name, value);
    text += line;
  };
  const auto [connections, busy] = gauges_ ? gauges_() : std::pair(0, 0);
  gauge("instantgp_connections", "Open connections.", connections);
  gauge("instantgp_requests_busy", "Requests being worked on or waiting.", busy);
  gauge("instantgp_models", "Models kept in memory.", static_cast<double>(models_.size()));
  gauge("instantgp_model_bytes", "Memory of the models kept, about.", models_.bytes());
  gauge("process_resident_memory_bytes", "Memory of the process.", ResidentBytes());
  return {200, "text/plain; version=0.0.4", text};
}

std::unique_ptr<LiveSession> Service::OpenLive() { return MakeLiveSession(options_.limits, threads_); }

void Service::Count(std::string_view route, int status, double seconds) { metrics_.Count(route, status, seconds); }

}  // namespace instantgp::serve
