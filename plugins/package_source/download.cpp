#include "package_source/download.h"

#include "package_source/answer.h"
#include "package_source/digest.h"

#include <quarry/json.hpp>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <system_error>

namespace quarry::package_source {

namespace {

constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20U;

/// True if a Content-Range such as "bytes 5-9/10" begins at `offset`.
bool begins_at(std::string_view range, std::uint64_t offset) {
  return range.starts_with("bytes " + std::to_string(offset) + "-");
}

/// The size of the whole file in a Content-Range such as "bytes 5-9/10"; 0 if it has none.
std::uint64_t whole_size(std::string_view range) {
  std::uint64_t size = 0;
  range.remove_prefix(std::min(range.find('/'), range.size()));
  if (!range.empty()) std::from_chars(range.data() + 1, range.data() + range.size(), size);
  return size;
}

Failure not_written(const std::string& what) {
  const std::error_code reason(errno, std::generic_category());
  return {reason == std::errc::no_space_on_device || errno == EDQUOT ? QUARRY_RESOURCE_EXHAUSTED
                                                                     : QUARRY_INTERNAL,
          what + " cannot be written to the cache: " + reason.message(),
          "free some space on that disk, or set another cache.directory",
          {}};
}

/// One request and what comes back.
class Attempt {
 public:
  Attempt(const Exchange& exchange, FileSlot& slot, const Download& wanted)
      : exchange_(exchange), slot_(slot), wanted_(wanted) {}

  /// Runs it; nothing when the transfer is whole or the file is unchanged.
  Problem run() {
    if (!slot_.partial()) return not_written(wanted_.what);
    const auto ended = exchange_.send(
        request(), [this](int status, const auto& headers) { return head(status, headers); },
        [this](std::string_view bytes) { return data(bytes); });
    return judge(ended ? std::nullopt : Problem(ended.failure()));
  }
  [[nodiscard]] bool unchanged() const { return response_.status == 304; }
  [[nodiscard]] bool was_cut() const { return cut_ && size_ > 0; }
  /// True if the server no longer has the range that was asked for.
  [[nodiscard]] bool is_stale() const { return response_.status == 416; }
  /// False when no later attempt can continue with the file.
  [[nodiscard]] bool is_useful() const { return !useless_ && !is_stale(); }
  [[nodiscard]] FileFacts facts() const { return {{}, size_, validators_}; }

 private:
  [[nodiscard]] bool has_file() const { return response_.status == 200 || is_part_; }

  HttpRequest request() {
    HttpRequest out = wanted_.request;
    const std::string etag = slot_.partial_etag();
    from_ = etag.empty() ? 0 : slot_.partial().size();
    if (from_ > 0) {
      out.headers.push_back({"range", "bytes=" + std::to_string(from_) + "-", {}});
      out.headers.push_back({"if-range", etag, {}});
    } else {
      wanted_.known.add_to(out);
    }
    return out;
  }

  bool head(int status, const std::vector<HttpHeader>& headers) {
    response_ = {status, headers, {}, wanted_.request.url};
    const std::string_view range = header(headers, "content-range");
    is_part_ = status == 206 && from_ > 0 && begins_at(range, from_);
    whole_ = is_part_ ? whole_size(range) : 0;
    if (status == 206 && !is_part_) {
      failure_ = Failure{QUARRY_UNAVAILABLE, "the server sent another part than asked for", {}, {}};
      return false;
    }
    return !has_file() || begin(headers);
  }

  bool begin(const std::vector<HttpHeader>& headers) {
    size_ = is_part_ ? from_ : 0;
    validators_ = Validators::of(headers);
    const std::string_view length = header(headers, "content-length");
    std::from_chars(length.data(), length.data() + length.size(), total_);
    total_ += size_;
    if (!fits(total_)) return false;
    if (is_part_) return true;
    slot_.begin_partial(validators_.etag);
    return slot_.partial().truncate() || fail(not_written(wanted_.what));
  }

  bool data(std::string_view bytes) {
    if (!has_file()) {
      response_.body += bytes.substr(0, kMostAnswer - response_.body.size());
      return true;
    }
    if (!fits(size_ + bytes.size())) return false;
    if (!slot_.partial().write(size_, bytes)) return fail(not_written(wanted_.what));
    const bool is_due = size_ / kMebibyte != (size_ + bytes.size()) / kMebibyte;
    size_ += bytes.size();
    if (is_due) report();
    return true;
  }

  void report() const {
    exchange_.call.progress(R"({"message":)" + json::quoted("downloading " + wanted_.what) +
                            ",\"done\":" + std::to_string(size_) +
                            ",\"total\":" + std::to_string(std::max(total_, size_)) + "}");
  }

  bool fits(std::uint64_t bytes) { return bytes <= wanted_.most || fail(wanted_.too_large()); }
  bool fail(Failure failure) {
    failure_ = std::move(failure);
    return false;
  }

  [[nodiscard]] Failure ended() const {
    Failure failure = exchange_.call.why();
    if (failure.status != QUARRY_DEADLINE_EXCEEDED || size_ == 0) return failure;
    failure.message = "the time for the download was over after " + std::to_string(size_) +
                      " bytes" + (total_ > size_ ? " of " + std::to_string(total_) : "");
    if (!slot_.partial_etag().empty()) {
      failure.hint = "ask again: the download continues where it ended";
    }
    return failure;
  }

  Problem judge(const Problem& said) {
    useless_ = failure_ && (has_file() || response_.status == 206);
    if (failure_) return failure_;
    if (said && exchange_.call.over()) return ended();
    if (said) {
      cut_ = has_file();
      return wanted_.not_received ? wanted_.not_received(*said) : *said;
    }
    if (has_file() && size_ < whole_) {  // a server may send less than it is asked for
      cut_ = true;
      return Failure{QUARRY_UNAVAILABLE,
                     "the server sent only a part of " + wanted_.what,
                     "try again: the download continues where it ended",
                     {}};
    }
    if (has_file()) return report(), std::nullopt;
    if (unchanged() && !wanted_.known.empty()) return std::nullopt;
    return wanted_.refused(response_);
  }

  const Exchange& exchange_;
  FileSlot& slot_;
  const Download& wanted_;
  HttpResponse response_;
  std::uint64_t size_ = 0;
  std::uint64_t total_ = 0;
  std::uint64_t from_ = 0;   ///< where the range begins
  std::uint64_t whole_ = 0;  ///< bytes of the file whose part is sent; 0 = not known
  bool is_part_ = false;
  bool cut_ = false;
  bool useless_ = false;  ///< too large, or not written
  Validators validators_;
  Problem failure_;
};

/// The failure of what is no such file: a web page in its place has its own words.
Failure checked_failure(const File& file, const std::string& url, Failure failure) {
  const auto begin = file.read(0, std::min<std::uint64_t>(file.size(), kMostAnswer));
  return begin && is_web_page(*begin) ? web_page_failure(*begin, url) : failure;
}

/// The SHA-256 of a file that `wanted` accepts, else why not.
Outcome<std::string> checked(const Call& call, const Download& wanted, const File& file) {
  auto algorithms = wanted.algorithms;
  algorithms.emplace_back("sha256");
  const auto digests = digests_of(call, file, algorithms);
  if (!digests) return digests.failure();
  if (auto failed = wanted.check ? wanted.check(file, *digests) : std::nullopt) return *failed;
  return to_hex(digests->back());
}

/// Checks the whole download, and publishes it.
Outcome<FileFacts> finish(const Call& call, FileSlot& slot, const Download& wanted,
                          FileFacts facts) {
  const auto sha256 = checked(call, wanted, slot.partial());
  if (!sha256) {
    if (call.over()) return call.why();
    Failure said = checked_failure(slot.partial(), wanted.request.url, sha256.failure());
    slot.remove_partial();
    return said;
  }
  facts.sha256 = *sha256;
  if (slot.publish(facts)) return facts;
  return not_written(wanted.what);
}

}  // namespace

Outcome<FileFacts> download(const Exchange& exchange, FileSlot& slot, const Download& wanted) {
  constexpr int kAttempts = 4;
  for (int i = 1;; ++i) {
    Attempt attempt(exchange, slot, wanted);
    const auto failed = attempt.run();
    if (!failed && !attempt.unchanged()) {
      return finish(exchange.call, slot, wanted, attempt.facts());
    }
    const bool kept = failed && attempt.is_useful() && !slot.partial_etag().empty();
    if (!kept) slot.remove_partial();
    if (!failed) return FileFacts{};
    const bool again = attempt.is_stale() || (kept && attempt.was_cut());
    if (!again || i == kAttempts || exchange.call.over()) return *failed;
  }
}

std::optional<FileSlot> find_intact(const Exchange& exchange, const std::string& name,
                                    const Download& wanted) {
  auto kept = FileSlot::find(exchange.host, exchange.call, name);
  return kept && checked(exchange.call, wanted, kept->file()) ? std::move(kept) : std::nullopt;
}

Outcome<FileSlot> obtain(const Exchange& exchange, const std::string& name, const Download& wanted,
                         std::string_view scratch) {
  const Call& call = exchange.call;
  if (auto kept = find_intact(exchange, name, wanted)) return std::move(*kept);
  if (call.over()) return call.why();
  auto slot = FileSlot::open(exchange.host, call, name, wanted.most, scratch);
  if (!slot) return slot.failure();
  const bool is_there = (*slot).file() && checked(call, wanted, (*slot).file());
  if (call.over()) return call.why();
  if (!is_there) {
    (*slot).remove_file();
    const auto got = download(exchange, *slot, wanted);
    if (!got && (*slot).partial_etag().empty()) (*slot).remove();
    if (!got) return got.failure();
  }
  if ((*slot).share()) return slot;
  return Failure{QUARRY_UNAVAILABLE,
                 "the cache changed while " + wanted.what + " was downloaded",
                 "try again",
                 {}};
}

Outcome<std::vector<std::string>> digests_of(const Call& call, const File& file,
                                             const std::vector<std::string>& algorithms) {
  std::vector<Digest> digests;
  for (const std::string& algorithm : algorithms) digests.emplace_back(algorithm);
  std::string buffer(std::size_t{128} << 10U, '\0');
  for (std::uint64_t at = 0;;) {
    if (call.over()) return call.why();
    const auto got = file.read_some(at, buffer.data(), buffer.size());
    if (got < 0) {
      const std::error_code reason(errno, std::generic_category());
      return Failure{
          QUARRY_INTERNAL, "a downloaded file cannot be read: " + reason.message(), {}, {}};
    }
    if (got == 0) break;
    for (Digest& digest : digests) digest.add({buffer.data(), static_cast<std::size_t>(got)});
    at += static_cast<std::uint64_t>(got);
  }
  std::vector<std::string> out;
  for (Digest& digest : digests) out.push_back(digest.bytes());
  return out;
}

Outcome<std::string> sha256_of(const Call& call, const File& file) {
  const auto digests = digests_of(call, file, {"sha256"});
  if (!digests) return digests.failure();
  return to_hex(digests->front());
}

}  // namespace quarry::package_source
