#include "base/file.h"
#include "corpus/index/posting_list.h"
#include "corpus/index/trigram_format.h"
#include "corpus/index/trigram_index.h"
#include "corpus/segment/table_file.h"
#include "corpus/text/letter_case.h"

#include <algorithm>
#include <fcntl.h>
#include <memory>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace quarry::corpus {
namespace {

constexpr std::uint32_t kTrigrams = 1u << 24;
constexpr std::size_t kPartBytes = 8u << 20;
constexpr std::size_t kRanges = 256;  // by first byte

/// The posting lists of a few consecutive files. The first id is stored separately, so that lists
/// of several parts can be joined without decoding them.
struct TrigramPart {
  struct Entry {
    std::uint32_t trigram;
    FileId first;
    FileId last;
    std::uint32_t begin;  // of the other ids in `rest`
  };
  std::vector<Entry> entries;
  std::string rest;
};

struct TrigramRange {
  std::vector<std::uint32_t> trigrams;
  std::vector<std::uint64_t> sizes;
  std::string postings;
};

/// Collects the distinct trigrams of each text.
class Collector {
 public:
  /// Appends the trigrams of `text` to `out`, each once, with the file in the low half.
  void collect(std::string_view text, FileId file, std::vector<std::uint64_t>& out) {
    const std::size_t before = out.size();
    std::uint32_t trigram = 0;
    std::uint32_t length = 0;
    for (const char byte : text) {
      trigram = (trigram << 8 | kLowerCase[static_cast<unsigned char>(byte)]) & (kTrigrams - 1);
      length = byte == '\n' ? 0 : length + 1;  // no pattern crosses a line
      if (length >= 3) note(trigram, file, out);
    }
    if (text.find(kKelvin) != text.npos || text.find(kLongS) != text.npos) {
      note(kFoldingFiles, file, out);
    }
    for (std::size_t i = before; i < out.size(); ++i) seen_[out[i] >> 32 >> 6] = 0;
  }

 private:
  void note(std::uint32_t trigram, FileId file, std::vector<std::uint64_t>& out) {
    std::uint64_t& word = seen_[trigram >> 6];
    const std::uint64_t bit = 1ull << (trigram & 63);
    if ((word & bit) != 0) return;
    word |= bit;
    out.push_back(std::uint64_t{trigram} << 32 | file);
  }

  std::vector<std::uint64_t> seen_ = std::vector<std::uint64_t>(kTrigrams / 64);
};

/// A stable sort, so that the files of a trigram stay in order.
void sort_by_trigram(std::vector<std::uint64_t>& pairs) {
  constexpr unsigned kBits = 12;
  std::vector<std::uint64_t> other(pairs.size());
  for (const unsigned shift : {32u, 32u + kBits}) {
    std::array<std::uint32_t, (1u << kBits) + 1> starts{};
    const auto digit = [shift](std::uint64_t pair) { return pair >> shift & ((1u << kBits) - 1); };
    for (const std::uint64_t pair : pairs) ++starts[digit(pair) + 1];
    for (std::size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
    for (const std::uint64_t pair : pairs) other[starts[digit(pair)]++] = pair;
    pairs.swap(other);
  }
}

TrigramPart encode(std::span<const std::uint64_t> pairs) {
  TrigramPart part;
  for (const std::uint64_t pair : pairs) {
    const auto trigram = static_cast<std::uint32_t>(pair >> 32);
    const auto file = static_cast<FileId>(pair);
    if (part.entries.empty() || part.entries.back().trigram != trigram) {
      part.entries.push_back({trigram, file, file, static_cast<std::uint32_t>(part.rest.size())});
      continue;
    }
    append_varint(part.rest, file - part.entries.back().last);
    part.entries.back().last = file;
  }
  const auto end = static_cast<std::uint32_t>(part.rest.size());
  part.entries.push_back({kTrigrams, 0, 0, end});
  return part;
}

TrigramPart build_part(std::span<const std::string_view> texts, FileId first) {
  Collector collector;
  std::vector<std::uint64_t> pairs;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    collector.collect(texts[i], first + static_cast<FileId>(i), pairs);
  }
  sort_by_trigram(pairs);
  return encode(pairs);
}

/// Joins the lists of the trigrams in [begin, end) over all parts.
TrigramRange join_range(std::span<const TrigramPart> parts, std::uint32_t begin,
                        std::uint32_t end) {
  std::vector<const TrigramPart::Entry*> cursors;
  for (const TrigramPart& part : parts) {
    cursors.push_back(
        &*std::ranges::lower_bound(part.entries, begin, {}, &TrigramPart::Entry::trigram));
  }
  TrigramRange range;
  for (;;) {
    std::uint32_t trigram = kTrigrams;
    for (const TrigramPart::Entry* entry : cursors) trigram = std::min(trigram, entry->trigram);
    if (trigram >= end) return range;
    const std::size_t before = range.postings.size();
    std::uint32_t after = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const TrigramPart::Entry& entry = *cursors[i];
      if (entry.trigram != trigram) continue;
      append_varint(range.postings, entry.first + 1 - after);
      range.postings.append(parts[i].rest, entry.begin, (&entry)[1].begin - entry.begin);
      after = entry.last + 1;
      ++cursors[i];
    }
    range.trigrams.push_back(trigram);
    range.sizes.push_back(range.postings.size() - before);
  }
}

std::string assemble(std::span<const TrigramRange> ranges, TrigramShape shape) {
  std::vector<std::uint32_t> trigrams;
  std::vector<std::uint64_t> starts = {0};
  std::string postings;
  for (const TrigramRange& range : ranges) {
    trigrams.insert(trigrams.end(), range.trigrams.begin(), range.trigrams.end());
    for (const std::uint64_t size : range.sizes) starts.push_back(starts.back() + size);
    postings += range.postings;
  }
  TableWriter table(kTrigramTable);
  table.append(std::span<const TrigramShape>(&shape, 1));
  table.append(std::span<const std::uint32_t>(trigrams));
  table.append(std::span<const std::uint64_t>(starts));
  table.append(std::span<const char>(postings));
  return std::move(table).finish();
}

Status write_whole(const Fd& fd, std::string_view bytes, const std::filesystem::path& out) {
  if (Status written = write_all(fd.get(), bytes); !written) {
    return std::move(written).error().in(out.string());
  }
  if (::fsync(fd.get()) != 0) return system_error("fsync " + out.string(), errno);
  return {};
}

Status write_new_file(const std::filesystem::path& out, std::string_view bytes) {
  const Fd fd(::open(out.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd) return system_error("create " + out.string(), errno);
  Status status = write_whole(fd, bytes, out);
  if (!status) ::unlink(out.c_str());
  return status;
}

/// The start of each part in `texts`, and the end.
std::vector<std::size_t> part_starts(std::span<const std::string_view> texts) {
  std::vector<std::size_t> starts = {0};
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (bytes >= kPartBytes) {
      starts.push_back(i);
      bytes = 0;
    }
    bytes += texts[i].size();
  }
  starts.push_back(texts.size());
  return starts;
}

}  // namespace

Status write_trigrams(std::span<const std::string_view> texts, TrigramShape shape,
                      const std::filesystem::path& out, Executor& executor, std::stop_token stop) {
  const std::vector<std::size_t> starts = part_starts(texts);
  std::vector<TrigramPart> parts(starts.size() - 1);
  parallel_for(executor, parts.size(), [&](std::size_t i) {
    if (stop.stop_requested()) return;
    parts[i] = build_part(texts.subspan(starts[i], starts[i + 1] - starts[i]),
                          static_cast<FileId>(starts[i]));
  });
  if (stop.stop_requested()) return Error{Code::kCancelled, "building the index was cancelled"};
  std::vector<TrigramRange> ranges(kRanges);
  parallel_for(executor, kRanges, [&](std::size_t i) {
    const auto first = static_cast<std::uint32_t>(i) << 16;
    ranges[i] = join_range(parts, first, first + (1u << 16));
  });
  parts.clear();
  if (stop.stop_requested()) return Error{Code::kCancelled, "building the index was cancelled"};
  return write_new_file(out, assemble(ranges, shape));
}

Status TrigramIndex::build(const Segment& segment, const std::filesystem::path& out,
                           Executor& executor, std::stop_token stop) {
  if (Status sound = segment.check_all(); !sound) return sound;
  std::vector<std::string_view> texts;
  for (FileId file = 0; file < segment.file_count(); ++file) texts.push_back(segment.text(file));
  const TrigramShape shape{segment.file_count(), segment.packed_text().size()};
  return write_trigrams(texts, shape, out, executor, std::move(stop));
}

}  // namespace quarry::corpus
