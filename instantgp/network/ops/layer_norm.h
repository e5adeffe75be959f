// Layer normalisation of each row: y = gain * (x - mean) / sqrt(variance + 1e-5) + bias.
#pragma once

namespace instantgp {

inline constexpr double kNormEpsilon = 1e-5;

// hat (m, width) receives the normalised rows and rstd (m) the reciprocal deviations; both may be null. y may be x.
template <typename T>
void LayerNormForward(int m, int width, const T* x, const T* gain, const T* bias, T* y, T* hat, T* rstd);

// Adds to dgain and dbias; dx (m, width) = gradient, or += with accumulate. dx may be dy.
template <typename T>
void LayerNormBackward(int m, int width, const T* hat, const T* rstd, const T* gain, const T* dy, T* dx,
                       bool accumulate, T* dgain, T* dbias);

}  // namespace instantgp
