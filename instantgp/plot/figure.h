// A grid of panels written as one SVG file.
//
//   plot::Figure figure(1, 1);
//   figure.At(0, 0).XLabel("month").Line(x, mean, {}, "mean").Scatter(X, y, {}, "data");
//   WriteFileAtomically("fit.svg", figure.ToSvg());
#pragma once

#include <string>
#include <vector>

#include "instantgp/plot/axes.h"

namespace instantgp::plot {

struct PanelSize {  // of the plotting area, in pixels; margins come on top
  double width = 460;
  double height = 260;
};

class Figure {
 public:
  Figure(int rows, int columns, PanelSize panel = {});

  // Panels nobody touches stay blank.
  Axes& At(int row, int column);
  void SetTitle(std::string text) { title_ = std::move(text); }

  // Well-formed SVG 1.1 with a viewBox; white background; the same bytes for the same calls.
  std::string ToSvg() const;

 private:
  int rows_;
  int columns_;
  PanelSize panel_;
  std::string title_;
  std::vector<Axes> axes_;     // row-major
  std::vector<bool> touched_;  // row-major
};

}  // namespace instantgp::plot
