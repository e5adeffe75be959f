// A network with its weights: reads a dataset once, answers for any structure.
//
//   const TrainedNetwork& network = TrainedNetwork::Embedded();
//   Encoding e = network.Encode(data);
//   for (const Structure& s : structures) Matrix theta = network.Decode(e, s);
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "instantgp/base/export.h"
#include "instantgp/base/matrix.h"
#include "instantgp/data/dataset.h"
#include "instantgp/inference/encoding.h"
#include "instantgp/kernel/structure.h"

namespace instantgp {

class ThreadPool;
struct NetworkConfig;
struct NetworkWeights;
struct StepWeights;

// Of n rows the network reads so many for one fit: a third, but at least 64 and at most 128, spread over the data.
// Attention to more of them costs most of its time and changes the answer little (docs/model-card.md).
int RowsReadForOneFit(int n);

// Immutable: const methods may run in parallel, and copies share the weights.
class INSTANTGP_EXPORT TrainedNetwork {
 public:
  explicit TrainedNetwork(NetworkWeights weights);
  static TrainedNetwork Load(const std::string& path);  // Error(kBadInput) naming the file
  // The network inside the library: read at the first call, constant from then on.
  static const TrainedNetwork& Embedded();
  static const TrainedNetwork& EmbeddedAhgp();  // the AHGP baseline, AHGP-SE-ARD

  const NetworkConfig& config() const;
  std::size_t num_weights() const;
  std::int64_t datasets_seen() const;
  const std::map<std::string, double>& validation() const;
  const StepWeights& steps() const;  // empty: steps down the likelihood have a constant pull (learned_pull.h)

  // Scales the data and reads `columns` of it (empty: all) and SpreadRows(): `most_rows` of them, or fewer should it
  // have been trained on fewer; 0: RowsReadForOneFit, and all it was trained on for the AHGP baseline. Beyond the
  // trained number of columns it reads them all. Data beyond the trained range leave a warning that names it.
  Encoding Encode(const Dataset& data, std::vector<int> columns = {}, ThreadPool* pool = nullptr,
                  int most_rows = 0) const;

  // The same for a table that is scaled already: X in [0,1], y of any scale about zero.
  Encoding Encode(ScaledTable table, std::vector<int> columns = {}, ThreadPool* pool = nullptr,
                  int most_rows = 0) const;

  // (p + 1, hypotheses): each column the LogParameters of ToExpression(structure), without the closed-form scale.
  // Error(kBadInput) when the structure uses a column that was not read or a symbol the network does not know.
  Matrix Decode(const Encoding& encoding, const Structure& structure, ThreadPool* pool = nullptr) const;
  std::vector<Matrix> Decode(const Encoding& encoding, std::span<const Structure> structures) const;

 private:
  struct Parts;
  std::shared_ptr<const Parts> parts_;
};

}  // namespace instantgp
