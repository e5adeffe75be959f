// instantgp train --phase steps: the step network for a trained network, into the same weights file.
#pragma once

#include <string>

#include "apps/cli/options/common.h"
#include "instantgp/training/config.h"

namespace instantgp::cli {

// Writes config.json, log.csv and last.safetensors, the weights of config.init_from (empty: the embedded ones) with the
// step network, into `folder`. `data`: a folder of CSV files to learn from too, the last column their target; empty:
// none.
void RunTrainSteps(const TrainingConfig& config, const std::string& folder, const std::string& data,
                   const CommonOptions& common);

}  // namespace instantgp::cli
