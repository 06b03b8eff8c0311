#include "resource-archive/unpack.h"

#include "resource-archive/names.h"

#include <quarry/json.hpp>
#include <quarry/limits.h>

#include <algorithm>

namespace quarry::resource_archive {

namespace {

/// A path that gets the content of a member.
struct Need {
  std::size_t member;
  std::uint64_t size;
  const std::string* path;
};

class Unpacker {
 public:
  Unpacker(const Call& call, const Limits& limits, const std::optional<Pages>& pages, Tree& tree)
      : call_(call), limits_(limits), pages_(pages), tree_(tree) {}

  std::optional<Failure> run(const std::string& file, const Source& source, Plan& plan);
  [[nodiscard]] std::size_t added() const { return added_; }

 private:
  /// Sums what will be written, before any of it is.
  [[nodiscard]] std::optional<Failure> sum(const Source& source, const Plan& plan,
                                           std::uint64_t packed) const;
  std::optional<Failure> list(const Source& source, const Plan& plan);
  std::optional<Failure> read(const std::string& file, Plan& plan);
  std::optional<Failure> give(Reader& reader, std::size_t number, Plan& plan);
  bool add(const std::string& path);
  void report();
  [[nodiscard]] Failure refused() const {
    if (call_.over()) return call_.why();
    return {QUARRY_RESOURCE_EXHAUSTED, "the files of the archive were not accepted", {}, {}};
  }

  const Call& call_;
  const Limits& limits_;
  const std::optional<Pages>& pages_;
  Tree& tree_;
  std::vector<Need> needs_;  ///< by member
  std::size_t next_ = 0;     ///< the first need that is not met yet
  std::size_t added_ = 0;
  std::uint64_t facts_ = 0;
  std::string content_;
};

std::optional<Failure> Unpacker::sum(const Source& source, const Plan& plan,
                                     std::uint64_t packed) const {
  auto budget = limits_.budget(packed);
  for (const auto& [path, slot] : plan.slots) {
    if (slot.link || slot.size > tree_.file_limit() || !is_beneath(path, source.path)) continue;
    if (const auto exceeded = budget.add_file(slot.size, slot.copy)) return too_much(*exceeded);
  }
  return std::nullopt;
}

std::optional<Failure> Unpacker::list(const Source& source, const Plan& plan) {
  for (const auto& [path, slot] : plan.slots) {
    if (!is_beneath(path, source.path)) continue;
    const bool large = !slot.link && slot.size > tree_.file_limit();
    if (!slot.link && !large) {
      needs_.push_back({slot.member, slot.size, &path});
      continue;
    }
    if (!(slot.link ? tree_.add_link(path) : tree_.add_large(path, slot.size))) return refused();
    ++added_;
    if (call_.over()) return call_.why();
  }
  std::ranges::sort(needs_, {}, &Need::member);
  return std::nullopt;
}

bool Unpacker::add(const std::string& path) {
  // All facts of one tree have a limit; files beyond it have no page.
  constexpr std::uint64_t kMostFacts = QUARRY_LIMIT_FILE_FACTS / 4 * 3;
  if (pages_ && pages_->each) {
    const std::string page = pages_->page_of(path);
    facts_ += path.size() + page.size();
    if (facts_ < kMostFacts && page.size() <= QUARRY_LIMIT_PERMALINK) {
      return tree_.add_file(File{path, page}, content_);
    }
  }
  return tree_.add_file(path, content_);
}

void Unpacker::report() {
  constexpr std::size_t kEach = 1000;
  if (added_ % kEach != 0) return;
  call_.progress("{\"message\":\"unpacking\",\"done\":" + std::to_string(added_) +
                 ",\"total\":" + std::to_string(needs_.size()) + "}");
}

std::optional<Failure> Unpacker::give(Reader& reader, std::size_t number, Plan& plan) {
  content_.clear();
  const Reader::Content content = reader.read(content_, needs_[next_].size);
  if (content == Reader::Content::kFailed) return reader.failure();
  if (content == Reader::Content::kMore) {
    return field_failure("/url", "leads to an archive with wrong sizes in it",
                         "get it from another place");
  }
  for (; next_ < needs_.size() && needs_[next_].member == number; ++next_) {
    if (content == Reader::Content::kUnsupported) {
      plan.unsupported.add(*needs_[next_].path);
      continue;
    }
    if (!add(*needs_[next_].path)) return refused();
    ++added_;
    report();
  }
  return std::nullopt;
}

std::optional<Failure> Unpacker::read(const std::string& file, Plan& plan) {
  Reader reader(call_, file);
  Member member;
  std::uint64_t count = 0;
  for (std::size_t number = 0; next_ < needs_.size(); ++number) {
    if (reader.next(member) != Reader::Step::kMember) return reader.failure();
    if (call_.over()) return call_.why();
    if (needs_[next_].member == number) {
      if (auto failed = give(reader, number, plan)) return failed;
    } else if (!reader.pass_over(limits_.unpacked, count)) {
      return reader.failure();
    }
  }
  return std::nullopt;
}

std::optional<Failure> Unpacker::run(const std::string& file, const Source& source, Plan& plan) {
  if (auto failed = sum(source, plan, Reader(call_, file).packed_size())) return failed;
  if (auto failed = list(source, plan)) return failed;
  return read(file, plan);
}

/// Why nothing was added.
Failure nothing_there(const Source& source, const Plan& plan) {
  if (plan.encrypted.count > 0) {
    return field_failure("/url", "leads to an archive whose files are encrypted",
                         "name one that is not; passwords of archives are not supported");
  }
  if (plan.unsupported.count > 0) {
    return field_failure("/url", "leads to an archive whose compression is not known",
                         "name one that is packed as gzip, xz, zstd or bzip2, or by deflate");
  }
  if (plan.slots.empty()) {
    return field_failure(
        "/url",
        "leads to an archive without files" +
            std::string(source.strip > 0
                            ? " that have more than " + std::to_string(source.strip) + " components"
                            : ""),
        source.strip > 0 ? "lower strip" : "name another archive");
  }
  std::string names;
  for (const auto& name : plan.top)
    names += (names.empty() ? "" : ", ") + resource_files::shown(name);
  return field_failure("/path", "names nothing in the archive",
                       "its first folders and files are " + names);
}

}  // namespace

Outcome<std::vector<std::string>> unpack(const Call& call, const Source& source,
                                         const std::string& file, const Limits& limits,
                                         const std::optional<Pages>& pages, Tree& tree) {
  Outcome<Plan> plan = make_plan(call, source, file, limits);
  if (!plan) return plan.failure();
  Unpacker unpacker(call, limits, pages, tree);
  if (auto failed = unpacker.run(file, source, *plan)) return *failed;
  if (unpacker.added() == 0) return nothing_there(source, *plan);
  return plan->notes();
}

}  // namespace quarry::resource_archive
