// Rows of a table as a model sees them.
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "instantgp/base/check.h"
#include "instantgp/base/diagnosis.h"
#include "instantgp/base/error.h"
#include "instantgp/base/large_pages.h"
#include "instantgp/data/csv_reader.h"
#include "instantgp/data/recipe.h"

namespace instantgp {

namespace {

std::string LevelList(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + OneLine(name);
  return list;
}

// One column of a table against its recipe.
class ColumnReader {
 public:
  ColumnReader(const ColumnRecipe& recipe, const RawTable& table, const RawColumn& raw)
      : recipe_(recipe),
        table_(table),
        numbers_(std::get_if<RawColumn::Numbers>(&raw.cells)),
        texts_(std::get_if<RawColumn::Texts>(&raw.cells)),
        dates_(std::get_if<RawColumn::Dates>(&raw.cells)) {
    for (std::size_t k = 0; k < recipe.levels.size(); ++k) {
      input_[recipe.levels[k]] = static_cast<int>(k);
      const CellValue value = ReadCell(recipe.levels[k], false);
      if (value.kind == CellKind::kNumber) code_.emplace(value.value, static_cast<int>(k));
    }
    for (const std::string& level : recipe.rare) input_[level] = static_cast<int>(recipe.levels.size());
    // A new row may say what the rarer levels are called together.
    if (!recipe.rare.empty()) input_.try_emplace(kOtherLevel, static_cast<int>(recipe.levels.size()));
  }

  bool Missing(int row) const {
    const auto i = static_cast<std::size_t>(row);
    if (numbers_ != nullptr) return std::isnan((*numbers_)[i]);
    if (dates_ != nullptr) return (*dates_)[i].missing();
    return IsMissingCell((*texts_)[i]);
  }

  // The inputs of the rows into a block of that many rows and columns.
  void Read(const std::vector<int>& rows, UnseenPolicy unseen, Eigen::Ref<Matrix> into) {
    const Index own = into.cols() - (recipe_.indicator ? 1 : 0);
    into.setZero();
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const Index i = static_cast<Index>(k);
      const int row = rows[k];
      if (Missing(row)) {
        into.row(i).head(own).setConstant(*recipe_.fill);
        if (recipe_.indicator) into(i, own) = 1;
      } else if (recipe_.kind == ColumnKind::kNumber) {
        into(i, 0) = Number(row);
      } else if (recipe_.kind == ColumnKind::kDate) {
        into(i, 0) = recipe_.calendar.Position(Date(row));
      } else if (const int level = Level(row, unseen); level >= 0) {
        into(i, level) = 1;
      }
    }
  }

  const std::set<std::string>& unseen() const { return unseen_; }
  int unseen_rows() const { return unseen_rows_; }

  [[noreturn]] void FailMissing(int row, MissingPolicy missing) const {
    std::string what = "the value is missing; fill it in, drop rows with missing values, or impute them";
    if (recipe_.fill) {
      what =
          "the value is missing, and in this column none was missing in the rows the model was fitted to; fill it in, "
          "drop rows with missing values, or impute them (by the median of those rows)";
    } else if (missing == MissingPolicy::kImpute) {
      what =
          "the value is missing, and the model has no median for it: it was fitted without imputing. Fill it in, or "
          "drop rows with missing values";
    }
    Fail(row, what, {{"missing", "drop"}});
  }

 private:
  [[noreturn]] void Fail(int row, const std::string& what, std::vector<Remedy> remedies = {}) const {
    throw Error(ErrorCode::kBadInput, table_.Place(row, recipe_.name) + ": " + what, std::move(remedies));
  }

  std::string Shown(int row) const {
    const auto i = static_cast<std::size_t>(row);
    if (texts_ != nullptr) return ShownCell(TrimmedCell((*texts_)[i]));
    if (dates_ != nullptr) return ShownCell(DateText({"%Y-%m-%d %H:%M", "", {}, 0, false}, (*dates_)[i]));
    return ShownCell(CodeText((*numbers_)[i]));
  }

  double Number(int row) const {
    if (numbers_ == nullptr) {
      const CellValue value =
          texts_ == nullptr ? CellValue{}
                            : ReadCell(TrimmedCell((*texts_)[static_cast<std::size_t>(row)]), table_.decimal_comma);
      if (value.kind != CellKind::kNumber) {
        Fail(row, Shown(row) + " is not a number; the model was fitted to numbers in this column. Correct it.");
      }
      return value.value;
    }
    return (*numbers_)[static_cast<std::size_t>(row)];
  }

  Moment Date(int row) const {
    const auto i = static_cast<std::size_t>(row);
    if (dates_ != nullptr) return (*dates_)[i];
    if (texts_ != nullptr) {
      const DateReading reading = ReadDate(recipe_.form, TrimmedCell((*texts_)[i]));
      if (reading.problem == DateProblem::kNone) return reading.moment;
    }
    Fail(row, Shown(row) + " is not a date of the form " + recipe_.form.format + ", as " +
                  ShownCell(DateText(recipe_.form, recipe_.calendar.first())) +
                  " is; write dates as in the rows the model was fitted to");
  }

  // -1: none of them.
  int Level(int row, UnseenPolicy unseen) {
    std::string code;
    std::string_view text;
    const auto i = static_cast<std::size_t>(row);
    CellValue value;
    if (numbers_ != nullptr) {
      value = {CellKind::kNumber, (*numbers_)[i]};
      code = CodeText((*numbers_)[i]);
      text = code;
    } else if (texts_ != nullptr) {
      text = TrimmedCell((*texts_)[i]);
      if (const auto found = input_.find(text); found != input_.end()) return found->second;
      value = ReadCell(text, table_.decimal_comma);
    } else {
      Fail(row, Shown(row) + " is a date; the model was fitted to categories in this column");
    }
    // Codes may be written in other ways: 1, 01, 1.0.
    if (value.kind == CellKind::kNumber) {
      if (const auto found = code_.find(value.value); found != code_.end()) return found->second;
    }
    if (unseen == UnseenPolicy::kError) FailUnseen(row, std::string(text));
    ++unseen_rows_;
    if (unseen_.size() < 5) unseen_.insert(std::string(text));
    return recipe_.rare.empty() ? -1 : static_cast<int>(recipe_.levels.size());
  }

  [[noreturn]] void FailUnseen(int row, const std::string& text) const {
    const std::string nearest = Nearest(text, recipe_.levels);
    Fail(row,
         "the level " + ShownCell(text) + " is none of those in the rows the model was fitted to: " +
             LevelList(recipe_.levels) + (recipe_.rare.empty() ? "" : ", other") + ". " +
             (nearest.empty() ? "" : "Did you mean " + ShownCell(nearest) + "? ") +
             "Correct it, or take unseen levels as other.",
         {{"unseen", "other"}});
  }

  const ColumnRecipe& recipe_;
  const RawTable& table_;
  const RawColumn::Numbers* numbers_;
  const RawColumn::Texts* texts_;
  const RawColumn::Dates* dates_;
  std::map<std::string, int, std::less<>> input_;
  std::map<double, int> code_;
  std::set<std::string> unseen_;
  int unseen_rows_ = 0;
};

}  // namespace

RecipeRows Recipe::Apply(const RawTable& table, const std::vector<int>& from, const std::vector<int>& rows,
                         MissingPolicy missing, UnseenPolicy unseen) const {
  INSTANTGP_CHECK(from.size() == columns.size());
  std::vector<std::pair<const ColumnRecipe*, ColumnReader>> readers;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    if (columns[k].kind == ColumnKind::kLeftOut) continue;
    INSTANTGP_CHECK(from[k] >= 0);
    readers.emplace_back(&columns[k],
                         ColumnReader(columns[k], table, table.columns[static_cast<std::size_t>(from[k])]));
  }
  RecipeRows result;
  // Gaps first, row after row: the first one in the table is the one a message names.
  std::vector<int> filled(readers.size(), 0);
  for (const int row : rows) {
    bool keep = true;
    for (std::size_t k = 0; k < readers.size(); ++k) {
      const auto& [recipe, reader] = readers[k];
      if (!reader.Missing(row)) continue;
      if (missing == MissingPolicy::kDrop) {
        keep = false;
      } else if (recipe->indicator) {
        continue;
      } else if (missing == MissingPolicy::kError || !recipe->fill) {
        reader.FailMissing(row, missing);
      } else {
        ++filled[k];
      }
    }
    if (keep) result.rows.push_back(row);
  }
  result.X.resize(static_cast<Index>(result.rows.size()), inputs());
  AskForLargePages(result.X.data(), static_cast<std::size_t>(result.X.size()) * sizeof(double));
  Index at = 0;
  for (auto& [recipe, reader] : readers) {
    reader.Read(result.rows, unseen, result.X.middleCols(at, recipe->inputs()));
    at += recipe->inputs();
  }
  for (std::size_t k = 0; k < readers.size(); ++k) {
    const auto& [recipe, reader] = readers[k];
    const std::string name = ShownCell(recipe->name);
    if (filled[k] > 0) {
      result.notes.push_back(std::to_string(filled[k]) + (filled[k] == 1 ? " gap" : " gaps") + " in column " + name +
                             ", which had none in the rows the model was fitted to, filled by " +
                             (recipe->kind == ColumnKind::kCategory ? "no level" : "their median"));
    }
    if (reader.unseen_rows() > 0) {
      std::vector<std::string> some(reader.unseen().begin(), reader.unseen().end());
      result.notes.push_back(std::to_string(reader.unseen_rows()) + (reader.unseen_rows() == 1 ? " row" : " rows") +
                             " with levels of column " + name + " that the training rows lack (" + LevelList(some) +
                             "): taken as other");
    }
  }
  return result;
}

}  // namespace instantgp
