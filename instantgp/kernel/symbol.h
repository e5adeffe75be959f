// The alphabet of the kernel language: eight elementary kernels, and ten base symbols made of the first four.
//
//   SE     v exp(-(x-x')^2 / (2 l^2))
//   LIN    v x x' + c
//   PER    v exp(-sin^2(pi (x-x') / p) / (2 l^2))
//   MAT52  v (1 + s + s^2/3) exp(-s),  s = sqrt(5) |x-x'| / l
//   MAT12  v exp(-|x-x'| / l)
//   WIE    v min(x, x')                    a random walk from x = 0
//   IOU    v l^2 (f(x/l) + f(x'/l) - f((x-x')/l)),  f(s) = |s| - 1 + exp(-|s|)
//                                          a trend whose slope has variance v and is forgotten over l, from x = 0
//   BIAS   v                               a level
//
// x = 0 is the smallest x of the data. On the other side of it WIE and IOU go on as mirror images, independent of this
// side: WIE is v min(|x|, |x'|) where the signs agree and 0 where they do not.
//
// Base symbols, which networks know, are SE, LIN, PER, MAT52 and their six products of two different ones. A product
// symbol keeps all parameters of both factors.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace instantgp {

enum class Elementary { kSE, kLIN, kPER, kMAT52, kMAT12, kWIE, kIOU, kBIAS };
inline constexpr int kNumElementary = 8;
inline constexpr std::array<Elementary, kNumElementary> kAllElementary = {
    Elementary::kSE,    Elementary::kLIN, Elementary::kPER, Elementary::kMAT52,
    Elementary::kMAT12, Elementary::kWIE, Elementary::kIOU, Elementary::kBIAS};

// "SE", "LIN", "PER", "MAT52", "MAT12", "WIE", "IOU", "BIAS"
std::string_view Name(Elementary symbol);

enum class ParameterKind { kVariance, kLengthscale, kPeriod, kOffset };

// "variance", "lengthscale", "period", "offset"
std::string_view Name(ParameterKind kind);

// The parameters of an elementary kernel in table order: variance first, then lengthscale, period or offset.
std::span<const ParameterKind> ParametersOf(Elementary symbol);

// The first four elementary kernels come first, with the numbers they have there; files and networks name symbols by
// text.
enum class BaseSymbol { kSE, kLIN, kPER, kMAT52, kSE_LIN, kSE_PER, kSE_MAT52, kLIN_PER, kLIN_MAT52, kPER_MAT52 };
inline constexpr int kNumBaseSymbols = 10;
inline constexpr std::array<BaseSymbol, kNumBaseSymbols> kAllBaseSymbols = {
    BaseSymbol::kSE,     BaseSymbol::kLIN,      BaseSymbol::kPER,     BaseSymbol::kMAT52,     BaseSymbol::kSE_LIN,
    BaseSymbol::kSE_PER, BaseSymbol::kSE_MAT52, BaseSymbol::kLIN_PER, BaseSymbol::kLIN_MAT52, BaseSymbol::kPER_MAT52};

inline constexpr int kNumElementaryBaseSymbols = 4;
// nullopt for the elementary kernels that no network knows
constexpr std::optional<BaseSymbol> ToBaseSymbol(Elementary symbol) {
  if (static_cast<int>(symbol) >= kNumElementaryBaseSymbols) return std::nullopt;
  return static_cast<BaseSymbol>(symbol);
}
// For arrays with one element per symbol.
constexpr std::size_t Number(BaseSymbol symbol) { return static_cast<std::size_t>(symbol); }

// "SE", "SE*LIN", ...
std::string_view Name(BaseSymbol symbol);
// One or two factors, in ascending order.
std::span<const Elementary> FactorsOf(BaseSymbol symbol);
std::optional<BaseSymbol> ProductSymbol(Elementary a, Elementary b);  // nullopt when a == b
int NumParameters(BaseSymbol symbol);

}  // namespace instantgp
