#include "instantgp/network/plan.h"

#include <string>

#include "instantgp/base/error.h"

namespace instantgp {
namespace {

[[noreturn]] void Bad(const std::string& message) { throw Error(ErrorCode::kBadInput, message); }

void CheckStructure(const NetworkLayout& layout, int columns, const Structure& structure) {
  if (structure.columns.empty() || structure.columns.size() != structure.symbols.size()) {
    Bad("the structure must have at least one column and a list of symbols for each");
  }
  for (int i = 0; i < structure.dimensions(); ++i) {
    if (structure.columns[i] < 0 || structure.columns[i] >= columns) {
      Bad("the structure uses column " + std::to_string(structure.columns[i] + 1) + ", but the encoded dataset has " +
          std::to_string(columns));
    }
    if (structure.symbols[i].empty()) {
      Bad("the structure has no symbol on column " + std::to_string(structure.columns[i] + 1) +
          "; leave the column out of it instead");
    }
    for (BaseSymbol symbol : structure.symbols[i]) {
      if (Number(symbol) >= layout.one_hot.size()) Bad("the structure holds a symbol that does not exist");
      if (layout.one_hot[Number(symbol)] >= 0) continue;
      std::string known;
      for (const BaseSymbol other : kAllBaseSymbols) {
        if (layout.one_hot[Number(other)] >= 0) known += (known.empty() ? "" : ", ") + std::string(Name(other));
      }
      Bad("the network was not made for the symbol " + std::string(Name(symbol)) + "; it knows " + known +
          ". Use another network or fit by type-2 maximum likelihood");
    }
  }
}

}  // namespace

void DecodePlan::Build(const NetworkLayout& layout, HypothesisRange hypotheses, int columns,
                       std::span<const Structure> structures) {
  for (const Structure& structure : structures) CheckStructure(layout, columns, structure);
  hypotheses_ = hypotheses;
  segment_begin_.assign(1, 0);
  group_segment_.assign(1, 0);
  group_token_.assign(1, 0);
  one_hot_.clear();
  column_.clear();
  parameters_.clear();
  uses_.resize(layout.heads.size());
  for (std::vector<HeadUse>& uses : uses_) uses.clear();

  for (const Structure& structure : structures) {
    int parameters = 0;
    for (int k = 0; k < hypotheses.count; ++k) {
      const int group = static_cast<int>(group_segment_.size()) - 1;
      int row = 0;
      for (int i = 0; i < structure.dimensions(); ++i) {
        const int addends = static_cast<int>(structure.symbols[i].size());
        for (BaseSymbol symbol : structure.symbols[i]) {
          bool first = true;
          for (int head : layout.heads_of[Number(symbol)]) {
            uses_[head].push_back(
                {static_cast<int>(one_hot_.size()), group, row, addends, structure.dimensions(), first});
            row += layout.heads[head].mlp.out();
            first = false;
          }
          one_hot_.push_back(layout.one_hot[Number(symbol)]);
        }
        column_.push_back(structure.columns[i]);
        segment_begin_.push_back(static_cast<int>(one_hot_.size()));
      }
      group_segment_.push_back(static_cast<int>(column_.size()));
      group_token_.push_back(static_cast<int>(one_hot_.size()));
      parameters = row;
    }
    parameters_.push_back(parameters);
  }
}

}  // namespace instantgp
