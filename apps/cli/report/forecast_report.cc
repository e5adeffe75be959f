#include "apps/cli/report/forecast_report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "apps/cli/terminal/terminal.h"
#include "instantgp/plot/figure.h"

namespace instantgp::cli {
namespace {

std::string Digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.10g", value);
  return text;
}

// RFC 4180.
std::string CsvText(const std::string& text) {
  if (text.find_first_of(",;\"\n\r\t") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string KeyText(const ForecastedSeries& one) {
  std::string text;
  for (const std::string& part : one.series.key) text += (text.empty() ? "" : ", ") + part;
  return text;
}

std::string SeasonText(const std::vector<double>& seasons) {
  std::string text;
  for (const double period : seasons) text += (text.empty() ? "" : ", ") + LevelText(period);
  return text.empty() ? "none" : text;
}

int Place(const ForecastedSeries& one, std::size_t step) { return static_cast<int>(one.series.values.size() + step); }

}  // namespace

std::string LevelText(double level) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", level);
  return text;
}

std::string ForecastHeader(const ForecastLayout& layout) {
  std::string line;
  for (const std::string& name : layout.by_names) line += CsvText(name) + ',';
  line += CsvText(layout.time_name) + ",mean,median,std";
  for (const double level : layout.levels) line += ",lower" + LevelText(level) + ",upper" + LevelText(level);
  return line + (layout.by_names.empty() ? "\n" : ",reason\n");
}

std::string ForecastRows(const ForecastLayout& layout, const ForecastedSeries& one) {
  std::string keys, rows;
  for (const std::string& part : one.series.key) keys += CsvText(part) + ',';
  if (!one.forecast.ok) {
    rows = keys + ",,,";
    for (std::size_t k = 0; k < layout.levels.size(); ++k) rows += ",,";
    return rows + (layout.by_names.empty() ? "\n" : "," + CsvText(one.forecast.reason) + "\n");
  }
  for (std::size_t h = 0; h < one.forecast.steps.size(); ++h) {
    const ForecastStep& step = one.forecast.steps[h];
    rows += keys + CsvText(one.series.TimeText(Place(one, h))) + ',' + Digits(step.mean) + ',' + Digits(step.median) +
            ',' + Digits(step.std);
    for (std::size_t k = 0; k < layout.levels.size(); ++k) {
      rows += ',' + Digits(step.lower[k]) + ',' + Digits(step.upper[k]);
    }
    rows += layout.by_names.empty() ? "\n" : ",\n";
  }
  return rows;
}

Json ForecastJson(const ForecastLayout& layout, const ForecastedSeries& one) {
  Json j;
  j["key"] = Json::object();
  for (std::size_t k = 0; k < layout.by_names.size(); ++k) j["key"][layout.by_names[k]] = one.series.key[k];
  j["n"] = std::count_if(one.series.values.begin(), one.series.values.end(), [](double y) { return !std::isnan(y); });
  j["step"] = one.series.step;
  j["season"] = one.seasons;
  j["transform"] = one.forecast.ok ? Json(std::string(Name(one.forecast.transform))) : Json();
  j["structures"] = Json::array();
  for (const ForecastMember& member : one.forecast.members) {
    j["structures"].push_back(
        {{"kernel", member.kernel}, {"transform", std::string(Name(member.transform))}, {"weight", member.weight}});
  }
  j["forecast"] = Json::array();
  for (std::size_t h = 0; h < one.forecast.steps.size(); ++h) {
    const ForecastStep& step = one.forecast.steps[h];
    Json row = {{layout.time_name, one.series.TimeText(Place(one, h))},
                {"mean", step.mean},
                {"median", step.median},
                {"std", step.std}};
    for (std::size_t k = 0; k < layout.levels.size(); ++k) {
      row["lower" + LevelText(layout.levels[k])] = step.lower[k];
      row["upper" + LevelText(layout.levels[k])] = step.upper[k];
    }
    j["forecast"].push_back(std::move(row));
  }
  if (one.backtest && one.backtest->steps > 0) {
    j["backtest"] = {{"mase", one.backtest->mase},
                     {"smape", one.backtest->smape},
                     {"scrps", one.backtest->scrps},
                     {"coverage95", one.backtest->coverage95},
                     {"naive_mase", one.backtest->naive_mase},
                     {"steps", one.backtest->steps}};
  }
  if (!one.forecast.components.empty()) {
    j["components"] = {{"of", std::string(Name(one.forecast.components_of))}};
    for (const ForecastComponent& component : one.forecast.components) {
      j["components"][component.name] = component.values;
    }
  }
  if (!one.forecast.anomalies.empty()) {
    j["anomalies"] = Json::array();
    for (const ForecastAnomaly& a : one.forecast.anomalies) {
      j["anomalies"].push_back({{layout.time_name, one.series.TimeText(a.index)},
                                {"value", a.value},
                                {"expected", a.expected},
                                {"lower95", a.lower95},
                                {"upper95", a.upper95},
                                {"score", a.score}});
    }
  }
  j["status"] = one.forecast.ok ? "ok" : "failed";
  j["reason"] = one.forecast.reason;
  j["notes"] = one.series.notes;
  for (const std::string& note : one.forecast.notes) j["notes"].push_back(note);
  j["ms"] = one.ms;
  return j;
}

std::string ForecastText(const ForecastLayout& layout, const ForecastedSeries& one, bool explain) {
  std::string text = Heading(layout.target_name + (one.series.key.empty() ? "" : " of " + KeyText(one))) + ": " +
                     Count(static_cast<long>(one.series.values.size()), "step") + ", " + one.series.step + ", season " +
                     SeasonText(one.seasons) + "\n";
  for (const std::string& note : one.series.notes) text += "note: " + note + "\n";
  for (const std::string& note : one.forecast.notes) text += "note: " + note + "\n";
  if (!one.forecast.ok) return text + "no forecast: " + one.forecast.reason + "\n";
  std::vector<std::vector<std::string>> rows = {{layout.time_name, "median"}};
  for (const double level : layout.levels) {
    rows[0].push_back("lower" + LevelText(level));
    rows[0].push_back("upper" + LevelText(level));
  }
  for (std::size_t h = 0; h < one.forecast.steps.size(); ++h) {
    const ForecastStep& step = one.forecast.steps[h];
    rows.push_back({one.series.TimeText(Place(one, h)), Short(step.median)});
    for (std::size_t k = 0; k < layout.levels.size(); ++k) {
      rows.back().push_back(Short(step.lower[k]));
      rows.back().push_back(Short(step.upper[k]));
    }
  }
  text += "\n" + FormatTable(rows, 1);
  if (one.backtest && one.backtest->steps > 0) {
    const ForecastScore& b = *one.backtest;
    text += "\nbacktest over " + Count(b.steps, "value") + ": MASE " + Short(b.mase) + " (seasonal naive " +
            Short(b.naive_mase) + "), sMAPE " + Short(b.smape) + ", CRPS " + Short(b.scrps) +
            " of the naive error, 95 percent intervals hold " + Short(b.coverage95) + " percent\n";
  }
  if (!one.forecast.anomalies.empty()) {
    text += "\n" + Heading("Values that do not fit") + "\n";
    std::vector<std::vector<std::string>> list = {{layout.time_name, "value", "expected", "lower95", "upper95"}};
    for (const ForecastAnomaly& a : one.forecast.anomalies) {
      list.push_back(
          {one.series.TimeText(a.index), Short(a.value), Short(a.expected), Short(a.lower95), Short(a.upper95)});
    }
    text += FormatTable(list, 1);
  }
  if (explain && !one.forecast.members.empty()) {
    text += "\n" + Heading("Averaged over") + "\n";
    std::vector<std::vector<std::string>> list = {{"kernel", "of", "weight"}};
    for (const ForecastMember& m : one.forecast.members) {
      const bool plain = m.transform == TransformKind::kNone;
      list.push_back({m.kernel, plain ? "values" : std::string(Name(m.transform)), Short(m.weight)});
    }
    text += FormatTable(list, 2);
    text += "\n" + Heading("Parts at the end of the history and of the horizon") + "\n";
    std::vector<std::vector<std::string>> parts = {{"part", "now", "then"}};
    for (const ForecastComponent& c : one.forecast.components) {
      parts.push_back({c.name, Short(c.values[one.series.values.size() - 1]), Short(c.values.back())});
    }
    text += FormatTable(parts, 1);
    text += one.forecast.components_of == TransformKind::kLog ? "  (the trend times the others)\n"
                                                              : "  (the trend plus the others)\n";
  }
  return text;
}

std::string ForecastPlot(const ForecastLayout& layout, const std::vector<ForecastedSeries>& series) {
  constexpr std::size_t kMostPanels = 9;
  const int count = static_cast<int>(std::min(series.size(), kMostPanels));
  const int columns = count <= 1 ? 1 : count <= 4 ? 2 : 3, rows = (count + columns - 1) / columns;
  plot::Figure figure(std::max(rows, 1), columns);
  for (int p = 0; p < count; ++p) {
    const ForecastedSeries& one = series[static_cast<std::size_t>(p)];
    plot::Axes& axes = figure.At(p / columns, p % columns);
    axes.Title(one.series.key.empty() ? layout.target_name : KeyText(one));
    axes.XLabel(one.series.calendar ? "years" : layout.time_name).YLabel(layout.target_name);
    // Dates as decimal years, numbers as they are.
    const auto x_of = [&](int place) {
      if (!one.series.calendar) return one.series.first + one.series.distance * place;
      return 1970 + DaysOf(one.series.calendar->At(place)) / 365.2425;
    };
    const int n = static_cast<int>(one.series.values.size()), shown = std::max(0, n - 600);
    std::vector<double> x, y, xf, median;
    for (int i = shown; i < n; ++i) {
      x.push_back(x_of(i));
      y.push_back(one.series.values[static_cast<std::size_t>(i)]);
    }
    for (std::size_t h = 0; h < one.forecast.steps.size(); ++h) {
      xf.push_back(x_of(Place(one, h)));
      median.push_back(one.forecast.steps[h].median);
    }
    const auto vector = [](const std::vector<double>& v) {
      return Vector(Eigen::Map<const Vector>(v.data(), static_cast<Index>(v.size())));
    };
    for (std::size_t k = layout.levels.size(); k-- > 0 && !xf.empty();) {
      std::vector<double> lower, upper;
      for (const ForecastStep& step : one.forecast.steps) {
        lower.push_back(step.lower[k]);
        upper.push_back(step.upper[k]);
      }
      axes.Band(vector(xf), vector(lower), vector(upper), {plot::PaletteColor(0), 0.18},
                p == 0 ? LevelText(layout.levels[k]) + "%" : "");
    }
    axes.Line(vector(x), vector(y), {plot::kInk, 1.1, false}, p == 0 ? "history" : "");
    if (!xf.empty()) axes.Line(vector(xf), vector(median), {}, p == 0 ? "median" : "");
    if (!one.forecast.anomalies.empty()) {
      std::vector<double> xa, ya;
      for (const ForecastAnomaly& a : one.forecast.anomalies) {
        if (a.index < shown) continue;
        xa.push_back(x_of(a.index));
        ya.push_back(a.value);
      }
      axes.Scatter(vector(xa), vector(ya), {plot::PaletteColor(1), plot::Marker::kRing, 8}, p == 0 ? "anomaly" : "");
    }
  }
  return figure.ToSvg();
}

}  // namespace instantgp::cli
