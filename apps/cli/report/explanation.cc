#include "apps/cli/report/explanation.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "apps/cli/report/date_axis.h"
#include "apps/cli/terminal/terminal.h"
#include "instantgp/base/diagnosis.h"
#include "instantgp/gp/predictive.h"
#include "instantgp/plot/figure.h"
#include "instantgp/plot/svg.h"

namespace instantgp::cli {
namespace {

constexpr int kMostPanels = 8;
constexpr int kMostBars = 8;
constexpr int kComponentPoints = 600;

std::string ShareText(double share) { return plot::WithMinusSign(plot::FixedNumber(100 * share, 1)) + "%"; }

std::string Shortened(const std::string& text, std::size_t longest) {
  return text.size() <= longest ? text : text.substr(0, longest) + "...";
}

// Products over several columns are long and begin alike: the number in the printed table has to do.
std::string BarLabel(const Component& component, std::size_t number) {
  return component.text_short.size() <= 20 ? component.text_short : "no. " + std::to_string(number);
}

void DrawShares(plot::Axes& axes, const Model& model, const Explanation& explanation) {
  std::vector<std::string> names;
  std::vector<double> shares;
  double rest = explanation.left_out_share;
  for (const Component& component : explanation.components) {
    if (static_cast<int>(names.size()) < kMostBars) {
      names.push_back(BarLabel(component, names.size() + 1));
      shares.push_back(100 * component.share);
    } else {
      rest += component.share;
    }
  }
  if (rest != 0) {
    names.push_back("others");
    shares.push_back(100 * rest);
  }
  names.push_back("residual");
  shares.push_back(100 * explanation.residual_share);
  const Index count = static_cast<Index>(shares.size());
  const Vector height = Eigen::Map<const Vector>(shares.data(), count);
  const Vector x = Vector::LinSpaced(count, 0, static_cast<double>(count - 1));
  axes.Title("Shares of the variance of " + Transformed(explanation.transform, model.target_name()))
      .YLabel("percent")
      .XCategories(names)
      .IncludeY(0);
  axes.Bars(x.head(count - 1), height.head(count - 1), 0.6, {plot::PaletteColor(0), 0.75});
  axes.Bars(x.tail(1), height.tail(1), 0.6, {plot::kMuted, 0.75});
}

void DrawComponent(plot::Axes& axes, const Model& model, const Component& component, const Dataset& train) {
  const int column = component.columns[0];
  const double low = train.X.col(column).minCoeff(), high = train.X.col(column).maxCoeff();
  const Vector grid = low < high ? Vector::LinSpaced(kComponentPoints, low, high)
                                 : Vector::LinSpaced(kComponentPoints, low - 1, low + 1);
  Matrix X = Matrix::Zero(grid.size(), model.columns());  // a component does not see the other columns
  X.col(column) = grid;
  const Prediction on_grid = PredictComponent(model, component, X);
  const Prediction on_rows = PredictComponent(model, component, train.X);
  const Vector fitted = model.predictive().Mean(model.predictive().X());
  const TargetTransform& transform = model.transform();
  const Vector seen = train.y.unaryExpr([&](double y) { return transform.Forward(y); });
  const Vector partial = seen - model.scaler().UnscaleMean(fitted) + on_rows.mean;
  axes.Title(Shortened(component.text_short, 44) + ": " + ShareText(component.share));
  LabelX(axes, model.recipe(), model.column_names(), column, grid[0], grid[grid.size() - 1], 7);
  axes.HorizontalLine(0);
  axes.Band(grid, on_grid.Lower(0.95), on_grid.Upper(0.95), {plot::PaletteColor(0), 0.2}, "95%");
  const double size = train.rows() > 1000 ? 2 : train.rows() > 300 ? 2.6 : 3.4;
  axes.Scatter(train.X.col(column), partial, {plot::kMuted, plot::Marker::kDot, size}, "data minus the others");
  axes.Line(grid, on_grid.mean, {plot::PaletteColor(0), 1.7}, "mean");
}

}  // namespace

void AddExplainOptions(CLI::App& command, ExplainOptions& options) {
  command.add_flag("--explain", options.print, "Show what each addend of the kernel contributes");
  command.add_option("--explain-plot", options.plot, "Draw each addend in a panel of its own (SVG)")->type_name("FILE");
}

std::string ExplanationText(const Explanation& explanation, const std::string& target_name) {
  const std::string target = Transformed(explanation.transform, target_name);
  std::vector<std::vector<std::string>> rows = {{"no.", "share", "std (" + OneLine(target) + ")", "component"}};
  for (const Component& component : explanation.components) {
    rows.push_back({std::to_string(rows.size()), plot::FixedNumber(100 * component.share, 1) + "%",
                    Short(component.std), component.text});
  }
  if (explanation.left_out > 0) {
    rows.push_back({"", plot::FixedNumber(100 * explanation.left_out_share, 1) + "%", "",
                    Count(explanation.left_out, "other component")});
  }
  rows.push_back({"", plot::FixedNumber(100 * explanation.residual_share, 1) + "%", "", "residual (noise)"});
  std::string text =
      Heading("Components (shares of the variance of " + OneLine(target) + ")") + "\n" + FormatTable(rows, 4);
  if (explanation.transform == TransformKind::kLog) {
    text += "  (added up under the logarithm: each is a factor of " + OneLine(target_name) + ")\n";
  }
  return text;
}

Json ExplanationJson(const Explanation& explanation) {
  Json list = Json::array();
  for (const Component& component : explanation.components) {
    Json columns = Json::array();
    for (const int column : component.columns) columns.push_back(column + 1);
    list.push_back({{"kernel", component.text},
                    {"dimensions", columns},
                    {"share", component.share},
                    {"std_original_units", component.std}});
  }
  return {{"transform", Name(explanation.transform)},
          {"components", list},
          {"residual_share", explanation.residual_share},
          {"left_out", explanation.left_out},
          {"left_out_share", explanation.left_out_share}};
}

std::string DecompositionPlot(const Model& model, const Explanation& explanation, const Dataset& train) {
  std::vector<const Component*> drawn;
  for (const Component& component : explanation.components) {
    if (component.columns.size() == 1 && static_cast<int>(drawn.size()) < kMostPanels) drawn.push_back(&component);
  }
  const int panels = static_cast<int>(drawn.size()) + 1, columns = panels <= 1 ? 1 : panels <= 4 ? 2 : 3;
  plot::Figure figure((panels + columns - 1) / columns, columns, {360, 200});
  figure.SetTitle(Shortened(model.KernelShortText(), static_cast<std::size_t>(50 * columns)));
  DrawShares(figure.At(0, 0), model, explanation);
  for (int k = 1; k < panels; ++k) {
    plot::Axes& axes = figure.At(k / columns, k % columns);
    DrawComponent(axes, model, *drawn[static_cast<std::size_t>(k - 1)], train);
    if (k % columns == 0 || k == 1) axes.YLabel(Transformed(explanation.transform, model.target_name()));
  }
  return figure.ToSvg();
}

}  // namespace instantgp::cli
