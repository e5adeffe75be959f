// Tables with categories, dates and gaps: what a recipe learns from rows, and what it makes of others. The first byte
// is the options, the rest a table; a text in braces is a recipe as model files keep it.
#include <nlohmann/json.hpp>

#include "instantgp/data/labelled_table.h"
#include "instantgp/data/new_rows.h"
#include "instantgp/data/recipe.h"
#include "instantgp/model/recipe_json.h"
#include "instantgp/model/spoken_columns.h"
#include "tests/fuzz/door.h"

namespace instantgp::fuzz {
namespace {

void CheckStored(std::string_view text) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  try {
    const Recipe recipe = RecipeFromJson(json);
    Require(RecipeFromJson(nlohmann::json::parse(RecipeToJson(recipe).Text())) == recipe,
            "a recipe changes on the way through a file");
    Require(static_cast<int>(recipe.InputNames().size()) == recipe.inputs(), "inputs without a name");
    for (const ColumnRecipe& column : recipe.columns) InWords(column), Remarks(column);
    for (int input = 0; input < recipe.inputs(); ++input) {
      LengthInWords(&recipe, input, 3), PeriodInWords(&recipe, input, 12), PlaceInWords(&recipe, input, 1e5);
    }
    Accepts([&] { ParseKernelOver("SE + PER(lengthscale=\"2 months\")", recipe.InputNames(), &recipe); });
  } catch (const nlohmann::json::exception&) {
  } catch (const Error&) {
  }
}

void CheckLearnt(const LabelledTable& labelled, std::string_view text, UnseenPolicy unseen, MissingPolicy missing) {
  if (labelled.known.empty()) return;
  const std::vector<int> half(labelled.known.begin(),
                              labelled.known.begin() + static_cast<std::ptrdiff_t>(labelled.known.size() + 1) / 2);
  for (const std::vector<int>& rows : {labelled.known, half}) {
    const Dataset data = labelled.Learn(rows);
    Require(data.X.allFinite() && data.y.allFinite(), "a dataset with a value that is not finite");
    Accepts([&] {
      const RecipeRows others = labelled.As(data, labelled.known, unseen);
      Require(others.X.allFinite(), "rows with a value that is not finite");
      Require(others.X.cols() == data.X.cols(), "rows with other inputs");
    });
    const TableShape shape = {data.column_names, data.target_name, data.recipe.get()};
    Accepts([&] {
      const NewRows again = ParseNewRows(text, "fuzz", shape, {missing, unseen});
      Require(again.X.cols() == data.X.cols() && again.X.allFinite(), "new rows with other inputs");
    });
    if (data.recipe == nullptr) continue;
    Require(RecipeFromJson(nlohmann::json::parse(RecipeToJson(*data.recipe).Text())) == *data.recipe,
            "a fitted recipe changes on the way");
    Accepts([&] { ParseKernelOver("SE", data.column_names, data.recipe.get()); });
  }
}

void RecipeDoor(std::string_view bytes) {
  if (bytes.empty()) return;
  if (bytes.front() == '{' || bytes.front() == '[') return CheckStored(bytes);
  const auto choice = static_cast<unsigned char>(bytes.front());
  const std::string_view text = bytes.substr(1);
  CsvOptions options;
  options.missing = static_cast<MissingPolicy>(choice % 3);
  const UnseenPolicy unseen = (choice & 4) != 0 ? UnseenPolicy::kOther : UnseenPolicy::kError;
  if ((choice & 8) != 0) options.categorical = {"1"};
  if ((choice & 16) != 0) options.date_formats = {"%d.%m.%y"};
  if ((choice & 32) != 0) options.target = "y";
  Accepts([&] {
    RawOptions raw;
    raw.as_text = options.categorical;
    CheckLearnt(LabelledTable::Of(ParseRawTable(text, "fuzz", raw), options), text, unseen, options.missing);
  });
}

}  // namespace

INSTANTGP_DOOR(recipe, RecipeDoor)

}  // namespace instantgp::fuzz
