// Tables in requests: "csv" as text, "columns" as lists, or the built-in example. Nothing is read from files.
#pragma once

#include <string>

#include "apps/cli/options/data_options.h"
#include "apps/serve/api/fields.h"
#include "apps/serve/options.h"

namespace instantgp::serve {

// {"x": [1, 2], "city": ["Rome", null]} as the CSV it stands for. HttpError(400) for anything else.
std::string ColumnsAsCsv(const Json& columns);

// The text of a table: of "csv" or "columns" of the request. Error(kUsage) when there is none, or both.
std::string TextOfTable(Fields& fields);
// The same of an option that holds a table: a text, or an object with "csv" or "columns".
std::string TextOfTable(Fields& fields, const std::string& name);

// Error(kLimit) with the number when a table has too many cells.
void CheckCells(double rows, double columns, const Limits& limits);

// The table with its target, rows held out, and those of "predict": csv, columns, example, target, holdout,
// categorical, date_format, missing, unseen, predict.
cli::LoadedData LoadTable(Fields& fields, const Limits& limits, std::uint64_t seed,
                          const std::function<void(const Dataset&)>& check);

// What rows lack and what of them is new: missing, unseen.
NewRowsOptions RowPolicies(Fields& fields);

inline constexpr char kTableName[] = "the table";

}  // namespace instantgp::serve
