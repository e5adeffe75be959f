// Means over groups of tokens, and the concatenation of step 6.
//
// Tokens of a dataset are stored dimension by dimension: token (i, j) of dimension i and point j is row i n + j.
#pragma once

#include "instantgp/network/ops/attention.h"

namespace instantgp {

// mean (segments, width): row s is the mean of the tokens of segment s.
template <typename T>
void SegmentMeanForward(const Segments& segments, int width, const T* x, T* mean);
// dx (tokens, width) += gradient
template <typename T>
void SegmentMeanBackward(const Segments& segments, int width, const T* dmean, T* dx);

// mean (n, width): row j is the mean over the d dimensions of the tokens of point j.
template <typename T>
void PointMeanForward(int n, int d, int width, const T* x, T* mean);
// dx (d n, width) += gradient
template <typename T>
void PointMeanBackward(int n, int d, int width, const T* dmean, T* dx);

// both (d n, points_width + width): row (i, j) is [points_j, x_ij].
template <typename T>
void ConcatForward(int n, int d, int points_width, int width, const T* points, const T* x, T* both);
// dpoints (n, points_width) and dx (d n, width) are overwritten.
template <typename T>
void ConcatBackward(int n, int d, int points_width, int width, const T* dboth, T* dpoints, T* dx);

}  // namespace instantgp
