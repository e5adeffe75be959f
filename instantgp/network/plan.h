// How the symbols of one or more structures are laid out as tokens of the kernel encoder-decoder.
//
// A group is one structure in one hypothesis. Groups follow each other; within a group tokens come column by column,
// and a segment is the tokens of one column of one group.
#pragma once

#include <span>
#include <vector>

#include "instantgp/kernel/structure.h"
#include "instantgp/network/config.h"
#include "instantgp/network/layout.h"
#include "instantgp/network/ops/attention.h"

namespace instantgp {

// One use of a head: it reads one token and writes consecutive rows of one column of theta.
struct HeadUse {
  int token = 0;
  int group = 0;
  int row = 0;               // of theta, for the head's first output
  int addends = 1;           // on the token's column
  int dimensions = 1;        // of the structure
  bool first_factor = true;  // the head's first factor is the first factor of its symbol
};

// Hypotheses first .. first + count - 1 of those the network has.
struct HypothesisRange {
  int first = 0;
  int count = 1;
};

// Reused from call to call: vectors keep their memory.
class DecodePlan {
 public:
  // Throws Error(kBadInput) when a structure does not fit the network or the encoding.
  void Build(const NetworkLayout& layout, HypothesisRange hypotheses, int columns,
             std::span<const Structure> structures);

  int tokens() const { return segment_begin_.back(); }
  int num_groups() const { return static_cast<int>(group_segment_.size()) - 1; }
  int hypotheses() const { return hypotheses_.count; }  // of this plan: columns of each theta
  int hypothesis(int group) const { return hypotheses_.first + group % hypotheses_.count; }
  int parameters(int structure) const { return parameters_[structure]; }  // without the noise
  Segments segments() const { return {segment_begin_.data(), static_cast<int>(segment_begin_.size()) - 1}; }
  // The segments of each group, and the tokens of each group, as segments.
  Segments segments_of_groups() const { return {group_segment_.data(), num_groups()}; }
  Segments tokens_of_groups() const { return {group_token_.data(), num_groups()}; }
  const std::vector<int>& one_hot() const { return one_hot_; }  // per token: its row of the symbol projection
  const std::vector<int>& column() const { return column_; }    // per segment: its row of the encoding
  const std::vector<HeadUse>& uses(int head) const { return uses_[head]; }

 private:
  HypothesisRange hypotheses_;
  std::vector<int> segment_begin_, group_segment_, group_token_, one_hot_, column_, parameters_;
  std::vector<std::vector<HeadUse>> uses_;
};

}  // namespace instantgp
