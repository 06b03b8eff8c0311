#include "plugins/index_cache.h"

#include "base/directory_entries.h"
#include "base/file.h"
#include "base/hash.h"
#include "plugins/compose.h"
#include "plugins/plugin_files.h"

#include <algorithm>

namespace quarry::plugins {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kTotal{60};
constexpr std::size_t kMostHeader = 64u << 10;  // of a copy, before the text of the index

using Milliseconds = std::chrono::milliseconds;

std::int64_t in_milliseconds(Clock::Wall time) {
  return std::chrono::duration_cast<Milliseconds>(time.time_since_epoch()).count();
}

Result<std::string> get(WebFiles& web, const services::Call& call, const std::string& url,
                        std::size_t limit) {
  std::string text;
  const auto got = web.get(call, {.url = url, .limit = limit, .total = kTotal},
                           [&text](std::string_view bytes) -> Status {
                             text += bytes;
                             return {};
                           });
  if (!got) return got.error();
  return text;
}

Error denied(std::string cause, std::string hint) {
  return {Code::kPermissionDenied, std::move(cause), std::move(hint)};
}

bool may_pass(Code code) {
  return code == Code::kUnavailable || code == Code::kDeadlineExceeded;
}

/// Removes what writers left that were killed. Under the lock of the directory.
void sweep(const fs::path& directory) {
  std::error_code ignored;
  for (const auto& entry : entries_of(directory)) {
    if (entry.path().filename().string().starts_with('.')) fs::remove(entry.path(), ignored);
  }
}

}  // namespace

fs::path IndexCache::file_of(const IndexSource& source) const {
  return directory_ / (sha256_hex(source.url).substr(0, 32) + ".index");
}

/// A copy is a line of JSON about it, then the text of the index.
Result<IndexCache::Copy> IndexCache::load(const IndexSource& source) const {
  const auto text = read_file(file_of(source), PluginIndex::kMostBytes + kMostHeader);
  if (!text) return text.error();
  const auto end = std::min(text->find('\n'), text->size());
  const auto header = parse_json(std::string_view(*text).substr(0, end));
  const auto damaged = [&] {
    return Error(Code::kNotFound, file_of(source).string() + " is damaged");
  };
  if (!header || !header->is_object() || end == text->size()) return damaged();
  try {
    if (header->at("url") != source.url) return damaged();
    return Copy{.etag = header->at("etag"),
                .signature = header->at("signature"),
                .fetched = Clock::Wall(Milliseconds(header->at("fetched").get<std::int64_t>())),
                .text = text->substr(end + 1)};
  } catch (const Json::exception&) {
    return damaged();
  }
}

Status IndexCache::store(const IndexSource& source, const Copy& copy) const {
  if (auto made = create_private_directories(directory_); !made) return made;
  const auto lock = FileLock::acquire(directory_, FileLock::Mode::kExclusive);
  if (!lock) return lock.error();
  sweep(directory_);
  const Json header{{"url", source.url},
                    {"etag", copy.etag},
                    {"signature", copy.signature},
                    {"fetched", in_milliseconds(copy.fetched)}};
  return write_file_atomically(file_of(source), to_text(header) + "\n" + copy.text);
}

Status IndexCache::check_signature(const Copy& copy) const {
  if (trusted_.empty()) return {};
  const auto signature = parse_minisign_signature(copy.signature);
  if (!signature) return Error(signature.error()).in("its signature");
  const auto key = std::ranges::find(trusted_, signature->key_id, &MinisignKey::id);
  if (key == trusted_.end()) {
    return denied(compose("it is signed by key {}, which trusted_keys does not have",
                          minisign_key_id(signature->key_id)),
                  "add its key to trusted_keys in [plugins], if you trust its owner");
  }
  if (verify_minisign(*key, *signature, copy.text)) return {};
  return denied("its signature is invalid: it was made for another index, or the index was changed",
                "try again, since it may just have been replaced; then ask its publisher");
}

Result<ReadIndex> IndexCache::read(const IndexSource& source, const Copy& copy) const {
  if (auto valid = check_signature(copy); !valid) return std::move(valid.error());
  auto index = parse_index(copy.text, source.url);
  if (!index) return std::move(index.error());
  return ReadIndex{.source = source, .index = std::move(*index), .fetched = copy.fetched};
}

/// The copy at hand if it is current. Its signature may have been fetched for nobody.
Result<IndexCache::Copy> IndexCache::download(const IndexSource& source, WebFiles& web,
                                              const services::Call& call,
                                              const Result<Copy>& last) const {
  const bool usable = last && check_signature(*last);
  Copy out;
  const auto got = web.get(call,
                           {.url = source.url,
                            .etag = usable ? last->etag : "",
                            .limit = PluginIndex::kMostBytes,
                            .total = kTotal},
                           [&out](std::string_view bytes) -> Status {
                             out.text += bytes;
                             return {};
                           });
  if (!got) return got.error();
  if (got->unchanged) return *last;
  out.etag = got->etag;
  if (trusted_.empty()) return out;
  auto signature = get(web, call, source.url + ".minisig", kMaxSignature);
  if (!signature && signature.error().code == Code::kNotFound) {
    return denied("it has no signature: there is no " + source.url + ".minisig",
                  "ask its publisher for a signature by minisign; trusted_keys requires one");
  }
  if (!signature) return std::move(signature.error());
  out.signature = std::move(*signature);
  return out;
}

/// An old index with its old signature would hide that versions were withdrawn.
Status IndexCache::check_not_older(const ReadIndex& fetched, const IndexSource& source,
                                   const Result<Copy>& last) const {
  if (trusted_.empty() || !last) return {};
  const auto before = read(source, *last);
  if (!before || before->index.made <= fetched.index.made) return {};
  return denied(compose("it was made at {}, and the one that was fetched before at {}",
                        fetched.index.made, before->index.made),
                compose("ask its publisher; if it is right, remove {}", file_of(source).string()));
}

Result<ReadIndex> IndexCache::fetch(const IndexSource& source, WebFiles& web,
                                    const services::Call& call, Clock::Wall now) const {
  const auto in = [&](Error error) {
    return std::move(error).in(compose("the plugin index \"{}\" ({})", source.name, source.url));
  };
  const auto last = load(source);
  auto copy = download(source, web, call, last);
  if (!copy && may_pass(copy.error().code)) {
    auto kept = last ? read(source, *last) : Result<ReadIndex>(copy.error());
    if (!kept) return in(copy.error());
    kept->offline = copy.error();
    return kept;
  }
  if (!copy) return in(copy.error());
  copy->fetched = now;
  auto index = read(source, *copy);
  if (!index) return in(index.error());
  if (auto newer = check_not_older(*index, source, last); !newer) return in(newer.error());
  if (auto stored = store(source, *copy); !stored) return in(stored.error());
  return index;
}

Result<ReadIndex> IndexCache::cached(const IndexSource& source) const {
  const auto copy = load(source);
  auto index = copy ? read(source, *copy) : Result<ReadIndex>(copy.error());
  if (index) return index;
  return std::move(index.error()).in(compose("the copy of plugin index \"{}\"", source.name));
}

}  // namespace quarry::plugins
