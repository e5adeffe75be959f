#include "apps/serve/live/drawing.h"

#include <cmath>

#include "apps/serve/api/endpoints.h"
#include "apps/serve/api/fields.h"
#include "instantgp/base/error.h"

namespace instantgp::serve {
namespace {

Dataset PointsOf(const Json* points, const char* name, const Limits& limits) {
  Dataset data;
  data.column_names = {"x"};
  data.target_name = "y";
  if (points == nullptr) return data;
  if (!points->is_array()) throw HttpError(400, std::string(name) + " takes a list of points [x, y]");
  if (points->size() > limits.live_points) {
    throw Error(ErrorCode::kLimit,
                std::to_string(points->size()) + " points; the drawing takes " + std::to_string(limits.live_points));
  }
  data.X.resize(static_cast<Index>(points->size()), 1);
  data.y.resize(static_cast<Index>(points->size()));
  for (Index i = 0; i < data.y.size(); ++i) {
    const Json& point = (*points)[static_cast<std::size_t>(i)];
    if (!point.is_array() || point.size() != 2 || !point[0].is_number() || !point[1].is_number()) {
      throw HttpError(400, std::string(name) + " takes a list of points [x, y]");
    }
    data.X(i, 0) = point[0].get<double>();
    data.y[i] = point[1].get<double>();
  }
  return data;
}

}  // namespace

Drawing ReadDrawing(std::string_view message, const Limits& limits) {
  Fields fields = Fields::FromJson(message);
  Drawing drawing;
  drawing.seq = static_cast<std::int64_t>(fields.Number("seq", 0, 9e15).value_or(0));
  Dataset points = PointsOf(fields.Raw("points"), "points", limits);
  if (points.rows() == 0) throw Error(ErrorCode::kBadInput, "there are no points yet; add some");
  drawing.data = Dataset::Of(std::move(points.X), std::move(points.y), {"x"}, "y");
  drawing.held_out = PointsOf(fields.Raw("held_out"), "held_out", limits);
  drawing.kernels = fields.Texts("kernels");
  if (drawing.kernels.size() > limits.live_kernels) {
    throw Error(ErrorCode::kLimit, std::to_string(drawing.kernels.size()) + " kernels; the drawing takes " +
                                       std::to_string(limits.live_kernels));
  }
  for (const std::string& kernel : drawing.kernels) CheckKernel(kernel, limits);
  const double low = fields.Number("low", -1e300, 1e300).value_or(drawing.data.X.minCoeff());
  const double high = fields.Number("high", -1e300, 1e300).value_or(drawing.data.X.maxCoeff());
  if (!(low <= high)) throw HttpError(400, "low must not be above high");
  drawing.grid = Vector::LinSpaced(fields.Int("grid", 2, 1000, 160), low, high);
  drawing.samples = fields.Int("samples", 0, 10, 0);
  drawing.seed = fields.Seed();
  drawing.follow = fields.Flag("follow");
  fields.CheckAllUsed();
  return drawing;
}

}  // namespace instantgp::serve
