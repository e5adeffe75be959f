// The alphabet of the kernel language: four elementary kernels and ten base symbols.
//
//   SE     v exp(-(x-x')^2 / (2 l^2))
//   LIN    v x x' + c
//   PER    v exp(-sin^2(pi (x-x') / p) / (2 l^2))
//   MAT52  v (1 + s + s^2/3) exp(-s),  s = sqrt(5) |x-x'| / l
//
// Base symbols are the four and their six products of two different ones. A product symbol keeps all parameters of
// both factors.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

namespace instantgp {

enum class Elementary { kSE, kLIN, kPER, kMAT52 };
inline constexpr int kNumElementary = 4;
inline constexpr std::array<Elementary, kNumElementary> kAllElementary = {Elementary::kSE, Elementary::kLIN,
                                                                          Elementary::kPER, Elementary::kMAT52};

// "SE", "LIN", "PER", "MAT52"
std::string_view Name(Elementary symbol);

enum class ParameterKind { kVariance, kLengthscale, kPeriod, kOffset };

// "variance", "lengthscale", "period", "offset"
std::string_view Name(ParameterKind kind);

// The parameters of an elementary kernel in table order: variance first, then lengthscale, period or offset.
std::span<const ParameterKind> ParametersOf(Elementary symbol);

// A base symbol, by its number 0..9:
// SE, LIN, PER, MAT52, SE*LIN, SE*PER, SE*MAT52, LIN*PER, LIN*MAT52, PER*MAT52.
using BaseSymbol = int;
inline constexpr int kNumBaseSymbols = 10;

std::string_view Name(BaseSymbol symbol);
// One or two factors, in ascending order.
std::span<const Elementary> FactorsOf(BaseSymbol symbol);
std::optional<BaseSymbol> ProductSymbol(Elementary a, Elementary b);  // nullopt when a == b
int NumParameters(BaseSymbol symbol);

}  // namespace instantgp
