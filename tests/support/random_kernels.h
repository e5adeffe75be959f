// Kernels for tests: enumerated from the grammar, and random ones.
#pragma once

#include <vector>

#include "instantgp/base/matrix.h"
#include "instantgp/base/rng.h"
#include "instantgp/kernel/expression.h"
#include "instantgp/kernel/structure.h"

namespace instantgp::testing {

// Any tree of the language over columns 0..d-1, as built: not canonical, sums inside sums, squares, sums across
// columns. At most `max_depth` operators deep (0: a single leaf), two or three terms each.
Expression RandomExpression(RandomStream& random, int d, int max_depth);

// A member of the family: 1 to `max_addends` base symbols (repeats allowed) on each of the columns 0..d-1; with
// `skip_columns` some columns, but not all, are left out.
Structure RandomStructure(RandomStream& random, int d, int max_addends = 3, bool skip_columns = false);

// One column with one base symbol: 10.
std::vector<Structure> AllSymbolStructures();
// One column with the sum of two base symbols, equal ones too: 55.
std::vector<Structure> AllPairStructures();
// The kernels no network knows (MAT12, WIE, IOU, BIAS): alone, plus and times every elementary kernel, and times each
// on another column.
std::vector<Expression> AllLevelsAndTrends();
// Two columns with one base symbol each: 100.
std::vector<Structure> AllProductStructures();

// Uniform (rows, columns) with no entry within `distance` of another one, or of one of A's, in the same column: where
// MAT12, WIE and IOU have a kink, differences know no slope.
Matrix UniformApartFrom(const Matrix& A, RandomStream& random, Index rows, double distance = 4e-3);

// The same tree with the terms of every operator in random order.
Expression Shuffled(const Expression& expression, RandomStream& random);

}  // namespace instantgp::testing
