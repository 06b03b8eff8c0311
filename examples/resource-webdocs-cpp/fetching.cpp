#include "fetching.h"

#include <quarry/json.hpp>

#include <numeric>
#include <utility>

namespace webdocs {
namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 20;  // of all files
constexpr std::size_t kMostState = std::size_t{60} << 10;  // the contract permits 64 KiB

using quarry::Failure;
namespace json = quarry::json;

/// The member "pages" of the state: validators by path and query.
std::map<std::string, std::string> validators_of(std::string_view last) {
  const std::string_view state = json::member(last, "state").value_or("");
  std::map<std::string, std::string> out;
  for (const json::Member& page : json::members(json::member(state, "pages").value_or(""))) {
    out[page.key] = json::as_string(page.value).value_or("");
  }
  return out;
}

std::string key_of(const Page& page) {
  return page.url.path + page.url.query;
}

}  // namespace

Fetching::Fetching(const quarry::Host& host, const quarry::Call& call, quarry::Tree& tree,
                   std::string_view last)
    : host_(host), call_(call), tree_(tree), last_(validators_of(last)) {}

std::optional<Failure> Fetching::run(const Site& site) {
  pages_ = &site.pages;
  notes_ = site.notes;
  marks_.resize(site.pages.size());
  std::vector<std::size_t> all(site.pages.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  if (auto failed = send(all, true)) return failed;
  if (auto failed = send(std::exchange(not_kept_, {}), false)) return failed;
  if (auto failed = mark_large()) return failed;
  version_ = version_of(site.pages, marks_);
  write_notes();
  if (files_ > 0) return std::nullopt;
  return Failure{failed_ > 0 ? QUARRY_UNAVAILABLE : QUARRY_NOT_FOUND,
                 "no page that " + site.index + " names could be read",
                 "try again later",
                 {}};
}

std::optional<Failure> Fetching::send(const std::vector<std::size_t>& pages, bool conditional) {
  std::vector<quarry::HttpRequest> requests;
  for (const std::size_t i : pages) requests.push_back(request_of((*pages_)[i], conditional));
  return send_in_batches(host_, call_, requests, [&](std::size_t i, Response& response) {
    report(i);
    return take(pages[i], response);
  });
}

quarry::HttpRequest Fetching::request_of(const Page& page, bool conditional) const {
  quarry::HttpRequest request = page_request(page.url);
  const auto known = last_.find(key_of(page));
  if (conditional && known != last_.end()) request.headers.push_back(condition_of(known->second));
  return request;
}

void Fetching::report(std::size_t done) const {
  call_.progress("{\"message\":\"pages\",\"done\":" + std::to_string(done) +
                 ",\"total\":" + std::to_string(pages_->size()) + "}");
}

std::optional<Failure> Fetching::take(std::size_t i, Response& response) {
  marks_[i] = mark_of(response);
  if (!response && response.failure().status == QUARRY_RESOURCE_EXHAUSTED) {
    ++too_large_;
    large_.push_back(i);
    return std::nullopt;
  }
  const int status = response ? response->status : 0;
  if (status == 304) return keep(i);
  if (status == 200) return add(i, *response);
  if (status != 404 && status != 410) return keep_outdated(i);
  ++gone_;
  return std::nullopt;
}

/// A response that is too large has no validator, by which resolve marks the page.
std::optional<Failure> Fetching::mark_large() {
  std::vector<Page> pages;
  for (const std::size_t i : large_) pages.push_back((*pages_)[i]);
  const auto marks = read_marks(host_, call_, pages);
  if (!marks) return marks.failure();
  for (std::size_t i = 0; i < large_.size(); ++i) marks_[large_[i]] = (*marks)[i];
  return std::nullopt;
}

std::optional<Failure> Fetching::keep(std::size_t i) {
  const Page& page = (*pages_)[i];
  const quarry_status kept = tree_.keep_file(page.name);
  if (kept == QUARRY_NOT_FOUND) {
    not_kept_.push_back(i);
    return std::nullopt;
  }
  if (kept != QUARRY_OK) return Failure{kept, page.name + " was not kept", {}, {}};
  ++files_;
  marks_[i] = last_[key_of(page)];
  remember(page, marks_[i]);
  return std::nullopt;
}

std::optional<Failure> Fetching::keep_outdated(std::size_t i) {
  const Page& page = (*pages_)[i];
  const quarry_status kept = tree_.keep_file(page.name);
  if (kept != QUARRY_OK && kept != QUARRY_NOT_FOUND) {
    return Failure{kept, page.name + " was not kept", {}, {}};
  }
  files_ += kept == QUARRY_OK ? 1 : 0;
  ++(kept == QUARRY_OK ? outdated_ : failed_);
  const auto known = last_.find(key_of(page));
  if (kept == QUARRY_OK && known != last_.end()) remember(page, known->second);
  return std::nullopt;
}

std::optional<Failure> Fetching::add(std::size_t i, const quarry::HttpResponse& response) {
  const Page& page = (*pages_)[i];
  const auto page_text = text_of(response, page.url);
  if (!page_text || page_text->text.empty()) {
    ++no_text_;
    return std::nullopt;
  }
  bytes_ += page_text->text.size();
  if (bytes_ > kMostBytes) {
    ++too_large_;
    return std::nullopt;
  }
  const quarry_status added = write(page, *page_text);
  if (added != QUARRY_OK) return Failure{added, page.name + " was not accepted", {}, {}};
  ++files_;
  remember(page, validator_of(response));
  return std::nullopt;
}

quarry_status Fetching::write(const Page& page, const PageText& page_text) {
  const std::string permalink = page.url.text();
  const std::size_t size = page_text.text.size();
  const bool added =
      size > tree_.file_limit()
          ? tree_.add_large(page.name, size)
          : tree_.add_file({page.name, permalink, page_text.title, page_text.media_type},
                           page_text.text);
  return added ? QUARRY_OK : QUARRY_RESOURCE_EXHAUSTED;
}

/// Pages beyond the state's size are fetched again every time.
void Fetching::remember(const Page& page, const std::string& validator) {
  if (validator.empty()) return;
  const std::string member = json::quoted(key_of(page)) + ":" + json::quoted(validator);
  if (state_.size() + member.size() >= kMostState) return;
  state_ += (state_.empty() ? "" : ",") + member;
}

void Fetching::write_notes() {
  const auto note = [&](std::size_t count, const std::string& text) {
    if (count > 0) notes_.push_back(std::to_string(count) + " pages " + text);
  };
  note(outdated_, "could not be read now; their last known text is used");
  note(failed_, "could not be read and are missing");
  note(gone_, "are named by the site but do not exist");
  note(too_large_, "are too large and are left out");
  note(no_text_, "have no text and are left out");
}

std::string Fetching::value() const {
  std::string notes;
  for (const std::string& note : notes_) notes += (notes.empty() ? "" : ",") + json::quoted(note);
  return "{\"notes\":[" + notes + "],\"state\":{\"pages\":{" + state_ + "}}}";
}

}  // namespace webdocs
