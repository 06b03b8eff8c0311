#include "resource-debian/store.h"

#include "resource_files/answer.h"
#include "resource_files/digest.h"

#include <cstdio>
#include <memory>

namespace quarry::resource_debian {
namespace {

struct Closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Closer>;

std::string sha256_of_file(const std::string& path, std::uint64_t& size) {
  const File file(std::fopen(path.c_str(), "rbe"));
  resource_files::Digest digest;
  std::string buffer(std::size_t{256} << 10, '\0');
  size = 0;
  while (file) {
    const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), file.get());
    if (count == 0) break;
    digest.add(std::string_view(buffer).substr(0, count));
    size += count;
  }
  return digest.hex();
}

bool is_intact(const std::string& path, const Download& wanted) {
  std::uint64_t size = 0;
  return sha256_of_file(path, size) == wanted.sha256 && (size == wanted.size || !wanted.exact);
}

// Takes the bytes of a download to a file or to memory, up to the size that the index states.
class Receiver {
 public:
  Receiver(const Call& call, const Download& wanted, Blob& blob)
      : call_(call), wanted_(wanted), blob_(blob) {
    if (!blob.path.empty()) file_.reset(std::fopen(blob.path.c_str(), "wbxe"));
    failed_ = !blob.path.empty() && !file_;
  }
  bool take(std::string_view bytes) {
    size_ += bytes.size();
    if (failed_ || size_ > wanted_.size) return false;
    digest_.add(bytes);
    if (file_) {
      failed_ = std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size();
    } else {
      blob_.bytes += bytes;
    }
    report();
    return !failed_;
  }
  // The failure of a transfer that ended well for HTTP, if it is one.
  Problem finish(const std::string& url) {
    if (file_ && std::fclose(file_.release()) != 0) failed_ = true;
    if (failed_) {
      return failure(QUARRY_RESOURCE_EXHAUSTED, "a download could not be written to the cache",
                     "free space in the cache directory of this program");
    }
    const std::string hint =
        "the mirror may be in the middle of an update: try again later, or use "
        "another mirror";
    if (size_ > wanted_.size || (wanted_.exact && size_ != wanted_.size)) {
      return failure(QUARRY_UNAVAILABLE,
                     url + " has " + (size_ > wanted_.size ? "more than " : "only ") +
                         std::to_string(size_ > wanted_.size ? wanted_.size : size_) +
                         " bytes, and the signed index says " + std::to_string(wanted_.size),
                     hint);
    }
    if (digest_.hex() == wanted_.sha256) return std::nullopt;
    return failure(QUARRY_UNAVAILABLE, url + " does not have the SHA-256 that the index states",
                   hint);
  }
  [[nodiscard]] bool refused() const { return failed_ || size_ > wanted_.size; }

 private:
  void report() {
    if (size_ < next_report_) return;
    next_report_ = size_ + (std::uint64_t{1} << 20);
    call_.progress("{\"message\":" + quarry::json::quoted("downloading " + wanted_.label) +
                   ",\"done\":" + std::to_string(size_) +
                   ",\"total\":" + std::to_string(wanted_.size) + "}");
  }

  const Call& call_;
  const Download& wanted_;
  Blob& blob_;
  File file_;
  resource_files::Digest digest_;
  std::uint64_t size_ = 0;
  std::uint64_t next_report_ = 0;
  bool failed_ = false;
};

}  // namespace

Store::Store(const Host& host, const Settings& settings)
    : host_(host),
      prefix_(settings.for_project ? "project-" : "owner-"),
      cache_(quarry::CacheEntry::cache_of(host)) {}

std::string Store::entry_name(std::string_view name) const {
  return prefix_ + std::string(name);
}

quarry::CacheEntry::Wait Store::waiting(const Call& call) const {
  return quarry::CacheEntry::until_over(host_, call);
}

Outcome<Blob> Store::fetch(const Call& call, const Download& wanted, const std::string& url) const {
  Blob blob;
  blob.entry = quarry::CacheEntry::begin(cache_);
  if (blob.entry) blob.path = (blob.entry.path() / "data").string();
  Receiver receiver(call, wanted, blob);
  Answer answer;
  const auto ended = quarry::fetch_to(
      host_, call, {"GET", url, {}, {}, {}, -1},
      [&](int status, const std::vector<quarry::HttpHeader>& headers) {
        answer = {status, std::string(quarry::header(headers, "retry-after")), {}};
        return true;
      },
      [&](std::string_view bytes) {
        answer.body += bytes.substr(0, resource_files::kMostAnswer - answer.body.size());
        return answer.status != 200 || receiver.take(bytes);
      });
  if (call.over()) return call.why();
  if (!ended && !receiver.refused()) {
    Failure failed = ended.failure();
    failed.message = wanted.label + " was not received: " + failed.message;
    return failed;
  }
  if (answer.status != 200) return http_failure(answer, url);
  if (auto wrong = receiver.finish(url)) {
    return resource_files::is_web_page(answer.body) ? web_page_failure(answer.body, url) : *wrong;
  }
  if (!blob.entry) return blob;
  const std::string name = entry_name("sha256-" + wanted.sha256);
  const bool published = blob.entry.publish(name);
  if (!published && errno != EEXIST) return blob;  // it is used from where it is
  if (published) {
    blob.path = (blob.entry.path() / "data").string();
    if (blob.entry.share()) return blob;
  }
  blob.entry =
      quarry::CacheEntry::open(cache_, name, quarry::CacheEntry::Lock::kShared, waiting(call));
  blob.path = (cache_ / name / "data").string();
  if (blob.entry && is_intact(blob.path, wanted)) return blob;
  return failure(QUARRY_UNAVAILABLE, "the cache changed while " + wanted.label + " was downloaded",
                 "try again");
}

Outcome<Blob> Store::get(const Call& call, const Download& wanted) const {
  const std::string name = entry_name("sha256-" + wanted.sha256);
  Blob blob;
  blob.entry =
      quarry::CacheEntry::open(cache_, name, quarry::CacheEntry::Lock::kShared, waiting(call));
  if (blob.entry) {
    blob.path = (blob.entry.path() / "data").string();
    if (is_intact(blob.path, wanted)) {
      blob.entry.touch();
      return blob;
    }
    blob.entry.remove();
  }
  if (call.over()) return call.why();
  Failure last = failure(QUARRY_NOT_FOUND, wanted.label + " has no address");
  for (const std::string& url : wanted.urls) {
    auto got = fetch(call, wanted, url);
    if (got || got.failure().status != QUARRY_NOT_FOUND) return got;
    last = got.failure();
  }
  return last;
}

Outcome<std::string> Store::get_text(const Call& call, const Download& wanted) const {
  auto blob = get(call, wanted);
  if (!blob) return blob.failure();
  if ((*blob).path.empty()) return std::move((*blob).bytes);
  auto text = read_whole(blob->path, wanted.size);
  if (!text) return failure(QUARRY_INTERNAL, "the cache cannot be read");
  return std::move(*text);
}

Failure http_failure(const Answer& answer, const std::string& url) {
  const std::string message =
      url + " answered with " + resource_files::answered(answer.status, answer.body);
  if (answer.status == 404 || answer.status == 410) {
    return failure(QUARRY_NOT_FOUND, message, "check the mirror and the suite");
  }
  if (answer.status == 429 || answer.status >= 500) {
    return failure(QUARRY_UNAVAILABLE, message,
                   "use another mirror. " + resource_files::when_to_ask_again(answer.retry_after));
  }
  if (answer.status == 401 || answer.status == 403) {
    return failure(QUARRY_PERMISSION_DENIED, message,
                   "archives that need credentials are not supported; use another mirror");
  }
  return failure(QUARRY_UNAVAILABLE, message, "check the address of the mirror");
}

Failure web_page_failure(std::string_view body, const std::string& url) {
  const std::string title = resource_files::words_of_answer(body);
  return failure(QUARRY_UNAVAILABLE,
                 url + " is a web page" + (title.empty() ? "" : ", \"" + title + "\""),
                 resource_files::hint_for_web_page(url));
}

std::optional<std::string> read_whole(const std::string& path, std::uint64_t most) {
  const File file(std::fopen(path.c_str(), "rbe"));
  if (!file) return std::nullopt;
  std::string out;
  std::string buffer(std::size_t{64} << 10, '\0');
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), file.get())) {
    out.append(buffer, 0, count);
    if (out.size() > most) return std::nullopt;
  }
  return out;
}

}  // namespace quarry::resource_debian
