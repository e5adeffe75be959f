// The fitted model as one safetensors file (docs/formats/model.md).
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <deque>
#include <nlohmann/json.hpp>
#include <utility>

#include "instantgp/base/error.h"
#include "instantgp/base/file.h"
#include "instantgp/base/json_integer.h"
#include "instantgp/base/json_text.h"
#include "instantgp/base/mapped_file.h"
#include "instantgp/base/parsed_json.h"
#include "instantgp/base/safetensors.h"
#include "instantgp/gp/averaged_posterior.h"
#include "instantgp/gp/neighbour_posterior.h"
#include "instantgp/gp/posterior.h"
#include "instantgp/gp/sparse_posterior.h"
#include "instantgp/kernel/parameters.h"
#include "instantgp/kernel/parse.h"
#include "instantgp/model/model.h"
#include "instantgp/model/options.h"
#include "instantgp/model/recipe_json.h"

namespace instantgp {
namespace {

using nlohmann::json;

constexpr char kFormat[] = "instantgp/model";
constexpr int kMajor = 4;  // a reader refuses files of a higher one
// 1.1: sparse models; 1.2: inferred_rows; 2.0: draws. A reader of 1.x would take a model with draws for one without and
// predict something else; a model without them is written so that it still reads it.
constexpr char kVersionWithoutDraws[] = "1.2";
constexpr char kVersionWithDraws[] = "2.0";
constexpr std::int64_t kMostRows = std::int64_t{1} << 30, kMostColumns = 1 << 20;
// 3.0: the recipe of a table with dates, categories or imputed gaps. A reader of 2.x would take a table's dates for bad
// numbers and know no categories. And models from neighbours, which have no factor at all.
constexpr char kVersionOfTables[] = "3.0";
// 4.0: a transform of the target. A reader of 3.x would predict logarithms.
constexpr char kVersionOfTransforms[] = "4.0";

// L is stored as its packed lower triangle, column after column.
std::vector<double> PackLower(const Matrix& L) {
  std::vector<double> packed;
  packed.reserve(static_cast<std::size_t>(L.rows() * (L.rows() + 1) / 2));
  for (Index j = 0; j < L.cols(); ++j) packed.insert(packed.end(), L.col(j).data() + j, L.col(j).data() + L.rows());
  return packed;
}

Matrix UnpackLower(const Vector& packed, Index n) {
  Matrix L = Matrix::Zero(n, n);
  Index k = 0;
  for (Index j = 0; j < n; ++j) {
    for (Index i = j; i < n; ++i) L(i, j) = packed[k++];
  }
  return L;
}

JsonObject SummaryToJson(const FitSummary& s) {
  const TimeSplit& t = s.time_ms;
  JsonObject j;
  j.Set("method", s.method).Set("evaluations", s.evaluations).Set("steps", s.steps).Set("rejected", s.rejected);
  j.Set("starts", s.starts).Set("stop_reason", s.stop_reason).Set("nlml_start", s.nlml_start).Set("nlml", s.nlml);
  j.Set("inferred_rows", s.inferred_rows);
  j.Set("time_ms", std::array{t.scale, t.encode, t.decode, t.optimize, t.factorize, t.total});
  if (s.map) j.Set("map", true);
  JsonArray transforms;
  for (const auto& [kind, evidence] : s.transforms) {
    JsonArray tried;
    tried.Add(Name(kind));
    tried.Add(evidence);
    transforms.Add(tried);
  }
  if (!s.transforms.empty()) j.Set("transforms", transforms);
  return j;
}

FitSummary SummaryFromJson(const json& j) {
  FitSummary s;
  j.at("method").get_to(s.method);
  s.evaluations = JsonInteger<int>(j.at("evaluations"));
  s.steps = JsonInteger<int>(j.at("steps"));
  s.rejected = JsonInteger<int>(j.at("rejected"));
  s.starts = JsonInteger<int>(j.at("starts"));
  j.at("stop_reason").get_to(s.stop_reason);
  j.at("nlml_start").get_to(s.nlml_start);
  j.at("nlml").get_to(s.nlml);
  if (j.contains("inferred_rows")) s.inferred_rows = JsonInteger<int>(j.at("inferred_rows"));  // since 1.2
  s.map = j.value("map", false);                                                               // where it is true
  TimeSplit& t = s.time_ms;
  double* const fields[] = {&t.scale, &t.encode, &t.decode, &t.optimize, &t.factorize, &t.total};
  const json& times = j.at("time_ms");
  for (std::size_t i = 0; i < std::size(fields); ++i) times.at(i).get_to(*fields[i]);
  return s;
}

class Reader {
 public:
  Reader(const TensorViews& file, std::string origin) : file_(file), origin_(std::move(origin)) {}

  [[noreturn]] void Fail(const std::string& what) const {
    throw Error(ErrorCode::kBadInput,
                origin_ + ": " + what + ". Fit the model again or use an intact copy of the file.");
  }

  const std::string& Metadata(const std::string& key) const {
    const auto it = file_.metadata.find(key);
    if (it == file_.metadata.end()) Fail("not a fitted model: its metadata lack '" + key + "'");
    return it->second;
  }

  // The tensor's values, of the expected count and finite, column after column: copied once, whatever their number.
  Matrix MatrixOf(const std::string& name, std::int64_t rows, std::int64_t columns) const {
    const auto found = file_.tensors.find(name);
    if (found == file_.tensors.end()) Fail("not a fitted model: there is no tensor '" + name + "'");
    const TensorView& tensor = found->second;
    if (tensor.type != TensorType::kF64) Fail("tensor '" + name + "' does not hold numbers of 64 bits");
    const std::size_t count = static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
    if (tensor.bytes.size() != count * sizeof(double)) {
      Fail("tensor '" + name + "' has " + std::to_string(tensor.bytes.size() / sizeof(double)) + " values instead of " +
           std::to_string(count));
    }
    Matrix values(rows, columns);
    if (count > 0) std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
    if (!values.allFinite()) Fail("tensor '" + name + "' holds a value that is not finite");
    return values;
  }

  Vector VectorOf(const std::string& name, std::size_t count) const {
    return MatrixOf(name, static_cast<std::int64_t>(count), 1);
  }

  // The lower triangle of a Cholesky factor.
  Matrix Factor(const std::string& name, Index n) const {
    const std::size_t size = static_cast<std::size_t>(n);
    Matrix L = UnpackLower(VectorOf(name, size * (size + 1) / 2), n);
    if (!(L.diagonal().minCoeff() > 0))
      Fail("the Cholesky factor '" + name + "' has a diagonal entry that is not positive");
    return L;
  }

  // That makes these inputs.
  std::shared_ptr<const Recipe> RecipeOf(const json& j, const std::vector<std::string>& inputs) const {
    auto recipe = std::make_shared<Recipe>();
    try {
      *recipe = RecipeFromJson(j);
    } catch (const Error& error) {
      Fail(error.what());
    }
    if (recipe->InputNames() != inputs) Fail("the description of the columns does not match their names");
    return recipe;
  }

  TransformKind KindOf(const json& name) const {
    for (const TransformKind kind : {TransformKind::kNone, TransformKind::kLog, TransformKind::kBoxCox}) {
      if (name.get<std::string>() == Name(kind)) return kind;
    }
    Fail("unknown transform of the target");
  }

  TargetTransform TransformOf(const json& name) const {
    const Vector parts = VectorOf("transform", 3);
    try {
      return TargetTransform::FromParts(KindOf(name), parts[0], parts[1], parts[2]);
    } catch (const Error& error) {
      Fail(error.what());
    }
  }

  void CheckVersion() const {
    if (Metadata("format") != kFormat) Fail("not a fitted model: format '" + Metadata("format") + "'");
    const std::string& version = Metadata("version");
    int major = 0;
    try {
      major = std::stoi(version);
    } catch (const std::exception&) {
      Fail("unreadable version '" + version + "'");
    }
    if (major > kMajor) {
      throw Error(ErrorCode::kBadInput, origin_ + ": written by a newer version of InstantGP (model format " + version +
                                            ", this program reads up to " + std::to_string(kMajor) +
                                            ".x). Update InstantGP or fit the model again.");
    }
  }

 private:
  const TensorViews& file_;
  std::string origin_;
};

NeighbourPosterior NeighboursFrom(const Reader& reader, const json& meta, const Expression& expression, Matrix X,
                                  Vector y, const LogParameters& theta) {
  const auto n = static_cast<std::int64_t>(y.size());
  const json& description = meta.at("neighbours");
  const auto count = JsonInteger<std::int64_t>(description.at("count")),
             tree = JsonInteger<std::int64_t>(description.at("tree_rows"));
  NeighbourRule rule;
  description.at("eps").get_to(rule.eps);
  for (const json& anchor : description.at("anchors")) rule.anchors.push_back(JsonInteger<int>(anchor));
  if (count < 1 || count > n || tree < 1 || tree > n) reader.Fail("impossible number of neighbours or of rows");
  if (!(rule.eps >= 0 && rule.eps <= 100)) reader.Fail("impossible precision of the search");
  if (static_cast<std::int64_t>(rule.anchors.size()) > count) reader.Fail("more anchors than neighbours");
  for (const int anchor : rule.anchors) {
    if (anchor < 0 || anchor >= n) reader.Fail("an anchor is not one of the rows");
  }
  rule.count = static_cast<int>(count);
  if (description.value("linear", false)) {
    auto linear = std::make_shared<LinearPart>();
    linear->features = LinearFeaturesOf(expression);
    const std::size_t size = linear->features.size();
    if (size == 0) reader.Fail("a regression that the kernel does not have");
    linear->mean = reader.VectorOf("linear_mean", size);
    linear->cov = reader.MatrixOf("linear_cov", linear->size(), linear->size());
    if (linear->cov != linear->cov.transpose()) reader.Fail("a covariance that is not symmetric");
    rule.linear = std::move(linear);
  }
  return NeighbourPosterior(expression, RowTree::InOrder(std::move(X), std::move(y), tree), theta, std::move(rule),
                            reader.VectorOf("left_out_nll", 1)[0]);
}

Model ParseChecked(const Reader& reader) {
  reader.CheckVersion();
  const ParsedJson parsed(reader.Metadata("model"));
  const json& meta = parsed.value();
  const auto n = JsonInteger<std::int64_t>(meta.at("n")), d = JsonInteger<std::int64_t>(meta.at("d"));
  if (n < 1 || d < 1 || n > kMostRows || d > kMostColumns) reader.Fail("impossible size");
  const auto names = meta.at("columns").get<std::vector<std::string>>();
  if (static_cast<std::int64_t>(names.size()) != d) reader.Fail("the column names do not match the number of columns");
  const Expression expression = ParseKernel(meta.at("kernel").get<std::string>(), names);

  const std::size_t rows = static_cast<std::size_t>(n), columns = static_cast<std::size_t>(d);
  Matrix X = reader.MatrixOf("X", n, d);
  Scaler scaler;
  scaler.x_min = reader.VectorOf("x_min", columns);
  scaler.x_range = reader.VectorOf("x_range", columns);
  const Vector y_scale = reader.VectorOf("y_scale", 2);
  scaler.y_mean = y_scale[0];
  scaler.y_std = y_scale[1];
  scaler.constant_column = meta.at("constant_column").get<std::vector<bool>>();
  scaler.constant_target = meta.at("constant_target").get<bool>();
  if (meta.contains("recipe")) scaler.recipe = reader.RecipeOf(meta.at("recipe"), names);
  scaler.y_spread = scaler.y_std;
  if (meta.contains("transform")) {
    scaler.transform = reader.TransformOf(meta.at("transform"));
    scaler.y_spread = reader.VectorOf("y_spread", 1)[0];
  }
  if (scaler.constant_column.size() != columns) reader.Fail("the scaling does not match the number of columns");
  if (!(scaler.x_range.minCoeff() > 0) || !(scaler.y_std > 0) || !(scaler.y_spread > 0))
    reader.Fail("the scaling has a range that is not positive");

  const LogParameters theta = reader.VectorOf("theta", static_cast<std::size_t>(NumParameters(expression)) + 1);
  Vector y = reader.VectorOf("y", rows);
  const double jitter = reader.VectorOf("jitter", 1)[0];
  const auto target = meta.at("target").get<std::string>();
  FitSummary summary = SummaryFromJson(meta.at("summary"));
  if (const json& about = meta.at("summary"); about.contains("transforms")) {
    for (const json& tried : about.at("transforms")) {
      summary.transforms.emplace_back(reader.KindOf(tried.at(0)), tried.at(1).get<double>());
    }
  }
  if (summary.inferred_rows < 0 || summary.inferred_rows > n) reader.Fail("impossible number of inferred rows");
  auto warnings = meta.at("warnings").get<std::vector<std::string>>();
  if (meta.contains("neighbours")) {
    return Model(NeighboursFrom(reader, meta, expression, std::move(X), std::move(y), theta), std::move(scaler), names,
                 target, std::move(summary), std::move(warnings));
  }
  if (n > (1 << 20)) reader.Fail("impossible size");
  if (meta.contains("inducing")) {
    const auto m = JsonInteger<std::int64_t>(meta.at("inducing"));
    if (m < 1 || m > (1 << 20)) reader.Fail("impossible number of inducing points");
    const std::size_t points = static_cast<std::size_t>(m);
    SparsePosterior sparse(expression, {std::move(X), std::move(y), reader.MatrixOf("Z", m, d), theta,
                                        reader.Factor("L", m), reader.Factor("LB", m), reader.VectorOf("c", points),
                                        reader.VectorOf("negative_elbo", 1)[0], jitter});
    return Model(std::move(sparse), std::move(scaler), names, target, std::move(summary), std::move(warnings));
  }
  Posterior posterior(expression, std::move(X), std::move(y), theta, reader.Factor("L", n),
                      reader.VectorOf("alpha", rows), jitter);
  if (meta.contains("draws")) {
    const auto count = JsonInteger<std::int64_t>(meta.at("draws"));
    if (count < 1 || count > kMostDraws) reader.Fail("impossible number of draws");
    // Every draw gets a factor like the one in the file; a small file must not ask for all memory there is.
    if (8.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(count) > kDefaultMemoryLimit) {
      reader.Fail(std::to_string(count) + " draws are too many for " + std::to_string(n) + " rows");
    }
    AveragedPosterior averaged(std::move(posterior), reader.MatrixOf("draws", theta.size(), count));
    return Model(std::move(averaged), std::move(scaler), names, target, std::move(summary), std::move(warnings));
  }
  return Model(std::move(posterior), std::move(scaler), names, target, std::move(summary), std::move(warnings));
}

// What is stored of a model: tensors that are the model's own memory where they can be.
class ModelTensors {
 public:
  explicit ModelTensors(const Model& model);

  const TensorViews& file() const { return file_; }

 private:
  // Of something made for the file.
  void Add(const std::string& name, std::vector<double> values, std::vector<std::int64_t> shape) {
    made_.push_back(std::move(values));
    file_.tensors[name] = ViewTensor(made_.back().data(), std::move(shape));
  }
  void AddLower(const std::string& name, const Matrix& L) {
    const std::int64_t m = L.rows();
    Add(name, PackLower(L), {m * (m + 1) / 2});
  }

  TensorViews file_;
  std::deque<std::vector<double>> made_;
};

ModelTensors::ModelTensors(const Model& model) {
  const Predictive& p = model.predictive();
  const Scaler& s = model.scaler();
  const std::int64_t n = model.rows(), d = model.columns();
  file_.metadata["format"] = kFormat;
  const bool of_table = model.recipe() != nullptr || model.neighbours() != nullptr;
  file_.metadata["version"] = !model.transform().none()  ? kVersionOfTransforms
                              : of_table                 ? kVersionOfTables
                              : model.AveragedOver() > 0 ? kVersionWithDraws
                                                         : kVersionWithoutDraws;
  JsonObject meta;
  meta.Set("n", n).Set("d", d).Set("kernel", model.KernelText());
  meta.Set("columns", model.column_names()).Set("target", model.target_name());
  meta.Set("constant_column", s.constant_column).Set("constant_target", s.constant_target);
  meta.Set("summary", SummaryToJson(model.summary())).Set("warnings", model.warnings());
  if (model.recipe() != nullptr) meta.Set("recipe", RecipeToJson(*model.recipe()));
  if (!s.transform.none()) {
    meta.Set("transform", Name(s.transform.kind()));
    Add("transform", {s.transform.shift(), s.transform.least(), s.transform.largest()}, {3});
    Add("y_spread", {s.y_spread}, {1});
  }
  file_.tensors["X"] = ViewTensor(p.X().data(), {d, n});  // column after column
  file_.tensors["y"] = ViewTensor(p.y().data(), {n});
  file_.tensors["theta"] = ViewTensor(p.theta().data(), {static_cast<std::int64_t>(p.theta().size())});
  if (const NeighbourPosterior* neighbours = model.neighbours()) {
    const NeighbourRule& rule = neighbours->rule();
    JsonObject description;
    description.Set("count", std::min<std::int64_t>(rule.count, n)).Set("eps", rule.eps);
    description.Set("tree_rows", neighbours->tree().tree_rows()).Set("anchors", rule.anchors);
    Add("left_out_nll", {neighbours->nlml()}, {1});
    if (rule.linear != nullptr && rule.linear->size() > 0) {
      const std::int64_t size = rule.linear->size();
      description.Set("linear", true);
      file_.tensors["linear_mean"] = ViewTensor(rule.linear->mean.data(), {size});
      file_.tensors["linear_cov"] = ViewTensor(rule.linear->cov.data(), {size, size});
    }
    meta.Set("neighbours", description);
  } else if (const SparsePosterior* sparse = model.sparse()) {
    const SparsePosterior::Parts& parts = sparse->parts();
    const std::int64_t m = parts.Z.rows();
    meta.Set("inducing", m);
    file_.tensors["Z"] = ViewTensor(parts.Z.data(), {d, m});
    AddLower("L", parts.L);
    AddLower("LB", parts.LB);
    file_.tensors["c"] = ViewTensor(parts.c.data(), {m});
    Add("negative_elbo", {parts.negative_elbo}, {1});
  } else {
    AddLower("L", model.posterior().L());
    file_.tensors["alpha"] = ViewTensor(model.posterior().alpha().data(), {n});
  }
  if (model.AveragedOver() > 0) {
    const Matrix draws = model.Draws();
    meta.Set("draws", draws.cols());
    Add("draws", {draws.data(), draws.data() + draws.size()}, {draws.cols(), draws.rows()});  // one after the other
  }
  file_.metadata["model"] = meta.Text();
  file_.tensors["x_min"] = ViewTensor(s.x_min.data(), {d});
  file_.tensors["x_range"] = ViewTensor(s.x_range.data(), {d});
  Add("y_scale", {s.y_mean, s.y_std}, {2});
  Add("jitter", {p.jitter()}, {1});
}

}  // namespace

std::string SerializeModel(const Model& model) { return SerializeTensors(ModelTensors(model).file()); }

Model ParseModel(std::string_view bytes, const std::string& origin) {
  const TensorViews file = ViewTensors(bytes, origin);
  const Reader reader(file, origin);
  try {
    return ParseChecked(reader);
  } catch (const json::exception& e) {
    reader.Fail(std::string("damaged description of the model (") + e.what() + ")");
  }
}

void SaveModel(const Model& model, const std::string& path) {
  const ModelTensors tensors(model);
  AtomicFile file(path);
  WriteTensors(tensors.file(), [&](std::string_view piece) { file.Write(piece); });
  file.Commit();
}

Model LoadModel(const std::string& path) { return ParseModel(MappedFile(path).bytes(), path); }

}  // namespace instantgp
