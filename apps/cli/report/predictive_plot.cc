#include "apps/cli/report/predictive_plot.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "apps/cli/report/date_axis.h"
#include "instantgp/model/spoken_columns.h"
#include "instantgp/plot/figure.h"

namespace instantgp::cli {
namespace {

using plot::Axes;
using plot::Figure;
using plot::FillStyle;
using plot::LineStyle;
using plot::Marker;
using plot::MarkerStyle;
using plot::PaletteColor;

constexpr int kGridPoints = 400;
constexpr int kMostColumnPanels = 8;  // with observed against predicted a 3 by 3 grid

MarkerStyle DataMarks(Index n) { return {plot::kInk, Marker::kDot, n > 1000 ? 2.5 : n > 300 ? 3.5 : 4.5}; }
MarkerStyle HeldOutMarks(Index n) { return {PaletteColor(1), Marker::kDiamond, n > 300 ? 4.5 : 6.5}; }

// The kernel as a title: long ones are cut, at the start of a character.
std::string KernelTitle(const Model& model) {
  constexpr std::size_t kLongest = 80;
  std::string text = model.KernelShortText();
  if (text.size() <= kLongest) return text;
  std::size_t end = kLongest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + " ...";
}

// What is drawn along a line of points.
struct Curves {
  Vector mean, lower95, upper95, lower50, upper50;  // the median in place of the mean where the target is transformed
  Matrix member_means;                              // a column per member worth a line; none for a single model
};

// A model or an ensemble, as the figure sees it.
struct Drawn {
  std::string title;
  std::vector<std::string> column_names;
  const Recipe* recipe;  // may be null
  std::string target_name;
  std::string curve;  // what its line is
  std::function<Curves(const Matrix& X)> predict;
  std::function<Vector()> loo_mean;
};

Drawn DrawnOf(const Model& model) {
  return {KernelTitle(model),
          model.column_names(),
          model.recipe(),
          model.target_name(),
          model.transform().none() ? "mean" : "median",
          [&model](const Matrix& X) {
            const Prediction p = model.Predict(X);
            return Curves{p.Median(), p.Lower(0.95), p.Upper(0.95), p.Lower(0.5), p.Upper(0.5), {}};
          },
          [&model] { return model.Loo().mean; }};
}

Drawn DrawnOf(const Ensemble& ensemble) {
  // Members without weight say nothing about the mixture.
  constexpr double kWorthALine = 1e-3;
  std::vector<Index> shown;
  for (std::size_t k = 0; k < ensemble.members().size(); ++k) {
    if (ensemble.members()[k].weight >= kWorthALine) shown.push_back(static_cast<Index>(k));
  }
  std::string title = "Ensemble of " + std::to_string(ensemble.members().size()) + " kernels, " +
                      std::string(Name(ensemble.summary().weighting)) + " weights";
  if (ensemble.summary().weighting != Weighting::kUniform) {
    title += "; heaviest " + KernelTitle(ensemble.members().front().model);
  }
  return {title,
          ensemble.column_names(),
          ensemble.recipe(),
          ensemble.target_name(),
          "mean",
          [&ensemble, shown](const Matrix& X) {
            const Mixture p = ensemble.Predict(X);
            return Curves{p.Mean(),         p.Quantile(0.025), p.Quantile(0.975),
                          p.Quantile(0.25), p.Quantile(0.75),  p.means()(Eigen::all, shown)};
          },
          [&ensemble] { return ensemble.LooMean(); }};
}

// `points` values from below the smallest to above the largest, without overflow.
Vector GridOver(double low, double high, double margin, int points) {
  if (low == high) {
    const double room = low == 0 ? 1 : std::abs(low) * 0.5;
    low -= room;
    high += room;
  }
  Vector grid(points);
  for (int i = 0; i < points; ++i) {
    const double t = -margin + (1 + 2 * margin) * i / (points - 1);
    grid[i] = std::clamp((1 - t) * low + t * high, -1e307, 1e307);
  }
  return grid;
}

double Median(Vector values) {
  const Index middle = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + middle, values.end());
  return values[middle];
}

void DrawPrediction(Axes& axes, const Vector& x, const Curves& curves, const std::string& name, bool legend) {
  const std::string color = PaletteColor(0);
  axes.Band(x, curves.lower95, curves.upper95, FillStyle{color, 0.16}, legend ? "95%" : "");
  axes.Band(x, curves.lower50, curves.upper50, FillStyle{color, 0.28}, legend ? "50%" : "");
  for (Index k = 0; k < curves.member_means.cols(); ++k) {
    axes.Line(x, curves.member_means.col(k), LineStyle{PaletteColor(2), 0.7}, legend && k == 0 ? "members" : "");
  }
  axes.Line(x, curves.mean, LineStyle{color, curves.member_means.cols() > 0 ? 2.4 : 1.7}, legend ? name : "");
}

std::string OneInput(const Drawn& drawn, const Dataset& train, const Dataset* held_out) {
  double low = train.X.minCoeff(), high = train.X.maxCoeff();
  if (held_out) {
    low = std::min(low, held_out->X.minCoeff());
    high = std::max(high, held_out->X.maxCoeff());
  }
  // Enough points for the fastest wave a period can make, in bounds.
  const int points = std::clamp(4 * train.rows(), kGridPoints, 1600);
  const Vector grid = GridOver(low, high, 0.04, points);
  Figure figure(1, 1, {600, 320});
  Axes& axes = figure.At(0, 0);
  axes.Title(drawn.title).YLabel(drawn.target_name);
  axes.XLimits(grid[0], grid[grid.size() - 1]);
  LabelX(axes, drawn.recipe, drawn.column_names, 0, grid[0], grid[grid.size() - 1], 12);
  DrawPrediction(axes, grid, drawn.predict(grid), drawn.curve, true);
  axes.Scatter(train.X.col(0), train.y, DataMarks(train.rows()), "data");
  if (held_out) axes.Scatter(held_out->X.col(0), held_out->y, HeldOutMarks(held_out->rows()), "held out");
  return figure.ToSvg();
}

// The prediction along one column with the other columns at their medians.
struct Slice {
  int column = 0;
  Vector grid;
  Curves curves;
  double effect = 0;  // how far the mean moves
  std::string name = {};
  std::vector<std::string> levels = {};  // of a category, one point each
};

void SetEffect(Slice& slice) { slice.effect = slice.curves.mean.maxCoeff() / 2 - slice.curves.mean.minCoeff() / 2; }

Slice SliceAlong(const Drawn& drawn, const Dataset& train, const Vector& medians, int column) {
  Slice slice;
  slice.column = column;
  slice.grid = GridOver(train.X.col(column).minCoeff(), train.X.col(column).maxCoeff(), 0, 120);
  Matrix X = medians.transpose().replicate(slice.grid.size(), 1);
  X.col(column) = slice.grid;
  slice.curves = drawn.predict(X);
  SetEffect(slice);
  return slice;
}

// The levels of a category beside each other, or a gap beside none; `first` of `count` inputs.
Slice SliceOverLevels(const Drawn& drawn, const Vector& medians, int first, int count) {
  const ColumnRecipe& column = *ColumnOfInput(drawn.recipe, first);
  Slice slice;
  slice.column = first;
  const bool gap = column.kind != ColumnKind::kCategory;
  const int points = gap ? 2 : count;
  slice.grid = Vector::LinSpaced(points, 0, points - 1);
  slice.name = gap ? drawn.column_names[static_cast<std::size_t>(first)] : column.name;
  Matrix X = medians.transpose().replicate(points, 1);
  X.middleCols(first, count).setZero();
  for (int k = 0; k < points; ++k) {
    if (!gap) X(k, first + k) = 1;
    const std::string& name = drawn.column_names.at(first + (gap ? 0 : k));
    slice.levels.push_back(gap ? (k == 0 ? "no" : "yes") : name.substr(column.name.size() + 1));
  }
  if (gap) X(1, first) = 1;
  slice.curves = drawn.predict(X);
  SetEffect(slice);
  return slice;
}

// One slice for each column of numbers or dates, each category and each mark of gaps.
std::vector<Slice> AllSlices(const Drawn& drawn, const Dataset& train, Vector medians) {
  // The others are at their most frequent level: medians of levels may all be 0.
  std::vector<std::pair<int, int>> categories;
  for (int k = 0; k < train.columns();) {
    int count = 1;
    const ColumnRecipe* const column = ColumnOfInput(drawn.recipe, k);
    if (column != nullptr && column->kind == ColumnKind::kCategory) {
      count = column->inputs() - (column->indicator ? 1 : 0);
      Index most = 0;
      train.X.middleCols(k, count).colwise().sum().maxCoeff(&most);
      medians.segment(k, count).setZero();
      medians[k + most] = 1;
    }
    categories.emplace_back(k, count);
    k += count;
    if (column != nullptr && column->indicator && column->kind == ColumnKind::kCategory)
      categories.emplace_back(k++, 1);
  }
  std::vector<Slice> slices;
  slices.reserve(categories.size());
  for (const auto& [first, count] : categories) {
    slices.push_back(IsLevel(drawn.recipe, first) ? SliceOverLevels(drawn, medians, first, count)
                                                  : SliceAlong(drawn, train, medians, first));
  }
  return slices;
}

void DrawObservedAgainstPredicted(Axes& axes, const Drawn& drawn, const Dataset& train, const Dataset* held_out) {
  axes.XLabel("predicted " + drawn.target_name).YLabel("observed " + drawn.target_name).DiagonalLine();
  axes.Scatter(drawn.loo_mean(), train.y, DataMarks(train.rows()), "leave-one-out");
  if (held_out) {
    axes.Scatter(drawn.predict(held_out->X).mean, held_out->y, HeldOutMarks(held_out->rows()), "held out");
  }
}

std::string SeveralInputs(const Drawn& drawn, const Dataset& train, const Dataset* held_out) {
  Vector medians(train.columns());
  for (int k = 0; k < train.columns(); ++k) medians[k] = Median(train.X.col(k));
  std::vector<Slice> slices = AllSlices(drawn, train, medians);
  const bool some = static_cast<int>(slices.size()) > kMostColumnPanels;
  if (some) {
    std::stable_sort(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) { return a.effect > b.effect; });
    slices.resize(kMostColumnPanels);
    std::sort(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) { return a.column < b.column; });
  }
  const int panels = static_cast<int>(slices.size()) + 1;
  const int columns = panels <= 3 ? panels : panels == 4 ? 2 : panels <= 6 || panels == 9 ? 3 : 4;
  Figure figure((panels + columns - 1) / columns, columns, {230, 180});
  figure.SetTitle(drawn.title + " (" +
                  (some ? std::to_string(slices.size()) + " most influential columns" : "each column") +
                  ", the others at their medians" + (drawn.recipe != nullptr ? " or most frequent levels)" : ")"));
  // One y axis for all slices, so that their effects can be compared.
  plot::RangeCollector range(plot::Scale::kLinear);
  for (const Slice& slice : slices) {
    for (double value : slice.curves.lower95) range.Add(value);
    for (double value : slice.curves.upper95) range.Add(value);
  }
  const plot::Limits limits = range.Padded(0.04);
  for (int i = 0; i < panels; ++i) {
    Axes& axes = figure.At(i / columns, i % columns);
    if (i + 1 == panels) {
      DrawObservedAgainstPredicted(axes, drawn, train, held_out);
      continue;
    }
    const Slice& slice = slices[static_cast<std::size_t>(i)];
    axes.YLimits(limits.lower, limits.upper);
    if (i % columns == 0) axes.YLabel(drawn.target_name);
    if (slice.levels.empty()) {
      const double low = slice.grid[0], high = slice.grid[slice.grid.size() - 1];
      axes.XLimits(low, high);
      LabelX(axes, drawn.recipe, drawn.column_names, slice.column, low, high, 5);
      DrawPrediction(axes, slice.grid, slice.curves, drawn.curve, i == 0);
    } else {
      axes.XLabel(slice.name).XCategories(slice.levels);
      axes.ErrorBars(slice.grid, slice.curves.lower95, slice.curves.upper95, LineStyle{PaletteColor(0), 1.2});
      axes.Scatter(slice.grid, slice.curves.mean, MarkerStyle{PaletteColor(0), Marker::kDot, 5});
    }
  }
  return figure.ToSvg();
}

}  // namespace

std::string PredictivePlot(const Model& model, const Dataset& train, const Dataset* held_out) {
  return model.columns() == 1 ? OneInput(DrawnOf(model), train, held_out)
                              : SeveralInputs(DrawnOf(model), train, held_out);
}

std::string PredictivePlot(const Ensemble& ensemble, const Dataset& train, const Dataset* held_out) {
  return ensemble.columns() == 1 ? OneInput(DrawnOf(ensemble), train, held_out)
                                 : SeveralInputs(DrawnOf(ensemble), train, held_out);
}

}  // namespace instantgp::cli
