#include "package_source/unpack.h"

#include "package_source/path.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

namespace quarry::package_source {

namespace {

constexpr std::size_t kMostNames = std::size_t{256} << 20;  // bytes of all names
constexpr std::size_t kMostTop = 6;

/// What stands at a path.
struct Slot {
  std::size_t member = 0;  ///< whose content it has, counted from 0
  std::uint64_t size = 0;
  bool link = false;  ///< a symbolic link
  bool copy = false;  ///< a hard link, which gets the content of its target once more
};

/// What each path has in the end, decided by the headers alone.
class Plan {
 public:
  Plan(const ArchiveFile& file, const UnpackRules& rules) : file_(file), rules_(rules) {
    out.first_counts = rules.first_counts;
  }

  Problem read() {
    ArchiveReader reader(file_, rules_.limits);
    ArchiveMember member;
    for (;; ++out.members) {
      const auto more = reader.next(member);
      if (!more) return more.failure();
      if (!*more) break;
      if (auto failed = add(member)) return failed;
    }
    out.found = slots.size();
    find_root();
    return std::nullopt;
  }
  [[nodiscard]] const std::string& target_of(const Slot& slot) { return targets_[slot.member]; }

  std::map<std::string, Slot> slots;  ///< by path, with the root
  Unpacked out;

 private:
  /// The failure for `what`, if members of the kind are refused; else notes that it was left out.
  Problem leave_out(LeftOut& list, std::string_view name, bool refused, Fault fault,
                    const std::string& what) {
    if (refused) return file_.refuse(fault, what);
    list.add(name);
    return std::nullopt;
  }

  /// Components that paths lose if everything lies in one folder.
  [[nodiscard]] std::size_t lost() const { return rules_.strip + (rules_.strip_root ? 1 : 0); }

  Problem add(const ArchiveMember& member) {
    name_bytes_ += member.name.size() + member.target.size();
    if (name_bytes_ > kMostNames) {
      return file_.refuse(Fault::kTooMuch, "has more than 256 MiB of names");
    }
    if (member.name.empty()) {
      return leave_out(out.unreadable, "member " + std::to_string(out.members + 1),
                       rules_.refused.unreadable, Fault::kDamaged, "has a file without a name");
    }
    const auto name = plain_path(member.name);
    const bool absolute = rules_.refused.absolute && member.name.starts_with('/');
    if (!name || absolute) {
      return leave_out(out.outside, member.name, absolute || rules_.refused.outside,
                       Fault::kHostile,
                       "has the path \"" + shown(member.name) + "\", which leads out of it");
    }
    std::string path(without_components(*name, rules_.strip));
    const bool is_folder = member.kind == ArchiveMember::Kind::kFolder;
    if (path.empty()) {
      if (!is_folder) out.shallow.add(member.name);
    } else if (fits_tree(*name, lost())) {
      see_top(path);
      if (!is_folder) return add_at(std::move(path), member);
    } else if (!is_folder) {
      out.long_paths.add(path);
    }
    return std::nullopt;
  }

  Problem add_at(std::string path, const ArchiveMember& member) {
    using Kind = ArchiveMember::Kind;
    if (member.encrypted) {
      return leave_out(out.encrypted, path, rules_.refused.unreadable, Fault::kDamaged,
                       "has the encrypted file \"" + shown(path) + "\"");
    }
    if (member.kind == Kind::kHardLink) return add_hard_link(std::move(path), member);
    if (member.kind == Kind::kOther) {
      return leave_out(out.special, path, rules_.refused.devices, Fault::kHostile,
                       "has the device or pipe \"" + shown(member.name) + "\"");
    }
    if (member.kind == Kind::kSymbolicLink) {
      out.links.add(path);
      targets_[out.members] = member.target;
      return put(std::move(path), {out.members, 0, true});
    }
    if (!member.has_size) {
      return file_.refuse(Fault::kDamaged, "does not state the size of " + shown(path));
    }
    const auto& known = rules_.compressions;
    if (!known.empty() && !member.compression.empty() &&
        std::ranges::find(known, member.compression) == known.end()) {
      return file_.refuse(Fault::kDamaged,
                          "is packed in a way that is not read: " + member.compression);
    }
    return put(std::move(path), {out.members, member.size, false});
  }

  Problem add_hard_link(std::string path, const ArchiveMember& member) {
    if (!rules_.hard_links) return out.hard_links.add(path), std::nullopt;
    const auto target = plain_path(member.target);
    const auto at =
        target ? slots.find(std::string(without_components(*target, rules_.strip))) : slots.end();
    if (at != slots.end()) {
      if (at->first == path) return std::nullopt;
      Slot slot = at->second;
      slot.copy = true;
      return put(std::move(path), slot);
    }
    // Some programs write the content again.
    if (member.size > 0) return put(std::move(path), {out.members, member.size, false});
    if (target && !fits_tree(*target, lost())) {  // the target was left out
      return out.long_paths.add(path), std::nullopt;
    }
    return leave_out(out.dangling, path, rules_.refused.dangling, Fault::kHostile,
                     "has the hard link \"" + shown(path) + "\" to \"" + shown(member.target) +
                         "\", which is not in it");
  }

  Problem put(std::string path, const Slot& slot) {
    // As on a disk: what is there first decides whether a name is a file or a folder.
    if (const auto clash = clash_of(path); !clash.empty()) {
      return leave_out(out.blocked, path, rules_.refused.clashes, Fault::kHostile,
                       "has \"" + shown(clash) + "\" as a file and as a folder");
    }
    const auto [at, fresh] = slots.try_emplace(std::move(path), slot);
    if (fresh) return std::nullopt;
    out.repeated.add(at->first);
    if (!rules_.first_counts) at->second = slot;
    return std::nullopt;
  }

  /// The part of `path` that is a file, or `path` if it is a folder; empty if neither.
  [[nodiscard]] std::string_view clash_of(const std::string& path) const {
    const auto blocks = [this](const Slot& slot) { return !slot.link || rules_.links_block; };
    for (auto slash = path.find('/'); slash != path.npos; slash = path.find('/', slash + 1)) {
      const auto parent = slots.find(path.substr(0, slash));
      if (parent != slots.end() && blocks(parent->second)) return parent->first;
    }
    const std::string folder = path + '/';
    const auto beneath = slots.lower_bound(folder);
    const bool is_folder = beneath != slots.end() && beneath->first.starts_with(folder);
    return is_folder ? std::string_view(path) : std::string_view();
  }

  void see_top(std::string_view path) {
    const std::string_view first = path.substr(0, path.find('/'));
    if (out.top.size() == kMostTop || std::ranges::find(out.top, first) != out.top.end()) return;
    out.top.emplace_back(first);
  }

  void find_root() {
    if (!rules_.strip_root) return;
    if (out.top.size() == 1 && !slots.contains(out.top.front())) {
      out.root = out.top.front();
      return;
    }
    std::erase_if(slots, [this](const auto& slot) {
      if (fits_tree(slot.first)) return false;
      out.long_paths.add(slot.first);
      return true;
    });
  }

  const ArchiveFile& file_;
  const UnpackRules& rules_;
  std::size_t name_bytes_ = 0;
  std::unordered_map<std::size_t, std::string> targets_;  ///< of symbolic links, by member
};

/// A path that gets the content of a member.
struct Need {
  std::size_t member;
  std::uint64_t size;
  std::string path;
};

class Unpacker {
 public:
  Unpacker(const ArchiveFile& file, const UnpackRules& rules, Plan& plan, FileSink& sink)
      : file_(file), rules_(rules), plan_(plan), sink_(sink) {}

  Problem run() {
    if (auto failed = sum()) return failed;
    if (auto failed = list()) return failed;
    return read();
  }

 private:
  [[nodiscard]] bool is_wanted(std::string_view path) const {
    return is_beneath(path, rules_.beneath);
  }
  [[nodiscard]] std::string path_of(const std::string& path) const {
    return plan_.out.root.empty() ? path : path.substr(plan_.out.root.size() + 1);
  }
  [[nodiscard]] bool is_large(const Slot& slot) const { return slot.size > sink_.file_limit(); }

  [[nodiscard]] Problem sum() const {
    UnpackBudget budget(rules_.limits, file_.file.size());
    for (const auto& [path, slot] : plan_.slots) {
      if (slot.link || is_large(slot) || !is_wanted(path)) continue;
      if (const auto exceeded = budget.add_file(slot.size, slot.copy)) {
        return file_.refuse(Fault::kTooMuch, "unpacks to " + *exceeded);
      }
    }
    return std::nullopt;
  }

  /// Adds what has no content, and notes what is to be read.
  Problem list() {
    for (const auto& [path, slot] : plan_.slots) {
      if (!is_wanted(path)) continue;
      if (!slot.link && !is_large(slot)) {
        needs_.push_back({slot.member, slot.size, path_of(path)});
        continue;
      }
      const bool added = slot.link ? sink_.add_link(path_of(path), plan_.target_of(slot))
                                   : sink_.add_large(path_of(path), slot.size);
      if (!added) return stopped();
      ++plan_.out.added;
      if (file_.call.over()) return file_.call.why();
    }
    std::ranges::sort(needs_, {},
                      [](const Need& need) { return std::tie(need.member, need.path); });
    return std::nullopt;
  }

  Problem read() {
    ArchiveReader reader(file_, rules_.limits);
    ArchiveMember member;
    for (std::size_t number = 0; next_ < needs_.size(); ++number) {
      const auto more = reader.next(member);
      if (!more) return more.failure();
      if (!*more) return file_.refuse(Fault::kDamaged, "changed while it was read");
      if (needs_[next_].member != number) continue;
      if (auto failed = give(reader, member, number)) return failed;
    }
    return std::nullopt;
  }

  Problem give(ArchiveReader& reader, const ArchiveMember& member, std::size_t number) {
    const auto known = reader.read(member, content_);
    if (!known) return known.failure();
    for (; next_ < needs_.size() && needs_[next_].member == number; ++next_) {
      const std::string& path = needs_[next_].path;
      if (!*known && rules_.refused.unreadable) {
        return file_.refuse(Fault::kDamaged, "has the unknown compression of " + shown(path));
      }
      if (!*known) {
        plan_.out.unsupported.add(path);
        continue;
      }
      if (!sink_.add_file(path, content_)) return stopped();
      ++plan_.out.added;
      report();
    }
    return std::nullopt;
  }

  void report() const {
    constexpr std::size_t kEach = 1000;
    if (plan_.out.added % kEach != 0) return;
    file_.call.progress("{\"message\":\"unpacking\",\"done\":" + std::to_string(plan_.out.added) +
                        ",\"total\":" + std::to_string(plan_.slots.size()) + "}");
  }

  /// The host writes the message for what it did not accept.
  [[nodiscard]] Failure stopped() const {
    if (file_.call.over()) return file_.call.why();
    return {QUARRY_RESOURCE_EXHAUSTED, "the files of the archive were not accepted", {}, {}};
  }

  const ArchiveFile& file_;
  const UnpackRules& rules_;
  Plan& plan_;
  FileSink& sink_;
  std::vector<Need> needs_;  ///< by member
  std::size_t next_ = 0;     ///< the first need that is not met yet
  std::string content_;
};

}  // namespace

std::vector<std::string> Unpacked::notes() const {
  std::vector<std::string> sentences;
  const auto say = [&](const LeftOut& left, const std::string& one, const std::string& several) {
    if (left.count > 0) sentences.push_back(left.note(one, several));
  };
  say(outside, "member with \"..\" in its name was left out",
      "members with \"..\" in their names were left out");
  say(special, "device, pipe or socket was left out", "devices, pipes or sockets were left out");
  say(encrypted, "encrypted file was left out", "encrypted files were left out");
  say(unsupported, "file was left out because its compression is not known",
      "files were left out because their compression is not known");
  say(dangling, "hard link to a file that the archive does not have was left out",
      "hard links to files that the archive does not have were left out");
  say(unreadable, "member without a readable name was left out",
      "members without a readable name were left out");
  say(blocked, "file was left out because a file and a folder have its name",
      "files were left out because a file and a folder have their names");
  say(long_paths, "file was left out because its path is too long or too deep",
      "files were left out because their paths are too long or too deep");
  const std::string which = first_counts ? "first" : "last";
  say(repeated, "file is in the archive more than once; the " + which + " one counts",
      "files are in the archive more than once; the " + which + " one counts");
  return sentences;
}

Outcome<Unpacked> unpack(const ArchiveFile& file, const UnpackRules& rules, FileSink& sink) {
  Plan plan(file, rules);
  if (auto failed = plan.read()) return *failed;
  if (auto failed = Unpacker(file, rules, plan, sink).run()) return *failed;
  return std::move(plan.out);
}

}  // namespace quarry::package_source
