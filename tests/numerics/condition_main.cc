// Where double precision ends: numerics_condition FIGURE.svg. Prints a row per kernel and noise variance and draws the
// errors against the condition number (docs/numerics.md).
#include <algorithm>
#include <cstdio>

#include "instantgp/base/file.h"
#include "instantgp/plot/figure.h"
#include "tests/numerics/condition.h"

namespace instantgp::testing {
namespace {

constexpr double kSmallest = 1e-17;  // what is exact to the last digit is drawn here

void Draw(plot::Axes& axes, const char* title, const std::vector<ConditionCurve>& curves, double ConditionPoint::*error,
          bool with_legend) {
  axes.Title(title).XLabel("condition number").YLabel("relative error").XScale(plot::Scale::kLog);
  axes.YScale(plot::Scale::kLog).YLimits(kSmallest, 10);
  int color = 0;
  for (const ConditionCurve& curve : curves) {
    std::vector<double> x, y, helped_x, helped_y;
    for (const ConditionPoint& point : curve.points) {
      if (point.refused) continue;
      const double shown = std::clamp(point.*error, kSmallest, 10.0);
      (point.jitter > 0 ? helped_x : x).push_back(point.condition);
      (point.jitter > 0 ? helped_y : y).push_back(shown);
    }
    const auto vector = [](const std::vector<double>& v) -> Vector {
      return Eigen::Map<const Vector>(v.data(), static_cast<Index>(v.size()));
    };
    const std::string ink = plot::PaletteColor(color++);
    axes.Line(vector(x), vector(y), {.color = ink}, curve.kernel);
    axes.Scatter(vector(helped_x), vector(helped_y), {.color = ink, .marker = plot::Marker::kRing});
  }
  const Vector from_to = (Vector(2) << 1, 1e16).finished();
  axes.Line(from_to, (1.1e-16 * from_to).eval(), {plot::kMuted, 1, true}, "condition number x 1.1e-16");
  if (!with_legend) axes.Legend(plot::LegendPlace::kNone);
}

}  // namespace
}  // namespace instantgp::testing

int main(int argc, char** argv) {
  using namespace instantgp;
  using namespace instantgp::testing;
  if (argc != 2) {
    std::fprintf(stderr, "numerics_condition FIGURE.svg\n");
    return 2;
  }
  std::vector<ConditionCurve> curves;
  for (const char* kernel : {"SE", "MAT52", "MAT12", "SE*PER", "LIN + SE"}) {
    curves.push_back(MeasureCondition(kernel, 40, 20));
    for (const ConditionPoint& p : curves.back().points) {
      std::printf(
          "%-9s noise %7.0e  condition %8.1e  jitter %7.1e  nlml %8.1e  gradient %8.1e  mean %8.1e  std %8.1e%s\n",
          kernel, p.noise, p.condition, p.jitter, p.nlml, p.gradient, p.mean, p.std, p.refused ? "  REFUSED" : "");
    }
    std::fflush(stdout);
  }
  plot::Figure figure(2, 2, {380, 230});
  Draw(figure.At(0, 0), "NLML per point", curves, &ConditionPoint::nlml, true);
  Draw(figure.At(0, 1), "gradient", curves, &ConditionPoint::gradient, false);
  Draw(figure.At(1, 0), "predicted mean", curves, &ConditionPoint::mean, false);
  Draw(figure.At(1, 1), "predicted standard deviation", curves, &ConditionPoint::std, false);
  figure.SetTitle("Double precision against 50 digits, 40 rows (rings: jitter was added)");
  WriteFileAtomically(argv[1], figure.ToSvg());
}
