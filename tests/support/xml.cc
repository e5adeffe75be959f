#include "tests/support/xml.h"

#include <cctype>
#include <set>
#include <vector>

namespace instantgp::testing {
namespace {

class Checker {
 public:
  explicit Checker(std::string_view text) : text_(text) {}

  std::string Run() {
    SkipText(false);
    while (problem_.empty() && at_ < text_.size()) {
      if (roots_ == 1 && open_.empty()) Fail("content after the root element");
      Tag();
      SkipText(!open_.empty());
    }
    if (problem_.empty() && !open_.empty()) Fail("unclosed <" + open_.back() + ">");
    if (problem_.empty() && roots_ != 1) Fail("no root element");
    return problem_;
  }

 private:
  void Fail(const std::string& what) {
    if (problem_.empty()) problem_ = what + " at byte " + std::to_string(at_);
  }
  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool Take(char c) {
    if (Peek() != c) return false;
    ++at_;
    return true;
  }
  void SkipSpace() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  std::string Name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '-' ||
                                  text_[at_] == ':' || text_[at_] == '_')) {
      ++at_;
    }
    if (begin == at_ || std::isdigit(static_cast<unsigned char>(text_[begin]))) Fail("bad name");
    return std::string(text_.substr(begin, at_ - begin));
  }
  void Entity() {
    static const std::set<std::string_view> kKnown = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;", "&#39;"};
    const std::size_t end = text_.find(';', at_);
    if (end == std::string_view::npos || !kKnown.contains(text_.substr(at_, end - at_ + 1))) return Fail("bad entity");
    at_ = end + 1;
  }
  void Character() {
    const auto byte = static_cast<unsigned char>(text_[at_]);
    if (byte == '&') return Entity();
    if (byte < 0x20 && byte != '\n' && byte != '\t' && byte != '\r') return Fail("control character");
    if (byte >= 0x80) {
      const int extra = byte >= 0xF0 ? 3 : byte >= 0xE0 ? 2 : byte >= 0xC2 ? 1 : -1;
      if (extra < 0 || at_ + extra >= text_.size()) return Fail("bad UTF-8");
      for (int k = 1; k <= extra; ++k) {
        if ((static_cast<unsigned char>(text_[at_ + k]) & 0xC0) != 0x80) return Fail("bad UTF-8");
      }
      at_ += extra;
    }
    ++at_;
  }
  void SkipText(bool allowed) {
    while (problem_.empty() && at_ < text_.size() && text_[at_] != '<') {
      if (!allowed && !std::isspace(static_cast<unsigned char>(text_[at_]))) return Fail("text outside the root");
      Character();
    }
  }
  void Tag() {
    if (!Take('<')) return Fail("expected a tag");
    if (Take('/')) {
      const std::string name = Name();
      if (open_.empty() || open_.back() != name) return Fail("</" + name + "> closes nothing");
      open_.pop_back();
      SkipSpace();
      if (!Take('>')) Fail("unfinished closing tag");
      return;
    }
    const std::string name = Name();
    if (open_.empty()) ++roots_;
    std::set<std::string> attributes;
    for (;;) {
      const std::size_t before = at_;
      SkipSpace();
      if (!problem_.empty()) return;
      if (Take('>')) return open_.push_back(name);
      if (Take('/')) {
        if (!Take('>')) Fail("unfinished empty tag");
        return;
      }
      if (at_ == before) return Fail("attributes must be apart");
      if (!attributes.insert(Name()).second) return Fail("attribute twice");
      if (!Take('=') || !Take('"')) return Fail("attribute without a quoted value");
      while (problem_.empty() && Peek() != '"') {
        if (at_ >= text_.size() || Peek() == '<') return Fail("unfinished attribute");
        Character();
      }
      Take('"');
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int roots_ = 0;
  std::vector<std::string> open_;
  std::string problem_;
};

}  // namespace

std::string XmlProblem(std::string_view document) { return Checker(document).Run(); }

}  // namespace instantgp::testing
