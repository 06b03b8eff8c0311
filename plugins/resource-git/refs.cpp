#include "resource-git/refs.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

namespace quarry::resource_git {
namespace {

constexpr std::string_view kHeads = "refs/heads/";
constexpr std::string_view kTags = "refs/tags/";

/// Walks over the lines of a pkt-line stream; flush and delimiter packets are skipped.
class Packets {
 public:
  explicit Packets(std::string_view body) : rest_(body) {}

  /// The next line without its newline; nullopt at the end, or when no valid packet follows.
  std::optional<std::string_view> next() {
    for (;;) {
      const auto size = length();
      if (!size) return {};
      if (*size >= 4) return take(*size);
      rest_.remove_prefix(4);
    }
  }
  /// True if all bytes belonged to packets.
  [[nodiscard]] bool whole() const { return rest_.empty(); }

 private:
  [[nodiscard]] std::optional<std::size_t> length() const {
    if (rest_.size() < 4) return {};
    std::size_t size = 0;
    for (const char c : rest_.substr(0, 4)) {
      const auto digit = std::string_view("0123456789abcdef").find(static_cast<char>(c | 0x20));
      if (digit == std::string_view::npos) return {};
      size = size * 16 + digit;
    }
    if (size > rest_.size() || size == 3) return {};
    return size;
  }
  std::string_view take(std::size_t size) {
    auto line = rest_.substr(4, size - 4);
    rest_.remove_prefix(size);
    if (line.ends_with('\n')) line.remove_suffix(1);
    return line;
  }

  std::string_view rest_;
};

std::vector<std::string> words(std::string_view line) {
  std::vector<std::string> out;
  while (!line.empty()) {
    const auto end = std::min(line.find(' '), line.size());
    if (end != 0) out.emplace_back(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return out;
}

bool is_id(std::string_view text) {
  return (text.size() == 40 || text.size() == 64) &&
         text.find_first_not_of("0123456789abcdef") == text.npos;
}

bool is_nothing(std::string_view id) {
  return id.find_first_not_of('0') == id.npos;
}

/// Reads "<id> <name>" of versions 0 and 1; the first also has the capabilities after a NUL.
bool take_ref(std::string_view line, Advertisement& said) {
  const auto nul = line.find('\0');
  if (nul != line.npos) {
    said.capabilities = words(line.substr(nul + 1));
    line = line.substr(0, nul);
  }
  const auto space = line.find(' ');
  if (space == line.npos || !is_id(line.substr(0, space))) return false;
  const std::string_view id = line.substr(0, space);
  const std::string_view name = line.substr(space + 1);
  if (is_nothing(id)) return true;
  if (name.ends_with("^{}")) {
    const auto tag = name.substr(0, name.size() - 3);
    if (!said.refs.empty() && said.refs.back().name == tag) said.refs.back().peeled = id;
    return true;
  }
  said.refs.push_back({std::string(name), std::string(id), "", ""});
  return true;
}

void name_head(Advertisement& said) {
  constexpr std::string_view kHead = "symref=HEAD:";
  for (const std::string& capability : said.capabilities) {
    if (!capability.starts_with(kHead)) continue;
    for (Ref& ref : said.refs) {
      if (ref.name == "HEAD") ref.target = capability.substr(kHead.size());
    }
  }
}

std::string packet(std::string_view line) {
  constexpr std::string_view kHex = "0123456789abcdef";
  const std::size_t size = line.size() + 5;
  std::string out = "0000";
  for (std::size_t i = 0; i < 4; ++i) out[i] = kHex[size >> (12 - 4 * i) & 15];
  return out.append(line) += '\n';
}

/// The Levenshtein distance.
std::size_t distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t replaced = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

const Ref* named(const Refs& refs, std::string_view name) {
  const auto found = std::ranges::find(refs, name, &Ref::name);
  return found == refs.end() || found->id.empty() ? nullptr : &*found;
}

}  // namespace

bool Advertisement::offers(std::string_view command, std::string_view feature) const {
  for (const std::string& line : capabilities) {
    if (!line.starts_with(command)) continue;
    const std::string_view rest = std::string_view(line).substr(command.size());
    if (rest.starts_with('=') && std::ranges::count(words(rest.substr(1)), feature) != 0) {
      return true;
    }
  }
  return false;
}

std::optional<Advertisement> parse_advertisement(std::string_view body, std::string& error) {
  Packets packets(body);
  Advertisement said;
  bool first = true;
  while (const auto line = packets.next()) {
    if (line->starts_with("ERR ")) {
      error = line->substr(4);
      return std::nullopt;
    }
    const bool opening = std::exchange(first, false);
    if (opening && line->starts_with("# service=")) {
      first = true;
    } else if (*line == "version 2") {
      said.version = 2;
    } else if (*line == "version 1") {
      continue;
    } else if (said.version == 2) {
      said.capabilities.emplace_back(*line);
    } else if (!take_ref(*line, said)) {
      return std::nullopt;
    }
  }
  if (!packets.whole() || body.empty()) return std::nullopt;
  name_head(said);
  return said;
}

std::string ls_refs_request(const std::vector<std::string>& prefixes, bool unborn) {
  std::string body = packet("command=ls-refs") + "0001" + packet("peel") + packet("symrefs");
  if (unborn) body += packet("unborn");
  for (const std::string& prefix : prefixes) body += packet("ref-prefix " + prefix);
  return body + "0000";
}

std::optional<Refs> parse_ls_refs(std::string_view body, std::string& error) {
  Packets packets(body);
  Refs refs;
  while (const auto line = packets.next()) {
    if (line->starts_with("ERR ")) {
      error = line->substr(4);
      return std::nullopt;
    }
    const auto parts = words(*line);
    if (parts.size() < 2 || (!is_id(parts[0]) && parts[0] != "unborn")) return std::nullopt;
    Ref ref{parts[1], parts[0] == "unborn" ? "" : parts[0], "", ""};
    for (std::size_t i = 2; i < parts.size(); ++i) {
      if (parts[i].starts_with("symref-target:")) ref.target = parts[i].substr(14);
      if (parts[i].starts_with("peeled:")) ref.peeled = parts[i].substr(7);
    }
    refs.push_back(std::move(ref));
  }
  if (!packets.whole() || body.empty()) return std::nullopt;
  return refs;
}

Refs parse_ls_remote(std::string_view text) {
  Advertisement said;
  std::string head;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    std::string line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    const auto tab = line.find('\t');
    if (tab == line.npos) continue;
    if (line.starts_with("ref: ")) {
      if (line.substr(tab + 1) == "HEAD") head = line.substr(5, tab - 5);
      continue;
    }
    line[tab] = ' ';
    take_ref(line, said);
  }
  if (!head.empty()) said.capabilities = {"symref=HEAD:" + head};
  name_head(said);
  return std::move(said.refs);
}

std::vector<std::string> wanted_prefixes(const std::string& branch) {
  if (branch.empty()) return {"HEAD"};
  if (branch.starts_with("refs/")) return {branch};
  return {std::string(kHeads) + branch, std::string(kTags) + branch};
}

std::optional<Found> find_ref(const Refs& refs, const std::string& branch) {
  if (branch.empty()) {
    const Ref* head = named(refs, "HEAD");
    if (head == nullptr) return {};
    return Found{head->target.empty() ? "HEAD" : head->target, head->id};
  }
  for (const std::string& name : wanted_prefixes(branch)) {
    const Ref* ref = named(refs, name);
    if (ref != nullptr) return Found{ref->name, ref->peeled.empty() ? ref->id : ref->peeled};
  }
  return {};
}

std::optional<ContinuedRef> find_continued_ref(const Refs& refs, const std::string& branch,
                                               std::string_view path) {
  for (std::size_t end = path.size(); end != path.npos && end != 0;
       end = path.rfind('/', end - 1)) {
    auto found = find_ref(refs, branch + "/" + std::string(path.substr(0, end)));
    if (!found) continue;
    const bool all = end == path.size();
    return ContinuedRef{std::move(*found), std::string(all ? "" : path.substr(end + 1))};
  }
  return {};
}

bool is_short_commit(std::string_view text) {
  return text.size() >= 7 && text.size() < 40 &&
         text.find_first_not_of("0123456789abcdefABCDEF") == text.npos;
}

std::vector<std::string> commits_beginning_with(const Refs& refs, std::string_view digits) {
  std::string wanted(digits);
  for (char& c : wanted) c = c >= 'A' && c <= 'F' ? static_cast<char>(c | 0x20) : c;
  std::set<std::string> out;
  for (const Ref& ref : refs) {
    const std::string& commit = ref.peeled.empty() ? ref.id : ref.peeled;
    if (commit.starts_with(wanted)) out.insert(commit);
  }
  return {out.begin(), out.end()};
}

std::string_view short_name(std::string_view ref) {
  if (ref.starts_with(kHeads)) return ref.substr(kHeads.size());
  if (ref.starts_with(kTags)) return ref.substr(kTags.size());
  return ref;
}

std::vector<std::string> nearest(const Refs& refs, std::string_view wanted, std::size_t most) {
  struct Candidate {
    bool tag;
    std::size_t distance;
    std::string_view name;
  };
  std::vector<Candidate> candidates;
  for (const Ref& ref : refs) {
    if (!ref.name.starts_with(kHeads) && !ref.name.starts_with(kTags)) continue;
    const auto name = short_name(ref.name);
    const bool contained = name.find(wanted) != name.npos || wanted.find(name) != wanted.npos;
    candidates.push_back(
        {ref.name.starts_with(kTags), contained ? 0 : distance(wanted, name), name});
  }
  std::ranges::stable_sort(candidates, [](const Candidate& a, const Candidate& b) {
    return a.distance != b.distance ? a.distance < b.distance : a.tag < b.tag;
  });
  std::vector<std::string> out;
  for (const Candidate& candidate : candidates) {
    if (out.size() < most) out.emplace_back(candidate.name);
  }
  return out;
}

}  // namespace quarry::resource_git
