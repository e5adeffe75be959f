// Weights as a file: safetensors (f32), one tensor per WeightTensor, everything needed to use them in the metadata.
//
// Metadata: "format" = "instantgp-weights", "format_version", "config" (JSON), "symbols" (names, comma-separated),
// "trained_range" (JSON: max_n, max_d), "datasets_seen", "validation" (JSON: figure -> number), and where there is a
// step network "steps" (JSON: hidden, features, datasets_seen), whose tensors stand beside the others.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "instantgp/network/config.h"
#include "instantgp/network/step_network.h"

namespace instantgp {

struct NetworkWeights {
  NetworkConfig config;
  std::vector<float> values;  // in the order of Network(config).tensors()
  std::int64_t datasets_seen = 0;
  std::map<std::string, double> validation;  // e.g. "gap_median"
  StepWeights steps = {};                    // trained for this network; empty: none
};

inline constexpr int kWeightsFormatVersion = 1;

std::string SerializeWeights(const NetworkWeights& weights);

// Strict: a container that is damaged (base/safetensors.h), another format or a newer version, a configuration that
// does not fit the tensors, missing or surplus tensors, metadata that contradict the configuration, values that are not
// finite are each an Error(kBadInput) naming `origin`.
NetworkWeights ParseWeights(std::string_view bytes, const std::string& origin);

// Atomic; Error(kFailure) when the file cannot be written.
void SaveWeights(const std::string& path, const NetworkWeights& weights);
NetworkWeights LoadWeights(const std::string& path);

}  // namespace instantgp
