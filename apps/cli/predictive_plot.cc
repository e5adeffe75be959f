#include "apps/cli/predictive_plot.h"

#include <algorithm>
#include <cmath>
#include <vector>

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

void DrawPrediction(Axes& axes, const Vector& x, const Prediction& prediction, bool legend) {
  const std::string color = PaletteColor(0);
  axes.Band(x, prediction.Lower(0.95), prediction.Upper(0.95), FillStyle{color, 0.16}, legend ? "95%" : "");
  axes.Band(x, prediction.Lower(0.5), prediction.Upper(0.5), FillStyle{color, 0.28}, legend ? "50%" : "");
  axes.Line(x, prediction.mean, LineStyle{color, 1.7}, legend ? "mean" : "");
}

std::string OneInput(const Model& model, const Dataset& train, const Dataset* held_out) {
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
  axes.Title(KernelTitle(model)).XLabel(model.column_names()[0]).YLabel(model.target_name());
  axes.XLimits(grid[0], grid[grid.size() - 1]);
  DrawPrediction(axes, grid, model.Predict(grid), true);
  axes.Scatter(train.X.col(0), train.y, DataMarks(train.rows()), "data");
  if (held_out) axes.Scatter(held_out->X.col(0), held_out->y, HeldOutMarks(held_out->rows()), "held out");
  return figure.ToSvg();
}

// The prediction along one column with the other columns at their medians.
struct Slice {
  int column = 0;
  Vector grid;
  Prediction prediction;
  double effect = 0;  // how far the mean moves
};

Slice SliceAlong(const Model& model, const Dataset& train, const Vector& medians, int column) {
  Slice slice;
  slice.column = column;
  slice.grid = GridOver(train.X.col(column).minCoeff(), train.X.col(column).maxCoeff(), 0, 120);
  Matrix X = medians.transpose().replicate(slice.grid.size(), 1);
  X.col(column) = slice.grid;
  slice.prediction = model.Predict(X);
  slice.effect = slice.prediction.mean.maxCoeff() / 2 - slice.prediction.mean.minCoeff() / 2;
  return slice;
}

void DrawObservedAgainstPredicted(Axes& axes, const Model& model, const Dataset& train, const Dataset* held_out) {
  axes.XLabel("predicted " + model.target_name()).YLabel("observed " + model.target_name()).DiagonalLine();
  axes.Scatter(model.Loo().mean, train.y, DataMarks(train.rows()), "leave-one-out");
  if (held_out) {
    axes.Scatter(model.PredictMean(held_out->X), held_out->y, HeldOutMarks(held_out->rows()), "held out");
  }
}

std::string SeveralInputs(const Model& model, const Dataset& train, const Dataset* held_out) {
  Vector medians(train.columns());
  for (int k = 0; k < train.columns(); ++k) medians[k] = Median(train.X.col(k));
  std::vector<Slice> slices;
  for (int k = 0; k < train.columns(); ++k) slices.push_back(SliceAlong(model, train, medians, k));
  const bool some = static_cast<int>(slices.size()) > kMostColumnPanels;
  if (some) {
    std::stable_sort(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) { return a.effect > b.effect; });
    slices.resize(kMostColumnPanels);
    std::sort(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) { return a.column < b.column; });
  }
  const int panels = static_cast<int>(slices.size()) + 1;
  const int columns = panels <= 3 ? panels : panels == 4 ? 2 : panels <= 6 || panels == 9 ? 3 : 4;
  Figure figure((panels + columns - 1) / columns, columns, {230, 180});
  figure.SetTitle(KernelTitle(model) + " (" +
                  (some ? std::to_string(slices.size()) + " most influential columns" : "each column") +
                  ", the others at their medians)");
  // One y axis for all slices, so that their effects can be compared.
  plot::RangeCollector range(plot::Scale::kLinear);
  for (const Slice& slice : slices) {
    for (double value : slice.prediction.Lower(0.95)) range.Add(value);
    for (double value : slice.prediction.Upper(0.95)) range.Add(value);
  }
  const plot::Limits limits = range.Padded(0.04);
  for (int i = 0; i < panels; ++i) {
    Axes& axes = figure.At(i / columns, i % columns);
    if (i + 1 == panels) {
      DrawObservedAgainstPredicted(axes, model, train, held_out);
      continue;
    }
    const Slice& slice = slices[static_cast<std::size_t>(i)];
    axes.XLabel(model.column_names()[static_cast<std::size_t>(slice.column)]).YLimits(limits.lower, limits.upper);
    axes.XLimits(slice.grid[0], slice.grid[slice.grid.size() - 1]);
    if (i % columns == 0) axes.YLabel(model.target_name());
    DrawPrediction(axes, slice.grid, slice.prediction, i == 0);
  }
  return figure.ToSvg();
}

}  // namespace

std::string PredictivePlot(const Model& model, const Dataset& train, const Dataset* held_out) {
  return model.columns() == 1 ? OneInput(model, train, held_out) : SeveralInputs(model, train, held_out);
}

}  // namespace instantgp::cli
