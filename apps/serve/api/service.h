// The addresses of the service and who answers them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "apps/serve/api/metrics.h"
#include "apps/serve/api/model_store.h"
#include "apps/serve/http/handler.h"
#include "apps/serve/options.h"

namespace instantgp::serve {

class Service : public Handler {
 public:
  explicit Service(const ServeOptions& options);

  Route Find(std::string_view method, std::string_view path) const override;
  Response Answer(const Request& request) override;
  std::unique_ptr<LiveSession> OpenLive() override;
  void Count(std::string_view route, int status, double seconds) override;

  // What the server knows of itself: connections and requests under way.
  void SetGauges(std::function<std::pair<int, int>()> gauges) { gauges_ = std::move(gauges); }

 private:
  Response Answered(const Request& request);
  Response Download(const Request& request);
  Response MetricsText() const;

  const ServeOptions options_;
  const int threads_;
  ModelStore models_;
  Metrics metrics_;
  std::function<std::pair<int, int>()> gauges_;
};

}  // namespace instantgp::serve
