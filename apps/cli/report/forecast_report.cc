#include "apps/cli/report/forecast_report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "apps/cli/terminal/terminal.h"

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

std::string SeasonText(const std::vector<double>& seasons) {
  std::string text;
  for (const double period : seasons) text += (text.empty() ? "" : ", ") + LevelText(period);
  return text.empty() ? "none" : text;
}

std::string Percent(double share) {
  char text[16];
  std::snprintf(text, sizeof text, "%.0f %%", 100 * share);
  return text;
}

// "monthly", "0.5 apart"
std::string StepText(const TimedSeries& series) {
  return series.calendar || !series.problem.empty() ? series.step : series.step + " apart";
}

int Place(const ForecastedSeries& one, std::size_t step) { return static_cast<int>(one.series.values.size() + step); }

}  // namespace

std::string KeyText(const ForecastedSeries& one) {
  std::string text;
  for (const std::string& part : one.series.key) text += (text.empty() ? "" : ", ") + part;
  return text;
}

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
    if (!member.words.empty()) j["structures"].back()["words"] = member.words;
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
  if (one.anomalies_asked) {
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
                     Count(static_cast<long>(one.series.values.size()), "step") + ", " + StepText(one.series) +
                     ", season " + SeasonText(one.seasons) + "\n";
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
  } else if (one.anomalies_asked) {
    text += "\nNo value of the past stands out.\n";
  }
  if (explain && !one.forecast.members.empty()) {
    text += "\n" + Heading("Averaged over") + "\n";
    std::vector<std::vector<std::string>> list = {{"weight", "of", "kernel"}};
    for (const ForecastMember& m : one.forecast.members) {
      const bool plain = m.transform == TransformKind::kNone;
      list.push_back({Percent(m.weight), plain ? "values" : std::string(Name(m.transform)), m.kernel_spoken});
    }
    text += FormatTable(list, 3);
    const ForecastMember& first = one.forecast.members.front();
    const std::string of = first.transform == TransformKind::kNone ? "the values" : std::string(Name(first.transform));
    text += "The first, of " + of + ": " + first.words + ".\n";
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

}  // namespace instantgp::cli
