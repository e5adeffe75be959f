// Records taken apart for tables and figures.
#pragma once

#include <string>
#include <vector>

#include "instantgp/experiments/run/record.h"

namespace instantgp {

// In the order of first appearance.
std::vector<std::string> DatasetsOf(const std::vector<Record>& records);
std::vector<std::string> StructuresOf(const std::vector<Record>& records);
// In the order we always show them: ours, then the baselines, then anything else as it appears.
std::vector<std::string> MethodsOf(const std::vector<Record>& records);

// "one-shot", "GP-ML (L-BFGS)", ...: as the paper calls them; the name itself for a method without one.
std::string MethodTitle(const std::string& method);
// The same method has the same colour in every figure.
std::string MethodColor(const std::string& method);

// Values of the fits that succeeded, over splits and structures.
std::vector<double> ValuesOf(const std::vector<Record>& records, const std::string& dataset, const std::string& method,
                             Metric metric);

// metric(method) / metric(reference) of the same dataset, split and structure, where both succeeded.
std::vector<double> RatiosOf(const std::vector<Record>& records, const std::string& dataset, const std::string& method,
                             const std::string& reference, Metric metric);

int CountFailures(const std::vector<Record>& records, const std::string& dataset, const std::string& method);

}  // namespace instantgp
