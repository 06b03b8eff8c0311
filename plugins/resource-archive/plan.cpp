#include "resource-archive/plan.h"

#include "resource-archive/names.h"
#include "resource_files/path.h"

#include <algorithm>

namespace quarry::resource_archive {

namespace {

/// Counts a member before it is read or passed over.
resource_files::UnpackBudget::Exceeded count(resource_files::UnpackBudget& budget,
                                             const Reader& reader, const Member& member) {
  if (auto exceeded = budget.add_entry()) return exceeded;
  const auto position = reader.position();
  return position ? budget.reach(*position, member.size) : budget.add_listed(member.size);
}

}  // namespace

Failure too_much(const std::string& exceeded) {
  return {QUARRY_RESOURCE_EXHAUSTED,
          "the archive unpacks to " + exceeded,
          "if you trust it, raise max_unpacked_mib in [resource_type.archive], or unpack it "
          "yourself and add its folder as a local resource",
          {}};
}

bool Plan::is_blocked(const std::string& path) const {
  for (auto slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    if (slots.contains(path.substr(0, slash))) return true;
  }
  const std::string folder = path + '/';
  const auto beneath = slots.lower_bound(folder);
  return beneath != slots.end() && beneath->first.starts_with(folder);
}

void Plan::put(std::string path, const Slot& slot) {
  // As on a disk: what is there first decides whether a name is a file or a folder.
  if (is_blocked(path)) return blocked.add(path);
  const auto [at, fresh] = slots.try_emplace(std::move(path), slot);
  if (fresh) return;
  repeated.add(at->first);
  at->second = slot;
}

void Plan::link(std::string path, const Member& member, std::size_t number) {
  const auto target = resource_files::plain_path(member.target);
  const auto at =
      target ? slots.find(std::string(resource_files::without_components(*target, source_.strip)))
             : slots.end();
  if (at != slots.end()) {
    if (at->first == path) return;
    Slot slot = at->second;
    slot.copy = true;
    put(std::move(path), slot);
  } else if (member.size > 0) {  // some programs write the content again
    put(std::move(path), {number, member.size, false});
  } else {
    dangling.add(path);
  }
}

void Plan::see_top(std::string_view path) {
  constexpr std::size_t kMost = 5;
  const std::string_view first = path.substr(0, path.find('/'));
  if (top.size() > kMost || std::ranges::find(top, first) != top.end()) return;
  top.emplace_back(first);
}

bool Plan::add(const Member& member, std::size_t number, const Limits& limits) {
  name_bytes_ += member.name.size() + member.target.size();
  if (name_bytes_ > limits.names) return false;
  const auto name = resource_files::plain_path(member.name);
  if (!name) return outside.add(member.name), true;
  if (member.kind == Member::Kind::kFolder) return true;
  if (member.name.empty()) return unreadable.add("member " + std::to_string(number + 1)), true;
  std::string path(resource_files::without_components(*name, source_.strip));
  if (path.empty()) return true;
  if (!resource_files::fits_tree(*name, source_.strip)) return long_paths.add(path), true;
  see_top(path);
  if (member.encrypted) {
    encrypted.add(path);
  } else if (member.kind == Member::Kind::kHardLink) {
    link(std::move(path), member, number);
  } else if (member.kind == Member::Kind::kOther) {
    special.add(path);
  } else {
    put(std::move(path), {number, member.size, member.kind == Member::Kind::kSymbolicLink});
  }
  return true;
}

std::vector<std::string> Plan::notes() const {
  std::vector<std::string> out;
  const auto say = [&out](const LeftOut& left, const std::string& one, const std::string& many) {
    if (left.count > 0) out.push_back(left.note(one, many));
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
  if (long_paths.count > 0) out.push_back(long_paths.note_of_long_paths());
  say(repeated, "file is in the archive more than once; the last one counts",
      "files are in the archive more than once; the last one counts");
  return out;
}

Outcome<Plan> make_plan(const Call& call, const Source& source, const std::string& file,
                        const Limits& limits) {
  Plan plan(source);
  Reader reader(call, file);
  Member member;
  std::uint64_t passed = 0;
  auto budget = limits.budget(reader.packed_size());
  for (std::size_t number = 0;; ++number) {
    const Reader::Step step = reader.next(member);
    if (step == Reader::Step::kEnd) return plan;
    if (step == Reader::Step::kFailed) return reader.failure();
    if (call.over()) return call.why();
    if (const auto exceeded = count(budget, reader, member)) return too_much(*exceeded);
    if (!plan.add(member, number, limits)) {
      return Failure{
          QUARRY_RESOURCE_EXHAUSTED,
          "the names in the archive have more than " + std::to_string(limits.names >> 20U) + " MiB",
          "name another archive, with less in it",
          {}};
    }
    if (!reader.pass_over(limits.unpacked, passed)) return reader.failure();
  }
}

}  // namespace quarry::resource_archive
