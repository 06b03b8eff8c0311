#include "corpus/query/required_literals.h"

#include "corpus/text/letter_case.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include <re2/filtered_re2.h>

namespace quarry::corpus {
namespace {

constexpr std::size_t kMostAtoms = 64;    // bits of a mask
constexpr std::size_t kMostFinders = 16;  // above that, RE2's automaton is faster
constexpr std::size_t kLeastLiteral = 2;  // bytes

/// A finder for the rarest ASCII part of `atom`, because only its other case is known. RE2
/// lower-cases other characters by rules of its own.
std::optional<LiteralFinder> finder_for(std::string_view atom) {
  std::optional<LiteralFinder> best;
  while (!atom.empty()) {
    const auto is_ascii = [](char byte) { return static_cast<unsigned char>(byte) < 0x80; };
    const auto end = std::ranges::find_if_not(atom, is_ascii);
    const auto length = static_cast<std::size_t>(end - atom.begin());
    if (length >= kLeastLiteral) {
      LiteralFinder finder(std::string(atom.substr(0, length)), true);
      if (!best || finder.rarity() > best->rarity()) best = std::move(finder);
    }
    atom.remove_prefix(std::min(atom.size(), length + 1));
  }
  return best;
}

void drop_implied(std::vector<LiteralFinder>& finders) {
  std::ranges::sort(finders, {}, [](const auto& finder) { return finder.literal().size(); });
  std::vector<LiteralFinder> kept;
  for (LiteralFinder& finder : finders) {
    const bool implied = std::ranges::any_of(
        kept, [&](const auto& other) { return finder.literal().contains(other.literal()); });
    if (!implied) kept.push_back(std::move(finder));
  }
  finders = std::move(kept);
}

/// Adds the letters beyond ASCII: a line with a literal in such a spelling contains one of them.
void add_foldings(std::vector<LiteralFinder>& finders) {
  const auto any_has = [&](char letter) {
    return std::ranges::any_of(
        finders, [&](const auto& finder) { return finder.literal().contains(letter); });
  };
  const bool has_k = any_has('k');
  const bool has_s = any_has('s');
  if (has_k) finders.emplace_back(std::string(kKelvin), false);
  if (has_s) finders.emplace_back(std::string(kLongS), false);
}

}  // namespace

bool RequiredLiterals::may_match(const std::vector<int>& atoms) const {
  std::vector<int> passed;
  filter_->AllPotentials(atoms, &passed);
  return !passed.empty();
}

std::vector<LiteralFinder> RequiredLiterals::one_of(bool folds) const {
  if (atoms_.empty() || atoms_.size() > kMostAtoms || may_match({})) return {};
  std::vector<std::optional<LiteralFinder>> finders;
  for (const std::string& atom : atoms_) finders.push_back(finder_for(atom));
  std::vector<int> order(atoms_.size());
  std::iota(order.begin(), order.end(), 0);
  const auto rarity = [&](int atom) {
    const auto& finder = finders[static_cast<std::size_t>(atom)];
    return finder ? finder->rarity() : 0;
  };
  std::ranges::sort(order, {}, rarity);
  // A line without all wanted atoms cannot match; drop the most common atoms first.
  std::vector<int> unwanted;
  std::vector<LiteralFinder> wanted;
  for (const int atom : order) {
    unwanted.push_back(atom);
    if (!may_match(unwanted)) continue;
    unwanted.pop_back();
    auto& finder = finders[static_cast<std::size_t>(atom)];
    if (!finder) return {};
    wanted.push_back(std::move(*finder));
  }
  drop_implied(wanted);
  if (wanted.size() > kMostFinders) return {};
  if (folds) add_foldings(wanted);
  return wanted;
}

std::optional<std::vector<bool>> RequiredLiterals::candidates(const TrigramIndex& index,
                                                              FileId files, bool folds) const {
  if (atoms_.empty() || may_match({})) return std::nullopt;
  // Atoms beyond the mask are assumed present in every file, which only admits more files.
  const std::size_t known = std::min(atoms_.size(), kMostAtoms);
  std::vector<std::uint64_t> masks(files);
  for (std::size_t atom = 0; atom < known; ++atom) {
    for (const FileId file : index.candidates(atoms_[atom])) masks[file] |= 1ull << atom;
  }
  if (folds) {
    for (const FileId file : index.folding_files()) masks[file] = ~0ull;
  }
  std::unordered_map<std::uint64_t, bool> verdicts;
  const auto may_match_mask = [&](std::uint64_t mask) {
    const auto [verdict, is_new] = verdicts.try_emplace(mask, false);
    if (!is_new) return verdict->second;
    std::vector<int> present;
    for (std::size_t atom = 0; atom < atoms_.size(); ++atom) {
      if (atom >= known || (mask >> atom & 1) != 0) present.push_back(static_cast<int>(atom));
    }
    return verdict->second = may_match(present);
  };
  std::vector<bool> out(files);
  const bool without_any = may_match_mask(0);
  for (FileId file = 0; file < files; ++file) {
    out[file] = masks[file] == 0 ? without_any : may_match_mask(masks[file]);
  }
  return out;
}

}  // namespace quarry::corpus
