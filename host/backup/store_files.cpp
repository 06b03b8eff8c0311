#include "backup/store_files.h"

#include "base/file.h"
#include "base/json.h"
#include "plugins/store_json.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace quarry::backup {
namespace {

namespace fs = std::filesystem;
using plugins::AuditEntry;

constexpr std::uint32_t kPage = 1000;
constexpr std::size_t kMostDumpBytes = std::size_t{2} << 30;

/// Appends the entries to a file, each as a line.
Status append(int file, const std::vector<AuditEntry>& entries) {
  std::string lines;
  for (const AuditEntry& entry : entries) lines += to_text(plugins::to_json(entry)) + '\n';
  return write_all(file, lines);
}

Status write_audit(plugins::Store& store, int file, const Cancelled& cancelled) {
  plugins::AuditWanted wanted{.since = {}, .until = {}, .project = {}, .most = kPage};
  for (;;) {
    if (cancelled()) return cancelled_error();
    auto page = store.audit({}, wanted);
    if (!page) return std::move(page).error();
    if (page->size() < wanted.most) return append(file, *page);
    // There may be more entries of the oldest time than those of this page: the next page has all.
    const Clock::Wall oldest = page->back().at;
    std::erase_if(*page, [&](const AuditEntry& entry) { return entry.at == oldest; });
    if (page->empty() && wanted.most > std::numeric_limits<std::uint32_t>::max() / 2) {
      return Error{Code::kResourceExhausted, "too many entries of the audit have the same time"};
    }
    wanted.most = page->empty() ? wanted.most * 2 : kPage;
    if (Status written = append(file, *page); !written) return written;
    wanted.until = oldest + std::chrono::milliseconds(1);
  }
}

Error unreadable(const fs::path& file) {
  return {Code::kDataLoss, file.string() + " cannot be read", "Use another backup."};
}

/// The offsets of every kPage-th line.
Result<std::vector<std::streamoff>> page_offsets(std::ifstream& in, const fs::path& file) {
  std::vector<std::streamoff> offsets;
  std::string line;
  std::streamoff offset = 0;
  for (std::size_t number = 0; std::getline(in, line); ++number) {
    if (number % kPage == 0) offsets.push_back(offset);
    offset += static_cast<std::streamoff>(line.size()) + 1;
  }
  if (in.bad()) return unreadable(file);
  in.clear();
  return offsets;
}

/// The entries of one page, the oldest first.
Result<std::vector<AuditEntry>> read_page(std::ifstream& in, std::streamoff offset,
                                          const fs::path& file) {
  std::vector<AuditEntry> entries;
  std::string line;
  in.seekg(offset);
  while (entries.size() < kPage && std::getline(in, line)) {
    const auto said = parse_json(line);
    std::string fault = said && said->is_object() ? "" : "an object";
    if (fault.empty()) entries.push_back(plugins::read_audit(plugins::Answer(*said, fault)));
    if (!fault.empty()) return unreadable(file);
  }
  in.clear();
  std::ranges::reverse(entries);
  return entries;
}

Status load_audit(plugins::Store& store, const fs::path& file, const Cancelled& cancelled) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return unreadable(file);
  const auto offsets = page_offsets(in, file);
  if (!offsets) return offsets.error();
  for (auto offset = offsets->rbegin(); offset != offsets->rend(); ++offset) {
    if (cancelled()) return cancelled_error();
    const auto entries = read_page(in, *offset, file);
    if (!entries) return entries.error();
    if (Status recorded = store.record({}, *entries, true); !recorded) return recorded;
  }
  return {};
}

}  // namespace

Error cancelled_error() {
  return {Code::kCancelled, "interrupted"};
}

Status write_store(plugins::Store& store, const fs::path& dump, const fs::path& audit,
                   const Cancelled& cancelled) {
  const auto told = store.dump({});
  if (!told) return told.error();
  if (Status written = write_file_atomically(dump, to_text(*told)); !written) return written;
  const Fd file(::open(audit.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file) return system_error("cannot create " + audit.string(), errno);
  Status written = write_audit(store, file.get(), cancelled);
  if (!written) return std::move(written).error().in(audit.string());
  return {};
}

Status load_store(plugins::Store& store, const fs::path& dump, const fs::path& audit,
                  const Cancelled& cancelled) {
  const auto text = read_file(dump, kMostDumpBytes);
  if (!text) return text.error();
  const auto told = parse_json(*text);
  if (!told || !told->is_object()) return unreadable(dump);
  if (Status loaded = load_audit(store, audit, cancelled); !loaded) return loaded;
  return store.load({}, *told);
}

}  // namespace quarry::backup
