#include "instantgp/kernel/symbol.h"

#include "instantgp/base/check.h"

namespace instantgp {
namespace {

using enum Elementary;
using enum ParameterKind;

struct BaseSymbolEntry {
  std::string_view name;
  int num_factors;
  std::array<Elementary, 2> factors;
};

constexpr std::array<BaseSymbolEntry, kNumBaseSymbols> kBaseSymbols = {{
    {"SE", 1, {kSE, kSE}},
    {"LIN", 1, {kLIN, kLIN}},
    {"PER", 1, {kPER, kPER}},
    {"MAT52", 1, {kMAT52, kMAT52}},
    {"SE*LIN", 2, {kSE, kLIN}},
    {"SE*PER", 2, {kSE, kPER}},
    {"SE*MAT52", 2, {kSE, kMAT52}},
    {"LIN*PER", 2, {kLIN, kPER}},
    {"LIN*MAT52", 2, {kLIN, kMAT52}},
    {"PER*MAT52", 2, {kPER, kMAT52}},
}};

constexpr std::array<std::string_view, kNumElementary> kElementaryNames = {"SE",    "LIN", "PER", "MAT52",
                                                                           "MAT12", "WIE", "IOU", "BIAS"};

constexpr std::array<ParameterKind, 1> kOneVariance = {kVariance};
constexpr std::array<ParameterKind, 2> kStationary = {kVariance, kLengthscale};
constexpr std::array<ParameterKind, 2> kLinear = {kVariance, kOffset};
constexpr std::array<ParameterKind, 3> kPeriodic = {kVariance, kLengthscale, kPeriod};

const BaseSymbolEntry& Entry(BaseSymbol symbol) {
  INSTANTGP_CHECK(Number(symbol) < kBaseSymbols.size());
  return kBaseSymbols[Number(symbol)];
}

}  // namespace

std::string_view Name(Elementary symbol) { return kElementaryNames[static_cast<std::size_t>(symbol)]; }

std::string_view Name(ParameterKind kind) {
  constexpr std::array<std::string_view, 4> kNames = {"variance", "lengthscale", "period", "offset"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::span<const ParameterKind> ParametersOf(Elementary symbol) {
  switch (symbol) {
    case kSE:
    case kMAT52:
    case kMAT12:
    case kIOU:
      return kStationary;
    case kLIN:
      return kLinear;
    case kPER:
      return kPeriodic;
    case kWIE:
    case kBIAS:
      return kOneVariance;
  }
  INSTANTGP_CHECK(false);
  return {};
}

std::string_view Name(BaseSymbol symbol) { return Entry(symbol).name; }

std::span<const Elementary> FactorsOf(BaseSymbol symbol) {
  const BaseSymbolEntry& entry = Entry(symbol);
  return {entry.factors.data(), static_cast<std::size_t>(entry.num_factors)};
}

std::optional<BaseSymbol> ProductSymbol(Elementary a, Elementary b) {
  for (const BaseSymbol symbol : kAllBaseSymbols) {
    const auto factors = FactorsOf(symbol);
    if (factors.size() < 2) continue;
    if ((factors[0] == a && factors[1] == b) || (factors[0] == b && factors[1] == a)) return symbol;
  }
  return std::nullopt;
}

int NumParameters(BaseSymbol symbol) {
  std::size_t count = 0;
  for (Elementary factor : FactorsOf(symbol)) count += ParametersOf(factor).size();
  return static_cast<int>(count);
}

}  // namespace instantgp
