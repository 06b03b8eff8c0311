#include "resource-git/repository.h"

#include "resource-git/failure.h"
#include "resource-git/forge.h"

#include <quarry/json.hpp>
#include <quarry/paths.h>

#include <algorithm>
#include <fstream>
#include <set>

namespace quarry::resource_git {
namespace {

/// Beyond this many packs reading is slow, and obsolete objects outweigh the current ones.
constexpr std::size_t kMostPacks = 40;
constexpr std::size_t kMostEntries = 1'000'000;
constexpr std::size_t kMostPathBytes = std::size_t{256} << 20;
constexpr std::size_t kMostModules = 1 << 20;
/// Beyond this size, an unpacked size of more than kMostUnpacked times the fetched bytes is treated
/// as an attack; real repositories unpack to three to ten times.
constexpr std::uint64_t kUnsuspiciousBytes = std::uint64_t{256} << 20;
constexpr std::uint64_t kMostUnpacked = 100;

std::string refspec_of(const std::string& commit) {
  return "+" + commit + ":refs/quarry/" + commit;
}

bool is_beneath(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

}  // namespace

Checkout::Checkout(const Host& host, const Call& call, Remotes& remotes, const Fields& fields,
                   std::string commit)
    : host_(host), call_(call), remotes_(remotes), fields_(fields), commit_(std::move(commit)) {}

std::string Checkout::doing() const {
  return "cannot fetch " + to_url(fields_.location) + " at " + commit_.substr(0, 7);
}

Outcome<std::vector<std::string>> Checkout::run(Tree& tree) {
  const auto cache = CacheEntry::cache_of(host_);
  if (cache.empty()) return Failure{QUARRY_UNSUPPORTED, "this host offers no cache", {}, {}};
  const auto identity =
      Entry::identify(to_url(fields_.location), remotes_.reader_of(fields_), partial());
  bool renewed = false;
  for (;;) {
    auto opened = Entry::open(host_, call_, cache, identity);
    if (!opened) return opened.failure();
    Entry entry = std::move(*opened);
    if (!entry.has(commit_) && entry.packs().count > kMostPacks) {
      entry.remove();
      continue;
    }
    Done trouble = fetch_commit(entry);
    if (!trouble && !entry.share()) continue;
    const bool brought = !trouble;
    if (brought) trouble = hand_over(entry, tree);
    if (!trouble) return notes_.sentences();
    const bool again = trouble->damaged && !renewed && !call_.over() && (brought || !entry.fresh());
    if (again || (entry.fresh() && !brought)) {
      entry.remove();
    } else if (!brought) {
      entry.tidy();
    }
    if (call_.over()) return call_.why();
    if (!again) return trouble->failure;
    renewed = true;
    host_.log(QUARRY_LOG_WARNING, "a cached repository is damaged and will be fetched again: " +
                                      trouble->failure.message);
  }
}

Checkout::Done Checkout::fetch_commit(Entry& entry) {
  if (!entry.has(commit_)) {
    const std::string message =
        "fetching " + to_url(fields_.location) + " at " + commit_.substr(0, 7);
    call_.progress("{\"message\":" + json::quoted(message) + ",\"done\":0}");
    if (auto trouble = bring_commit(entry)) return trouble;
  }
  return partial() ? bring_contents(entry) : std::nullopt;
}

Checkout::Done Checkout::fetch(const Entry& entry, const Access& access, const std::string& refspec,
                               std::string_view input) {
  Command command{.arguments = {"fetch", "--progress", "--no-tags", "--no-write-fetch-head",
                                "--no-auto-maintenance", "--no-recurse-submodules"},
                  .configuration = access.configuration,
                  .environment = access.environment,
                  .directory = entry.path().string(),
                  .input = input,
                  .minimum_speed = access.minimum_speed};
  auto& arguments = command.arguments;
  if (partial() && access.filters) {
    arguments.push_back("--filter=blob:none");
    command.configuration.emplace_back("remote.quarry.promisor", "true");
    command.configuration.emplace_back("remote.quarry.partialCloneFilter", "blob:none");
  }
  if (input.empty()) {
    arguments.insert(arguments.end(), {"--depth=1", "--end-of-options", "quarry", refspec});
  } else {
    // The objects are asked for by name, so there is nothing to negotiate.
    command.configuration.emplace_back("fetch.negotiationAlgorithm", "noop");
    arguments.insert(arguments.end(), {"--stdin", "--end-of-options", "quarry"});
  }
  const auto end = run_git(host_, call_, command, nullptr);
  if (!end) return Trouble{end.failure()};
  if (end->ok()) return std::nullopt;
  if (entry.is_disk_full()) {
    return Trouble{disk_full(doing(), entry.path().parent_path().string())};
  }
  const Failure failure = explain(doing(), end->signal, end->errors);
  // Damage and an unknown error may be due to the local copy; fetching it again decides.
  return Trouble{failure, is_local_damage(end->errors) || failure.status == QUARRY_DATA_LOSS ||
                              failure.status == QUARRY_INTERNAL};
}

Checkout::Done Checkout::bring_commit(const Entry& entry) {
  auto access = remotes_.access(call_, fields_);
  if (!access) return Trouble{access.failure()};
  auto trouble = fetch(entry, *access, refspec_of(commit_), {});
  if (trouble && is_redirect(trouble->failure.message)) {
    remotes_.forget(fields_);
    access = remotes_.access(call_, fields_);
    if (!access) return Trouble{access.failure()};
    trouble = fetch(entry, *access, refspec_of(commit_), {});
  }
  if (trouble && trouble->failure.status == QUARRY_NOT_FOUND && !is_commit(fields_.branch)) {
    if (!fetch_by_ref(entry, *access)) return std::nullopt;
  }
  if (trouble) remotes_.forget(fields_);
  if (!trouble && !entry.has(commit_)) {
    return Trouble{{QUARRY_INTERNAL, doing() + ": git fetched something else", {}, {}}, true};
  }
  return trouble;
}

/// Some servers serve only objects that a ref names, and an annotated tag names no commit.
Checkout::Done Checkout::fetch_by_ref(const Entry& entry, const Access& access) {
  const auto refs = remotes_.refs(call_, fields_, wanted_prefixes(fields_.branch));
  if (!refs) return Trouble{refs.failure()};
  const auto found = find_ref(*refs, fields_.branch);
  if (!found || found->commit != commit_) {
    return Trouble{
        {QUARRY_UNAVAILABLE, doing() + ": the ref has moved meanwhile", "Try again.", {}}};
  }
  if (auto trouble = fetch(entry, access, "+" + found->ref + ":refs/quarry/moving", {})) {
    return trouble;
  }
  return read(entry, {"update-ref", "refs/quarry/" + commit_, "refs/quarry/moving^{commit}"}, {},
              nullptr);
}

Checkout::Done Checkout::bring_contents(const Entry& entry) {
  if (auto trouble = list(entry, false)) return trouble;
  std::set<std::string> ids;
  for (const TreeEntry& file : files_) ids.insert(file.id);
  std::string wanted;
  for (const std::string& id : ids) wanted += id + "\n";
  std::string answered;
  if (auto trouble = read(entry, {"cat-file", "--batch-check=", "--buffer"}, wanted,
                          [&](std::string_view bytes) {
                            answered += bytes;
                            return true;
                          })) {
    return trouble;
  }
  constexpr std::string_view kMissing = " missing\n";
  std::string missing;
  for (auto at = answered.find(kMissing); at != answered.npos;
       at = answered.find(kMissing, at + 1)) {
    const auto begin = answered.rfind('\n', at) + 1;
    missing += answered.substr(begin, at - begin) + "\n";
  }
  return missing.empty() ? std::nullopt : bring_objects(entry, missing);
}

Checkout::Done Checkout::bring_objects(const Entry& entry, const std::string& ids) {
  const auto access = remotes_.access(call_, fields_);
  if (!access) return Trouble{access.failure()};
  return fetch(entry, *access, {}, ids);
}

Checkout::Done Checkout::read(const Entry& entry, std::vector<std::string> arguments,
                              std::string_view input, const OnBytes& on_output) {
  const Command command{
      .arguments = std::move(arguments), .directory = entry.path().string(), .input = input};
  const auto end = run_git(host_, call_, command, on_output);
  if (!end) return Trouble{end.failure()};
  if (end->ok()) return std::nullopt;
  Failure failure = explain("cannot read " + to_url(fields_.location), end->signal, end->errors);
  // Git verified the objects when it received them: the copy in the cache is damaged.
  if (failure.status == QUARRY_DATA_LOSS) failure.status = QUARRY_INTERNAL;
  return Trouble{std::move(failure), true};
}

Checkout::Done Checkout::list(const Entry& entry, bool sizes) {
  files_.clear();
  notes_ = {};
  std::vector<std::string> arguments = {"ls-tree", "-r", "-t", "-z", "--full-tree"};
  if (sizes) arguments.push_back("-l");
  arguments.insert(arguments.end(), {"--end-of-options", commit_});
  arguments.insert(arguments.end(), fields_.search_paths.begin(), fields_.search_paths.end());
  std::size_t entries = 0;
  std::size_t path_bytes = 0;
  TreeReader reader([&](TreeEntry one) {
    path_bytes += one.path.size();
    if (++entries > kMostEntries || path_bytes > kMostPathBytes) return false;
    if (one.kind == TreeEntry::Kind::kDirectory) return true;
    if (one.kind == TreeEntry::Kind::kSubmodule) {
      notes_.add_submodule(one.path, one.id);
    } else if (!is_fit(one.path)) {
      notes_.add_unfit();
    } else {
      if (one.kind == TreeEntry::Kind::kLink) notes_.add_link();
      files_.push_back(std::move(one));
    }
    return true;
  });
  bool understood = true;
  auto trouble = read(entry, std::move(arguments), {},
                      [&](std::string_view bytes) { return understood = reader.take(bytes); });
  if (entries > kMostEntries || path_bytes > kMostPathBytes) {
    return Trouble{{QUARRY_RESOURCE_EXHAUSTED,
                    to_url(fields_.location) + " has more than " + std::to_string(kMostEntries) +
                        " files and directories",
                    "Give a searchPath, so that only a part is read.",
                    {}}};
  }
  // Git prints "BAD" as the size of an object that is missing in the cache.
  if (trouble && !understood) trouble->damaged = true;
  return trouble;
}

Checkout::Done Checkout::hand_over(const Entry& entry, Tree& tree) {
  if (auto trouble = list(entry, true)) return trouble;
  if (auto trouble = check_search_paths(entry)) return trouble;
  if (auto trouble = check_sizes(entry, tree.file_limit())) return trouble;
  if (notes_.has_submodules()) read_modules(entry);
  return hand_over_contents(entry, tree);
}

Checkout::Done Checkout::check_sizes(const Entry& entry, std::uint64_t largest) {
  std::uint64_t bytes = 0;
  for (const TreeEntry& file : files_) bytes += file.size <= largest ? file.size : 0;
  const std::uint64_t fetched = entry.packs().bytes;
  if (bytes <= kUnsuspiciousBytes || bytes / kMostUnpacked <= fetched) return std::nullopt;
  return Trouble{{QUARRY_RESOURCE_EXHAUSTED,
                  to_url(fields_.location) + " unpacks to " + std::to_string(bytes >> 20) +
                      " MiB, more than " + std::to_string(kMostUnpacked) +
                      " times what was fetched",
                  "Give a searchPath, if the repository is what it should be.",
                  {}}};
}

void Checkout::read_modules(const Entry& entry) {
  std::string text;
  const auto trouble =
      read(entry, {"cat-file", "blob", commit_ + ":.gitmodules"}, {}, [&](std::string_view bytes) {
        text += bytes;
        return text.size() < kMostModules;
      });
  if (!trouble) notes_.set_modules(text);
}

Checkout::Done Checkout::check_search_paths(const Entry& entry) {
  std::size_t missing = 0;
  for (const std::string& folder : fields_.search_paths) {
    const bool found = std::ranges::any_of(
        files_, [&](const TreeEntry& file) { return is_beneath(file.path, folder); });
    if (!found) notes_.add_missing_path(folder);
    missing += found ? 0 : 1;
  }
  if (missing == 0 || missing < fields_.search_paths.size()) return std::nullopt;
  const std::string at = to_url(fields_.location) + " at " + commit_.substr(0, 7);
  return Trouble{field_failure(
      "/searchPath", "does not exist: there is no " + fields_.search_paths.front() + " in " + at,
      list_root(entry))};
}

std::string Checkout::list_root(const Entry& entry) {
  std::string names;
  std::size_t count = 0;
  TreeReader reader([&](const TreeEntry& one) {
    if (one.path.find_first_of("\n\r\t") == one.path.npos && ++count <= 20) {
      names += (names.empty() ? "" : ", ") + one.path;
    }
    return count < 1000;
  });
  const auto trouble = read(entry, {"ls-tree", "-z", "--full-tree", "--end-of-options", commit_},
                            {}, [&](std::string_view bytes) { return reader.take(bytes); });
  return trouble || names.empty() ? "" : "At its root are " + names + (count > 20 ? ", …" : ".");
}

Checkout::Done Checkout::hand_over_contents(const Entry& entry, Tree& tree) {
  const auto is_read = [&](const TreeEntry& file) {
    return file.kind == TreeEntry::Kind::kFile && file.size <= tree.file_limit();
  };
  std::string ids;
  for (const TreeEntry& file : files_) {
    if (is_read(file)) ids += file.id + "\n";
  }
  std::size_t at = 0;
  // Handles entries without content, up to the next file with content.
  const auto skip_others = [&] {
    for (; at < files_.size() && !is_read(files_[at]); ++at) {
      if (at < handed_over_) continue;
      const TreeEntry& file = files_[at];
      const bool taken = file.kind == TreeEntry::Kind::kLink ? tree.add_link(file.path)
                                                             : tree.add_large(file.path, file.size);
      if (!taken) return false;
      handed_over_ = at + 1;
    }
    return true;
  };
  bool taken = skip_others();
  BlobReader reader([&](std::string_view bytes) {
    if (at == files_.size()) return false;
    const TreeEntry& file = files_[at++];
    std::uint64_t size = 0;
    if (is_lfs_pointer(bytes, size)) notes_.add_lfs_pointer(file.path, size);
    if (at > handed_over_) {
      taken = tree.add_file(file.path, bytes);
      if (taken) handed_over_ = at;
    }
    if (at % 2000 == 0) {
      call_.progress("{\"message\":\"reading files\",\"done\":" + std::to_string(at) +
                     ",\"total\":" + std::to_string(files_.size()) + "}");
    }
    return taken && (taken = skip_others());
  });
  if (taken && !ids.empty()) {
    bool understood = true;
    auto trouble = read(entry, {"cat-file", "--batch", "--buffer"}, ids,
                        [&](std::string_view bytes) { return understood = reader.take(bytes); });
    if (trouble && taken && !understood) trouble->damaged = true;
    if (trouble) return trouble;
  }
  if (!taken || at == files_.size()) {
    return taken
               ? std::nullopt
               : Done(Trouble{{QUARRY_RESOURCE_EXHAUSTED, "the files were not accepted", {}, {}}});
  }
  return Trouble{{QUARRY_INTERNAL, "git printed fewer files than there are", {}, {}}, true};
}

}  // namespace quarry::resource_git
