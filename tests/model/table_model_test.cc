// Models of tables with dates, categories and gaps: kernels by the table's names, files, updates, ensembles, words.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "instantgp/base/error.h"
#include "instantgp/base/safetensors.h"
#include "instantgp/data/labelled_table.h"
#include "instantgp/data/new_rows.h"
#include "instantgp/model/explain.h"
#include "instantgp/model/fit.h"
#include "instantgp/model/fit_ensemble.h"
#include "instantgp/model/recipe_json.h"
#include "instantgp/model/spoken_columns.h"
#include "instantgp/model/update.h"
#include "tests/model/altered_files.h"
#include "tests/support/mixed_table.h"

namespace instantgp {
namespace {

using testing::MakeMixedTable;
using testing::MixedTable;

Dataset Learn(const std::string& csv, MissingPolicy missing = MissingPolicy::kImpute) {
  const LabelledTable table = LabelledTable::Of(ParseRawTable(csv, "t"), {"", missing});
  return table.Learn(table.known);
}

NewRows RowsOf(const std::string& csv, const Model& model, const NewRowsOptions& options = {}) {
  const std::vector<std::string> texts = model.recipe()->NeededAsText();
  return MatchRows(ParseRawTable(csv, "n", {{}, texts}), {model.column_names(), model.target_name(), model.recipe()},
                   options);
}

const char kKernel[] = "(SE(month) + PER(month, period=12 months)) * SE(city) * SE(price)";

class TableModelTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    csv_ = new MixedTable(MakeMixedTable(54));
    model_ = new Model(Fit(Learn(csv_->train), kKernel, {.method = Method::kMl}));
  }
  static void TearDownTestSuite() {
    delete model_;
    delete csv_;
  }
  static MixedTable* csv_;
  static Model* model_;
};
MixedTable* TableModelTest::csv_ = nullptr;
Model* TableModelTest::model_ = nullptr;

TEST_F(TableModelTest, ColumnsAreWhatTheyAre) {
  const Recipe& recipe = *model_->recipe();
  ASSERT_EQ(recipe.columns.size(), 4u);
  EXPECT_EQ(recipe.columns[0].kind, ColumnKind::kDate);
  EXPECT_EQ(recipe.columns[0].step, "monthly");
  EXPECT_EQ(recipe.columns[1].kind, ColumnKind::kCategory);
  EXPECT_EQ(recipe.columns[2].kind, ColumnKind::kNumber);
  EXPECT_TRUE(recipe.columns[2].indicator);
  EXPECT_EQ(recipe.columns[3].kind, ColumnKind::kLeftOut);
  EXPECT_EQ(model_->column_names(), (std::vector<std::string>{"month", "city=New York", "city=Paris", "city=Zürich",
                                                              "price", "price missing"}));
}

TEST_F(TableModelTest, ParametersAreSaidInTimeAndLevelsByName) {
  bool period = false, level = false;
  for (const ReportedParameter& p : model_->Parameters()) {
    if (p.name == "period") {
      EXPECT_EQ(p.in_words, "12 months, yearly");
      EXPECT_EQ(p.unit, "months");
      EXPECT_NEAR(p.value_original_units, 12, 1e-9);
      period = true;
    }
    level = level || p.column == "city=Paris";
    EXPECT_TRUE(p.column != "price" || p.in_words.empty());
  }
  EXPECT_TRUE(period);
  EXPECT_TRUE(level);
  EXPECT_EQ(model_->KernelShortText(), "(SE(month) + PER(month, period=12 months)) * SE(city) * SE(price)");
}

TEST_F(TableModelTest, AKernelThatCannotSeeGapsIsSaidSo) {
  ASSERT_FALSE(model_->warnings().empty());
  EXPECT_EQ(model_->warnings().front().substr(0, 40), "the kernel does not use \"price missing\",");
  const Dataset data = Learn(csv_->train);
  const auto warned = [&](const std::string& kernel) {
    return !GapWarnings(ParseKernelOver(kernel, data.column_names, data.recipe.get()), data.recipe.get()).empty();
  };
  EXPECT_TRUE(warned("SE(price)"));
  EXPECT_FALSE(warned("SE(price)*SE(\"price missing\")"));
  EXPECT_FALSE(warned("SE(month)"));
  EXPECT_FALSE(warned("SE"));
}

TEST_F(TableModelTest, PredictsLaterMonths) {
  const NewRows rows = RowsOf(csv_->test, *model_);
  const Scores scores = model_->Score(rows.X, *rows.y);
  EXPECT_LT(scores.rmse_standardized, 0.4);
}

TEST_F(TableModelTest, SurvivesAFile) {
  const Model loaded = ParseModel(SerializeModel(*model_), "file");
  ASSERT_NE(loaded.recipe(), nullptr);
  EXPECT_EQ(*loaded.recipe(), *model_->recipe());
  const NewRows before = RowsOf(csv_->test, *model_), after = RowsOf(csv_->test, loaded);
  EXPECT_EQ(before.X, after.X);
  EXPECT_EQ(model_->Predict(before.X).mean, loaded.Predict(after.X).mean);
  EXPECT_EQ(loaded.KernelShortText(), model_->KernelShortText());
  EXPECT_EQ(ParseTensors(SerializeModel(*model_), "file").metadata.at("version"), "3.0");
}

TEST_F(TableModelTest, ADamagedRecipeIsRefused) {
  const TensorFile good = ParseTensors(SerializeModel(*model_), "file");
  const auto refused = [&](const std::function<void(nlohmann::json&)>& damage) {
    TensorFile file = good;
    nlohmann::json meta = nlohmann::json::parse(file.metadata.at("model"));
    damage(meta.at("recipe"));
    file.metadata["model"] = meta.dump();
    EXPECT_THROW(ParseModel(SerializeTensors(file), "damaged"), Error) << meta.at("recipe").dump();
  };
  refused([](nlohmann::json& r) { r.erase(1); });
  refused([](nlohmann::json& r) { r[0]["name"] = "city"; });
  refused([](nlohmann::json& r) { r[0]["kind"] = "colour"; });
  refused([](nlohmann::json& r) { r[0]["date"]["format"] = "%Q"; });
  refused([](nlohmann::json& r) { r[0]["date"]["unit"] = "fortnight"; });
  refused([](nlohmann::json& r) { r[0]["date"]["first_us"] = INT64_MIN; });
  refused([](nlohmann::json& r) { r[0]["date"]["day_of_month"] = 0; });
  refused([](nlohmann::json& r) { r[0]["date"]["offset_minutes"] = INT32_MIN; });
  refused([](nlohmann::json& r) { r[0]["date"]["first_us"] = 1e300; });
  testing::ExpectEveryIntegerIsChecked(good, "model");
  refused([](nlohmann::json& r) { r[0].erase("date"); });
  refused([](nlohmann::json& r) { r[1]["levels"][0] = r[1]["levels"][1]; });
  refused([](nlohmann::json& r) { r[1]["levels"] = nlohmann::json::array(); });
  refused([](nlohmann::json& r) { r[2].erase("fill"); });
  refused([](nlohmann::json& r) { r[2]["fill"] = "much"; });
  refused([](nlohmann::json& r) { r = 5; });
}

TEST_F(TableModelTest, SurvivesUpdates) {
  const NewRows rows = RowsOf(csv_->test, *model_);
  for (const Reinfer reinfer : {Reinfer::kNever, Reinfer::kAlways}) {
    UpdateOptions options;
    options.reinfer = reinfer;
    const Model updated = Update(*model_, rows.X, *rows.y, options).model;
    ASSERT_NE(updated.recipe(), nullptr);
    EXPECT_EQ(*updated.recipe(), *model_->recipe());
    EXPECT_EQ(updated.rows(), model_->rows() + static_cast<int>(rows.X.rows()));
  }
}

TEST_F(TableModelTest, ExplainsInTheTablesWords) {
  const Explanation explanation = Explain(*model_);
  ASSERT_EQ(explanation.components.size(), 2u);
  std::vector<std::string> texts = {explanation.components[0].text, explanation.components[1].text};
  std::sort(texts.begin(), texts.end());
  EXPECT_EQ(texts[0], "PER(month, period=12 months)*SE(city)*SE(price)");
  EXPECT_EQ(texts[1], "SE(month)*SE(city)*SE(price)");
}

TEST(TableModels, EveryMethodTakesDatesCategoriesAndGaps) {
  const MixedTable csv = MakeMixedTable(30);
  const Dataset data = Learn(csv.train);
  for (const Method method : {Method::kOneShot, Method::kRefine, Method::kMl, Method::kAdam, Method::kMultiStart,
                              Method::kMap, Method::kSvgp, Method::kAhgp}) {
    FitOptions options;
    options.method = method;
    options.restarts = 2;
    options.inducing = method == Method::kSvgp ? 20 : 0;
    if (method == Method::kAdam || method == Method::kMultiStart || method == Method::kSvgp) options.steps = 30;
    const Model model = Fit(data, "SE", options);
    ASSERT_NE(model.recipe(), nullptr) << Name(method);
    EXPECT_EQ(model.KernelShortText(), "SE") << Name(method);
    const Model loaded = ParseModel(SerializeModel(model), "file");
    const NewRows rows = RowsOf(csv.test, loaded);
    EXPECT_TRUE(loaded.Predict(rows.X).mean.allFinite()) << Name(method);
  }
}

TEST(TableModels, AveragedModelsAndEnsemblesKeepTheRecipe) {
  const MixedTable csv = MakeMixedTable(30);
  const Dataset data = Learn(csv.train);
  const Model averaged = Fit(data, "SE");
  EXPECT_GT(averaged.AveragedOver(), 0);
  EXPECT_NE(averaged.recipe(), nullptr);
  const NewRows rows = RowsOf(csv.test, averaged);
  for (const Reinfer reinfer : {Reinfer::kNever, Reinfer::kAlways}) {
    UpdateOptions update;
    update.reinfer = reinfer;
    const Model updated = Update(averaged, rows.X, *rows.y, update).model;
    ASSERT_NE(updated.recipe(), nullptr);
    EXPECT_EQ(*updated.recipe(), *averaged.recipe());
  }
  const std::vector<std::string> kernels = {"SE", "SE(month)*SE(city)", "LIN"};
  const Ensemble ensemble = ParseEnsemble(SerializeEnsemble(FitEnsemble(data, kernels)), "file");
  ASSERT_NE(ensemble.recipe(), nullptr);
  EXPECT_EQ(*ensemble.recipe(), *data.recipe);
  EXPECT_TRUE(ensemble.Predict(rows.X).Mean().allFinite());
}

TEST(TableModels, NumbersAreAsTheyWere) {
  const std::string csv = "a,b,y\n1,5,2\n2,3,3\n3,1,5\n4,2,4\n5,9,7\n6,6,8\n7,7,7\n8,8,9\n";
  const Dataset typed = Learn(csv, MissingPolicy::kError);
  const Dataset plain = ToDataset(ParseTable(csv, "t"));
  EXPECT_EQ(typed.recipe, nullptr);
  EXPECT_EQ(typed.X, plain.X);
  EXPECT_EQ(typed.y, plain.y);
  EXPECT_EQ(typed.column_names, plain.column_names);
  const Model a = Fit(typed, "SE + LIN"), b = Fit(plain, "SE + LIN");
  EXPECT_EQ(a.Predict(plain.X).mean, b.Predict(plain.X).mean);
  // Apart from the times it took, the files are the same, and of the old version.
  EXPECT_EQ(ParseTensors(SerializeModel(a), "a").metadata.at("version"), "2.0");
}

TEST(TableModels, ImputingATableWithoutGapsChangesNoNumber) {
  const std::string csv = "a,y\n1,2\n2,3\n3,5\n4,4\n5,7\n";
  const Dataset imputed = Learn(csv, MissingPolicy::kImpute), plain = Learn(csv, MissingPolicy::kError);
  EXPECT_EQ(imputed.X, plain.X);
  ASSERT_NE(imputed.recipe, nullptr);  // which knows the median
  EXPECT_EQ(imputed.recipe->columns[0].fill, 3);
  EXPECT_EQ(Fit(imputed, "SE").Predict(plain.X).mean, Fit(plain, "SE").Predict(plain.X).mean);
}

// What a kernel over the table says of the inputs.
std::string Spelled(const Dataset& data, const std::string& kernel) {
  try {
    return Print(ParseKernelOver(kernel, data.column_names, data.recipe.get()), data.column_names);
  } catch (const Error& error) {
    return "error: " + std::string(error.what());
  }
}

TEST(TableModels, KernelsNameTheTablesColumns) {
  const Dataset data = Learn("when,c,a,y\n2020-01,p,1,1\n2020-02,q,,2\n2020-03,p,3,3\n2020-04,q,4,4\n");
  ASSERT_EQ(data.column_names, (std::vector<std::string>{"when", "c=p", "c=q", "a", "a missing"}));
  EXPECT_EQ(Spelled(data, "SE(c)"), "SE(\"c=p\")*SE(\"c=q\")");
  EXPECT_EQ(Spelled(data, "MAT12(c, lengthscale=2)"), "MAT12(\"c=p\", lengthscale=2)*MAT12(\"c=q\", lengthscale=2)");
  EXPECT_EQ(Spelled(data, "SE(c, variance=3)"), "SE(\"c=p\", variance=3)*SE(\"c=q\", variance=1)");
  EXPECT_EQ(Spelled(data, "SE(c=p)"), "SE(\"c=p\")");
  EXPECT_EQ(Spelled(data, "SE(2)"), "SE(\"c=p\")*SE(\"c=q\")");  // the table's second column
  EXPECT_EQ(Spelled(data, "LIN(when)*SE(c) + SE(a)"), "LIN(when)*SE(\"c=p\")*SE(\"c=q\") + SE(a)");
  EXPECT_EQ(Spelled(data, "PER(when, period=1 year)"), "PER(when, period=12)");
  EXPECT_EQ(Spelled(data, "PER(when, period=12)"), "PER(when, period=12)");
  EXPECT_EQ(Spelled(data, "SE(when, lengthscale=2 quarters)"), "SE(when, lengthscale=6)");
  // A kernel without names is SE on categories and gaps.
  EXPECT_EQ(Spelled(data, "LIN + PER"),
            "(LIN(when) + PER(when)) * SE(\"c=p\") * SE(\"c=q\") * (LIN(a) + PER(a)) * SE(\"a missing\")");
  EXPECT_NE(Spelled(data, "LIN(c)").find("holds categories"), std::string::npos);
  EXPECT_NE(Spelled(data, "PER(when, period=12 parsecs)").find("12 months"), std::string::npos);
  EXPECT_NE(Spelled(data, "SE(a, lengthscale=2 months)").find("is no value for the lengthscale"), std::string::npos);
  EXPECT_NE(Spelled(data, "SE(nobody)").find("unknown column"), std::string::npos);
}

TEST(TableModels, KernelsAreWrittenAsTheyAreRead) {
  const Dataset data = Learn("when,c,a,y\n2020-01,p,1,1\n2020-02,q,,2\n2020-03,p,3,3\n2020-04,q,4,4\n");
  for (const std::string kernel :
       {"SE", "LIN + PER", "SE*PER + LIN", "SE(c)", "SE(when)*SE(c)", "SE(\"c=p\")", "SE(a) + SE(when)*SE(c)",
        "MAT52(c)", "(LIN(when) + PER(when, period=12 months)) * SE(c)", "SE(when, lengthscale=0.123456789)",
        "SE(\"a missing\")"}) {
    const Expression e = ParseKernelOver(kernel, data.column_names, data.recipe.get());
    const std::string written = PrintShortOver(e, data.column_names, data.recipe.get());
    EXPECT_EQ(ParseKernelOver(written, data.column_names, data.recipe.get()), e) << kernel << " " << written;
    EXPECT_LE(written.size(), kernel.size() + 2) << kernel << " " << written;
  }
  // Along dates alone no column needs to be named, and lengths are said in time where that is exact.
  const Dataset dates = Learn("when,y\n2020-01,1\n2020-02,2\n2020-03,3\n2020-04,4\n");
  for (const std::string kernel : {"LIN + PER(period=12 months)", "SE(lengthscale=5 years)", "PER(lengthscale=2)",
                                   "SE(lengthscale=0.123456789)"}) {
    const Expression e = ParseKernelOver(kernel, dates.column_names, dates.recipe.get());
    EXPECT_EQ(PrintShortOver(e, dates.column_names, dates.recipe.get()), kernel);
  }
}

TEST(TableModels, ATableOfCategoriesAlone) {
  const Dataset data = Learn("c,y\np,1\nq,2\np,1.1\nq,2.2\nr,5\nr,5.1\np,0.9\n");
  EXPECT_EQ(Spelled(data, "SE"), "SE(\"c=p\")*SE(\"c=q\")*SE(\"c=r\")");
  EXPECT_EQ(Spelled(data, "LIN"), Spelled(data, "SE"));
  const Model model = Fit(data, "SE", {.method = Method::kMl});
  EXPECT_EQ(model.KernelShortText(), "SE");
  const NewRows rows = RowsOf("c,z\np,0\nr,0\n", model);
  const Vector mean = model.Predict(rows.X).mean;
  EXPECT_NEAR(mean[0], 1, 0.3);
  EXPECT_NEAR(mean[1], 5, 0.3);
}

}  // namespace
}  // namespace instantgp
