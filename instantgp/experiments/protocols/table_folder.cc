#include "instantgp/experiments/protocols/table_folder.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "instantgp/base/diagnosis.h"
#include "instantgp/base/error.h"
#include "instantgp/base/file.h"
#include "instantgp/data/airline.h"
#include "instantgp/data/csv.h"
#include "instantgp/experiments/run/fingerprint.h"

namespace instantgp {
namespace {

std::vector<std::filesystem::path> CsvFilesIn(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  std::filesystem::directory_iterator entry(folder, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    std::error_code no_file;
    if (entry->path().extension() == ".csv" && entry->is_regular_file(no_file)) files.push_back(entry->path());
  }
  if (error) {
    throw Error(ErrorCode::kBadInput, "the folder '" + folder + "' cannot be read: " + error.message());
  }
  std::sort(files.begin(), files.end());
  return files;
}

FolderTable ReadFolderTable(const std::filesystem::path& path) {
  const std::string bytes = ReadFile(path.string());
  Dataset data = ToDataset(ParseTable(bytes, path.filename().string()));
  if (data.rows() < kFewestTableRows) {
    throw Error(ErrorCode::kBadInput, "it has " + std::to_string(data.rows()) + (data.rows() == 1 ? " row" : " rows") +
                                          ", too few to divide into a training and a test half; give at least " +
                                          std::to_string(kFewestTableRows));
  }
  return {OneLine(path.stem().string()), Fingerprint(bytes), std::make_shared<const Dataset>(std::move(data))};
}

}  // namespace

TableFolder ReadTableFolder(const std::string& folder) {
  std::error_code ignored;
  if (folder.empty() || !std::filesystem::is_directory(folder, ignored)) {
    throw Error(
        ErrorCode::kBadInput,
        (folder.empty() ? "this experiment needs a folder of CSV files" : "there is no folder '" + folder + "'") +
            std::string(". Name one that holds the tables to compare on, each with the target as its last column"),
        {{"data", "DIR"}});
  }
  const std::vector<std::filesystem::path> files = CsvFilesIn(folder);
  if (files.empty()) {
    throw Error(ErrorCode::kBadInput,
                "the folder '" + folder +
                    "' holds no CSV file. Put the tables into it as NAME.csv, each with the target as its last column, "
                    "or name another folder",
                {{"data", "DIR"}});
  }
  TableFolder result;
  for (const std::filesystem::path& path : files) {
    try {
      result.tables.push_back(ReadFolderTable(path));
    } catch (const Error& error) {
      const std::string file = OneLine(path.filename().string());
      std::string reason = OneLine(error.what());
      if (reason.starts_with(file + ", ")) reason.erase(0, file.size() + 2);  // it is named beside
      result.skipped.push_back({file, reason});
    }
  }
  if (result.tables.empty()) {
    std::string list;
    for (const SkippedFile& skipped : result.skipped) list += "\n  " + skipped.file + ": " + skipped.reason;
    throw Error(ErrorCode::kBadInput, "no CSV file of the folder '" + folder +
                                          "' can be used. Correct one of them or name another folder:" + list);
  }
  return result;
}

TableFolder AirlineFolder() {
  return {{{"airline", "built in", std::make_shared<const Dataset>(AirlineExample())}}, {}};
}

}  // namespace instantgp
