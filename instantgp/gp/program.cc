#include "instantgp/gp/program.h"

#include <utility>

#include "instantgp/base/check.h"

namespace instantgp {

bool HasExponent(Elementary symbol) {
  return symbol == Elementary::kSE || symbol == Elementary::kPER || symbol == Elementary::kMAT52 ||
         symbol == Elementary::kMAT12;
}

int NumTables(Elementary symbol) {
  switch (symbol) {
    case Elementary::kSE:
    case Elementary::kMAT52:
    case Elementary::kMAT12:
    case Elementary::kWIE:
      return 1;
    case Elementary::kLIN:
      return 2;
    case Elementary::kPER:
      return 3;
    case Elementary::kIOU:
      return 4;
    case Elementary::kBIAS:
      return 0;
  }
  return 0;
}

Program::Program(const Expression& e) : expression(e) { Compile(e); }

int Program::NewSlots(int count) {
  num_slots += count;
  return num_slots - count;
}

int Program::AddLeaf(const Expression& e) {
  INSTANTGP_CHECK(e.column >= 0);
  ProgramLeaf leaf{e.symbol, e.column, num_parameters, num_tables, NewSlots(1), 0};
  if (e.symbol == Elementary::kPER || e.symbol == Elementary::kIOU) leaf.extra_slot = NewSlots(1);
  num_parameters += static_cast<int>(ParametersOf(e.symbol).size());
  num_tables += NumTables(e.symbol);
  leaves.push_back(leaf);
  return static_cast<int>(leaves.size()) - 1;
}

int Program::AddMonomial(const std::vector<int>& members) {
  ProgramNode node{ProgramNode::Kind::kMonomial, {}, {}, {}};
  for (int l : members) (HasExponent(leaves[l].symbol) ? node.leaves : node.plain).push_back(l);
  // A plain leaf alone is its own value.
  node.value_slot = members.size() == 1 && !node.plain.empty() ? leaves[members[0]].slot : NewSlots(1);
  if (!node.leaves.empty()) node.weighted_slot = NewSlots(1);
  if (!node.plain.empty()) {
    node.rest_slot = NewSlots(1);
    node.first_slot = NewSlots(static_cast<int>(node.plain.size()) + 1);
  }
  nodes.push_back(std::move(node));
  return static_cast<int>(nodes.size()) - 1;
}

// Leaves are numbered as they are met, so their order is the depth-first order of the parameter table.
int Program::Compile(const Expression& e) {
  if (e.op == Expression::Op::kLeaf) return AddMonomial({AddLeaf(e)});
  std::vector<int> children, members;
  for (const Expression& term : e.terms) {
    if (e.op == Expression::Op::kProduct && term.op == Expression::Op::kLeaf) {
      members.push_back(AddLeaf(term));
    } else {
      children.push_back(Compile(term));
    }
  }
  if (!members.empty()) children.push_back(AddMonomial(members));
  if (children.size() == 1) return children[0];
  ProgramNode node{
      e.op == Expression::Op::kSum ? ProgramNode::Kind::kSum : ProgramNode::Kind::kProduct, children, {}, {}};
  node.value_slot = NewSlots(1);
  if (node.kind == ProgramNode::Kind::kProduct) node.first_slot = NewSlots(static_cast<int>(children.size()) + 1);
  nodes.push_back(std::move(node));
  return static_cast<int>(nodes.size()) - 1;
}

}  // namespace instantgp
