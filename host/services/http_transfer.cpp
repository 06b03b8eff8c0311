#include "services/http_transfer.h"

#include "base/text.h"

#include <quarry/limits.h>

#include <algorithm>
#include <array>
#include <charconv>

#include <sys/socket.h>

namespace quarry::services {
namespace {

constexpr int kMaxRedirects = 5;
constexpr std::uint64_t kMaxRedirectBody = 1 << 20;
constexpr long kUploadBuffer = 16 << 10;  // libcurl's minimum; with TLS held for a whole transfer

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

/// Headers that could change the host or the framing of a request.
bool is_reserved(const std::string& name) {
  static constexpr std::array<std::string_view, 8> kNames{
      "host", "content-length", "transfer-encoding", "connection",
      "te",   "trailer",        "upgrade",           "proxy-authorization"};
  return std::ranges::find(kNames, to_lower(name)) != kNames.end();
}

bool is_credential(const HttpHeader& header) {
  static constexpr std::array<std::string_view, 5> kParts{"authorization", "cookie", "token", "key",
                                                          "secret"};
  const std::string name = to_lower(header.name);
  return header.credential || !header.secret.empty() ||
         std::ranges::any_of(kParts,
                             [&](std::string_view part) { return name.find(part) != name.npos; });
}

bool is_token(std::string_view text) {
  static constexpr std::string_view kPunctuation = "!#$%&'*+-.^_`|~";  // RFC 9110, 5.6.2
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           kPunctuation.find(c) != kPunctuation.npos;
  });
}

bool is_header_value(std::string_view text) {
  return text.find_first_of(std::string_view("\r\n\0", 3)) == text.npos;
}

Error too_large(std::uint64_t limit) {
  return {Code::kResourceExhausted,
          "the response is larger than the limit of " + std::to_string(limit) + " bytes",
          "raise the limit if a response of this size is expected"};
}

}  // namespace

HttpTransfer::HttpTransfer(const HttpContext& context, HttpClient::Handle id, HttpRequest request,
                           HttpCallbacks callbacks, HttpOptions options)
    : on_data_(std::move(callbacks.on_data)),
      max_bytes_(options.max_bytes),
      last_(std::chrono::steady_clock::now()),
      context_(context),
      id_(id),
      on_end_(std::move(callbacks.on_end)),
      idle_(options.idle),
      total_(options.total),
      end_(total_.count() > 0 ? last_ + total_ : Time::max()) {
  if (options.minimum_speed.bytes_per_second > 0)
    speed_ = std::make_unique<SpeedWatch>(options.minimum_speed);
  request_state_ = std::make_unique<RequestState>(std::move(request), std::move(callbacks.on_head),
                                                  std::move(options));
}

HttpTransfer::~HttpTransfer() {
  fetching_.request_stop();
  if (easy_) context_.curl.easy_cleanup(easy_);
  if (request_state_) free_headers();
}

HttpTransfer& HttpTransfer::of(const Curl& curl, CURL* easy) {
  char* self = nullptr;
  curl.easy_getinfo(easy, CURLINFO_PRIVATE, &self);
  return *reinterpret_cast<HttpTransfer*>(self);
}

std::stop_token HttpTransfer::stops_fetching() {
  fetching_ = std::stop_source();
  return fetching_.get_token();
}

Status HttpTransfer::prepare(const std::vector<std::string>& secrets) {
  HttpRequest& request = request_state_->request;
  for (std::size_t i = 0; i < secrets.size(); ++i) request.headers[i].value += secrets[i];
  if (!is_token(request.method))
    return Error{Code::kInvalidArgument, "not an HTTP method: '" + request.method + "'"};
  auto url = HttpUrl::parse(context_.curl, request.url);
  if (!url) return url.error();
  easy_ = context_.curl.easy_init();
  if (!easy_) return Error{Code::kResourceExhausted, "no memory for an HTTP request"};
  if (speed_) speed_->begin(std::chrono::steady_clock::now());
  if (auto checked = set_target(std::move(*url)); !checked) return checked;
  return set_up();
}

Status HttpTransfer::check_host(const std::string& host) const {
  if (auto listed = check_listed(request_state_->options.hosts, host); !listed)
    return refused(std::move(listed.error()), host, Refusal::kManifest);
  if (auto allowed = context_.policy.check(host); !allowed)
    return refused(std::move(allowed.error()), host, Refusal::kNetwork);
  return {};
}

Error HttpTransfer::refused(Error error, std::string_view host, Refusal by) const {
  const bool redirected = request_state_ && request_state_->hops > 0;
  return refused_host(std::move(error), host, by, redirected);
}

/// Checks that the next request may go to `url`.
Status HttpTransfer::set_target(HttpUrl url) {
  const auto named = parse_endpoint(url.origin());
  const bool endpoint = named && context_.policy.is_endpoint(*named);
  permitted_ = endpoint && request_state_->options.to_models;
  if (permitted_) speed_ = nullptr;
  if (!permitted_) {
    if (auto allowed = check_host(url.host); !allowed) return allowed;
  }
  // A reused connection to a model must not serve other requests, which need another check.
  set(CURLOPT_FRESH_CONNECT, endpoint && !permitted_ ? 1L : 0L);
  const std::string proxy = context_.proxies.choose(url.scheme, url.host);
  proxied_ = !proxy.empty();
  set(CURLOPT_URL, url.text.c_str());
  set(CURLOPT_PROXY, proxy.c_str());  // empty: disables libcurl's own lookup
  set(CURLOPT_NOPROXY, "");
  set(CURLOPT_PIPEWAIT, url.scheme == "https" ? 1L : 0L);
  url_ = std::move(url.text);
  connect_by_ = std::chrono::steady_clock::now() + request_state_->options.connect;
  return {};
}

Status HttpTransfer::set_up() {
  const HttpOptions& options = request_state_->options;
  set(CURLOPT_PRIVATE, this);
  set(CURLOPT_ERRORBUFFER, request_state_->detail);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_QUICK_EXIT, 1L);  // an ended transfer does not wait for name resolution
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_HTTP_VERSION, long{CURL_HTTP_VERSION_2TLS});
  set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  set(CURLOPT_TCP_KEEPALIVE, 1L);
  set(CURLOPT_BUFFERSIZE, static_cast<long>(options.buffer));
  set(CURLOPT_UPLOAD_BUFFERSIZE, kUploadBuffer);
  if (context_.proxies.empty()) {  // no per-transfer copies of proxy certificate settings
    set(CURLOPT_PROXY_CAINFO, nullptr);
    set(CURLOPT_PROXY_CAPATH, nullptr);
  }
  if (options.compressed || options.decoded) set(CURLOPT_ACCEPT_ENCODING, "");
  if (!context_.ca_file.empty()) set(CURLOPT_CAINFO, context_.ca_file.c_str());
  if (!context_.ca_directory.empty()) set(CURLOPT_CAPATH, context_.ca_directory.c_str());
  set(CURLOPT_HEADERFUNCTION, &HttpTransfer::on_header);
  set(CURLOPT_HEADERDATA, this);
  set(CURLOPT_WRITEFUNCTION, &HttpTransfer::on_body);
  set(CURLOPT_WRITEDATA, this);
  set(CURLOPT_PREREQFUNCTION, &HttpTransfer::on_connected);
  set(CURLOPT_PREREQDATA, this);
  set(CURLOPT_OPENSOCKETFUNCTION, &HttpTransfer::on_socket);
  set(CURLOPT_OPENSOCKETDATA, this);
  set_up_method();
  return set_up_headers();
}

void HttpTransfer::set_up_method() {
  const std::string& method = request_state_->request.method;
  const std::string& body = request_state_->request.body;
  set(CURLOPT_HTTPGET, 1L);
  set(CURLOPT_NOBODY, method == "HEAD" ? 1L : 0L);
  const bool with_body = method == "POST" || method == "PUT" || method == "PATCH";
  if (with_body || !body.empty()) {
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
    set(CURLOPT_POSTFIELDS, body.data());
  }
  set(CURLOPT_CUSTOMREQUEST, method == "HEAD" ? nullptr : method.c_str());
}

Status HttpTransfer::set_up_headers() {
  free_headers();
  bool typed = false, agent = false;
  for (const HttpHeader& header : request_state_->request.headers) {
    if (!is_token(header.name) || is_reserved(header.name))
      return Error{Code::kInvalidArgument, "the header '" + header.name + "' cannot be set",
                   "leave it out; the HTTP client sets what the message needs"};
    if (!is_header_value(header.value))
      return Error{Code::kInvalidArgument,
                   "the value of the header '" + header.name + "' contains a line break",
                   header.secret.empty() ? "" : "check the secret '" + header.secret + "'"};
    const std::string name = to_lower(header.name);
    typed |= name == "content-type";
    agent |= name == "user-agent";
    // libcurl sends a header without value only if it is written with a semicolon.
    const auto line = header.name + (header.value.empty() ? ";" : ": " + header.value);
    if (auto added = add_header(line); !added) return added;
  }
  if (!typed)
    if (auto added = add_header("Content-Type:"); !added) return added;
  if (!agent)
    if (auto added = add_header("User-Agent: quarry"); !added) return added;
  if (request_state_->options.decoded)
    if (auto added = add_header("Accept-Encoding: identity"); !added) return added;
  if (auto added = add_header("Expect:"); !added) return added;
  set(CURLOPT_HTTPHEADER, request_state_->headers);
  return {};
}

Status HttpTransfer::add_header(const std::string& line) {
  curl_slist* longer = context_.curl.slist_append(request_state_->headers, line.c_str());
  if (!longer) return Error{Code::kResourceExhausted, "no memory for the headers of a request"};
  request_state_->headers = longer;
  return {};
}

void HttpTransfer::free_headers() {
  if (auto* const all = std::exchange(request_state_->headers, nullptr))
    context_.curl.slist_free_all(all);
}

bool HttpTransfer::fail(Error error) {
  if (!failure_) failure_ = std::make_unique<Error>(std::move(error));
  return false;
}

/// Ends the connection limit. libcurl's own one would stay in its timer tree during the body and be
/// rescheduled for each chunk.
int HttpTransfer::on_connected(void* self, char*, char*, int, int) {
  static_cast<HttpTransfer*>(self)->connect_by_ = Time::max();
  return CURL_PREREQFUNC_OK;
}

curl_socket_t HttpTransfer::on_socket(void* self, curlsocktype, curl_sockaddr* address) {
  auto& mine = *static_cast<HttpTransfer*>(self);
  if (!mine.proxied_ && !mine.permitted_) {
    const std::string host = mine.url().host;
    auto allowed = mine.context_.policy.check(host, address->addr);
    if (!allowed) mine.fail(mine.refused(std::move(allowed.error()), host, Refusal::kNetwork));
  }
  // One refused address ends the transfer: a name that also has private addresses is not trusted.
  if (mine.failure_) return CURL_SOCKET_BAD;
  return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

std::size_t HttpTransfer::on_header(char* data, std::size_t, std::size_t size, void* self) {
  auto& mine = *static_cast<HttpTransfer*>(self);
  mine.last_ = std::chrono::steady_clock::now();
  mine.count(size);
  const std::string_view line = trim(std::string_view(data, size));
  if (mine.head_done_) return size;  // a trailer
  if (line.empty()) return mine.finish_head() ? size : 0;
  mine.take_header_line(line);
  return mine.request_state_->head.headers.size() <= QUARRY_LIMIT_RESPONSE_HEADERS ||
                 mine.fail({Code::kResourceExhausted, "the response has too many headers"})
             ? size
             : 0;
}

void HttpTransfer::take_header_line(std::string_view line) {
  HttpHead& head = request_state_->head;
  if (line.starts_with("HTTP/")) {
    head = {};
    request_state_->location.clear();
    const auto space = line.find(' ');
    if (space != line.npos)
      std::from_chars(line.data() + space + 1, line.data() + line.size(), head.status);
    return;
  }
  const auto colon = line.find(':');
  if (colon == line.npos) return;
  HttpHeader header{
      std::string(line.substr(0, colon)), std::string(trim(line.substr(colon + 1))), {}};
  if (to_lower(header.name) == "location") request_state_->location = header.value;
  head.headers.push_back(std::move(header));
}

bool HttpTransfer::finish_head() {
  const HttpHead& head = request_state_->head;
  if (head.status < 200) return true;  // informational: another head follows
  head_done_ = true;
  status_ = head.status;
  redirecting_ = is_redirect(status_) && !request_state_->location.empty() && follows_next();
  if (redirecting_) return true;
  curl_off_t length = -1;
  context_.curl.easy_getinfo(easy_, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
  if (request_state_->request.method != "HEAD" && length > 0 &&
      static_cast<std::uint64_t>(length) > max_bytes_)
    return fail(too_large(max_bytes_));
  if (!muted_ && request_state_->on_head) request_state_->on_head(head);
  free_request_state();
  return true;
}

/// Frees the request, which cannot be repeated any more, for streams that last hours. A body still
/// being sent needs its bytes, and decompression the buffer for error messages.
void HttpTransfer::free_request_state() {
  if (sent() != request_state_->request.body.size() || request_state_->options.compressed) return;
  set(CURLOPT_ERRORBUFFER, nullptr);
  set(CURLOPT_HTTPHEADER, nullptr);
  free_headers();
  request_state_.reset();
}

std::size_t HttpTransfer::on_body(char* data, std::size_t, std::size_t size, void* self) {
  return static_cast<HttpTransfer*>(self)->take_body({data, size});
}

std::size_t HttpTransfer::take_body(std::string_view bytes) {
  constexpr std::size_t kStop = 0;
  if (muted_) return kStop;
  if (paused_ && !redirecting_) {
    held_ = true;
    return CURL_WRITEFUNC_PAUSE;
  }
  last_ = std::chrono::steady_clock::now();
  count(bytes.size());
  received_ += bytes.size();
  if (redirecting_) return received_ > kMaxRedirectBody ? kStop : bytes.size();
  if (received_ > max_bytes_) {
    fail(too_large(max_bytes_));
    return kStop;
  }
  if (on_data_) on_data_(bytes);
  return muted_ && !bytes.empty() ? kStop : bytes.size();
}

void HttpTransfer::set_paused(bool paused) {
  paused_ = paused;
  last_ = std::chrono::steady_clock::now();
  if (speed_) speed_->begin(last_);
}

CURLcode HttpTransfer::resume() {
  if (!std::exchange(held_, false)) return CURLE_OK;
  return context_.curl.easy_pause(easy_, CURLPAUSE_CONT);
}

std::uint64_t HttpTransfer::sent() const {
  curl_off_t bytes = 0;
  if (easy_) context_.curl.easy_getinfo(easy_, CURLINFO_SIZE_UPLOAD_T, &bytes);
  return static_cast<std::uint64_t>(bytes);
}

HttpUrl HttpTransfer::url() const {
  return HttpUrl::parse(context_.curl, url_).value_or(HttpUrl{});
}

bool HttpTransfer::is_late(Time now) {
  if (now < due()) return false;
  const std::uint64_t gone = sent();
  if (paused_ || gone != sent_) last_ = now;
  count(gone >= sent_ ? gone - sent_ : gone);  // a redirect restarts the count
  sent_ = gone;
  if (speed_ && paused_) speed_->begin(now);
  too_slow_ = speed_ && speed_->is_too_slow(now);
  return now >= due();
}

Error HttpTransfer::late(Time now) const {
  const std::string who = url_.empty() ? "a secret's source" : url().origin();
  const bool at_end = now >= end_;
  if (!at_end && now >= connect_by_) return failure(CURLE_OPERATION_TIMEDOUT);
  if (!at_end && too_slow_)
    return {Code::kDeadlineExceeded, who + " was " + speed_->text(), "try again later"};
  return {Code::kDeadlineExceeded,
          who + (at_end ? " took longer than " : " sent nothing for ") +
              std::to_string((at_end ? total_ : idle_).count()) + " ms",
          "try again, or raise the time limit"};
}

bool HttpTransfer::follows_next() const {
  const auto& most = request_state_->options.max_redirects;
  return !most || request_state_->hops < *most;
}

Result<bool> HttpTransfer::follow() {
  if (!redirecting_ || failure_ || muted_) return false;
  const std::string from = url().origin();
  if (++request_state_->hops > request_state_->options.max_redirects.value_or(kMaxRedirects))
    return Error{Code::kUnavailable, "more than 5 redirects, the last from " + from,
                 "give the address they lead to"};
  auto next = HttpUrl::parse(context_.curl, request_state_->location, url_);
  if (!next) return std::move(next.error()).in("a redirect from " + from);
  HttpRequest& request = request_state_->request;
  if (next->origin() != from) std::erase_if(request.headers, is_credential);
  // As with 307 and 308, 301 and 302 repeat a POST: browsers send a GET, which no API answers.
  if (status_ == 303 && request.method != "HEAD") {
    request.method = "GET";
    request.body.clear();
    std::erase_if(request.headers, [](const HttpHeader& header) {
      return to_lower(header.name).starts_with("content-");
    });
  }
  if (auto checked = set_target(std::move(*next)); !checked)
    return std::move(checked.error()).in("a redirect from " + from);
  request_state_->head = {};
  status_ = 0;
  head_done_ = redirecting_ = false;
  received_ = 0;
  set_up_method();
  if (auto set = set_up_headers(); !set) return set.error();
  return true;
}

Result<HttpOutcome> HttpTransfer::outcome(CURLcode code) {
  if (failure_) return *failure_;
  if (code != CURLE_OK) return failure(code);
  return HttpOutcome{status_, url_};
}

}  // namespace quarry::services
