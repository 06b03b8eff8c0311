#include "services/http_transfer.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <sys/socket.h>

namespace quarry::services {
namespace {

constexpr int kMaxRedirects = 5;
constexpr std::uint64_t kMaxRedirectBody = 1 << 20;
constexpr std::size_t kMaxHeaders = 256;
constexpr long kUploadBuffer = 16 << 10;  // the least there is; with TLS as long as a transfer

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

/// Headers that would let a request mean another host or another message than it seems to.
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
  return !header.secret.empty() || std::ranges::any_of(kParts, [&](std::string_view part) {
    return name.find(part) != name.npos;
  });
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

HttpTransfer::HttpTransfer(const HttpContext& context, HttpRequest request, HttpCallbacks callbacks,
                           HttpOptions options)
    : context_(context),
      request_(std::move(request)),
      callbacks_(std::move(callbacks)),
      options_(std::move(options)) {}

HttpTransfer::~HttpTransfer() {
  if (easy_) context_.curl.easy_cleanup(easy_);
  if (headers_) context_.curl.slist_free_all(headers_);
}

Status HttpTransfer::prepare() {
  if (!is_token(request_.method))
    return Error{Code::kInvalidArgument, "not an HTTP method: '" + request_.method + "'"};
  auto url = HttpUrl::parse(context_.curl, request_.url);
  if (!url) return url.error();
  easy_ = context_.curl.easy_init();
  if (!easy_) return Error{Code::kResourceExhausted, "no memory for an HTTP request"};
  if (auto aimed = aim(std::move(*url)); !aimed) return aimed;
  return set_up();
}

Status HttpTransfer::check_host(const std::string& host) const {
  if (auto listed = check_listed(options_.hosts, host); !listed) return listed;
  return context_.policy.check(host);
}

/// Checks that the next request may go to `url`.
Status HttpTransfer::aim(HttpUrl url) {
  const auto named = parse_endpoint(url.origin());
  const bool endpoint = named && context_.policy.is_endpoint(*named);
  permitted_ = endpoint && options_.to_models;
  if (!permitted_) {
    if (auto allowed = check_host(url.host); !allowed) return allowed;
  }
  // A connection that was kept for a model is not there for others, who would need another check.
  set(CURLOPT_FRESH_CONNECT, endpoint && !permitted_ ? 1L : 0L);
  const std::string proxy = context_.proxies.choose(url.scheme, url.host);
  proxied_ = !proxy.empty();
  url_ = std::move(url);
  set(CURLOPT_URL, url_.text.c_str());
  set(CURLOPT_PROXY, proxy.c_str());  // empty: libcurl must not look for one itself
  set(CURLOPT_NOPROXY, "");
  set(CURLOPT_PIPEWAIT, url_.scheme == "https" ? 1L : 0L);
  return {};
}

Status HttpTransfer::set_up() {
  set(CURLOPT_PRIVATE, this);
  set(CURLOPT_ERRORBUFFER, detail_);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_QUICK_EXIT, 1L);  // an ended transfer does not wait for its name to be resolved
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_HTTP_VERSION, long{CURL_HTTP_VERSION_2TLS});
  set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  set(CURLOPT_TCP_KEEPALIVE, 1L);
  set(CURLOPT_CONNECTTIMEOUT_MS,
      static_cast<long>(std::max<std::int64_t>(options_.connect.count(), 1)));
  set(CURLOPT_BUFFERSIZE, static_cast<long>(options_.buffer));
  set(CURLOPT_UPLOAD_BUFFERSIZE, kUploadBuffer);
  if (options_.compressed) set(CURLOPT_ACCEPT_ENCODING, "");
  if (!context_.ca_file.empty()) set(CURLOPT_CAINFO, context_.ca_file.c_str());
  if (!context_.ca_directory.empty()) set(CURLOPT_CAPATH, context_.ca_directory.c_str());
  set(CURLOPT_HEADERFUNCTION, &HttpTransfer::on_header);
  set(CURLOPT_HEADERDATA, this);
  set(CURLOPT_WRITEFUNCTION, &HttpTransfer::on_body);
  set(CURLOPT_WRITEDATA, this);
  set(CURLOPT_OPENSOCKETFUNCTION, &HttpTransfer::on_socket);
  set(CURLOPT_OPENSOCKETDATA, this);
  set_up_method();
  return set_up_headers();
}

void HttpTransfer::set_up_method() {
  const std::string& method = request_.method;
  set(CURLOPT_HTTPGET, 1L);
  set(CURLOPT_NOBODY, method == "HEAD" ? 1L : 0L);
  const bool with_body = method == "POST" || method == "PUT" || method == "PATCH";
  if (with_body || !request_.body.empty()) {
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.size()));
    set(CURLOPT_POSTFIELDS, request_.body.data());
  }
  set(CURLOPT_CUSTOMREQUEST, method == "HEAD" ? nullptr : method.c_str());
}

Status HttpTransfer::set_up_headers() {
  if (headers_) context_.curl.slist_free_all(std::exchange(headers_, nullptr));
  bool typed = false, agent = false;
  for (const HttpHeader& header : request_.headers) {
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
    // libcurl sends a header without value only when it is written with a semicolon.
    const auto line = header.name + (header.value.empty() ? ";" : ": " + header.value);
    if (auto added = add_header(line); !added) return added;
  }
  if (!typed)
    if (auto added = add_header("Content-Type:"); !added) return added;
  if (!agent)
    if (auto added = add_header("User-Agent: quarry"); !added) return added;
  if (auto added = add_header("Expect:"); !added) return added;
  set(CURLOPT_HTTPHEADER, headers_);
  return {};
}

Status HttpTransfer::add_header(const std::string& line) {
  curl_slist* longer = context_.curl.slist_append(headers_, line.c_str());
  if (!longer) return Error{Code::kResourceExhausted, "no memory for the headers of a request"};
  headers_ = longer;
  return {};
}

bool HttpTransfer::fail(Error error) {
  if (!failure_) failure_ = std::move(error);
  return false;
}

curl_socket_t HttpTransfer::on_socket(void* self, curlsocktype, curl_sockaddr* address) {
  auto& mine = *static_cast<HttpTransfer*>(self);
  if (!mine.proxied_ && !mine.permitted_) {
    auto allowed = mine.context_.policy.check(mine.url_.host, address->addr);
    if (!allowed) mine.fail(std::move(allowed.error()));
  }
  // One refused address ends it all: a name that also has private addresses is not to be trusted.
  if (mine.failure_) return CURL_SOCKET_BAD;
  return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

std::size_t HttpTransfer::on_header(char* data, std::size_t, std::size_t size, void* self) {
  auto& mine = *static_cast<HttpTransfer*>(self);
  mine.heard_ = std::chrono::steady_clock::now();
  const std::string_view line = trim(std::string_view(data, size));
  if (mine.head_done_) return size;  // a trailer
  if (line.empty()) return mine.finish_head() ? size : 0;
  mine.take_header_line(line);
  return mine.head_.headers.size() <= kMaxHeaders ||
                 mine.fail({Code::kResourceExhausted, "the response has too many headers"})
             ? size
             : 0;
}

void HttpTransfer::take_header_line(std::string_view line) {
  if (line.starts_with("HTTP/")) {
    head_ = {};
    location_.clear();
    const auto space = line.find(' ');
    if (space != line.npos)
      std::from_chars(line.data() + space + 1, line.data() + line.size(), head_.status);
    return;
  }
  const auto colon = line.find(':');
  if (colon == line.npos) return;
  HttpHeader header{
      std::string(line.substr(0, colon)), std::string(trim(line.substr(colon + 1))), {}};
  if (to_lower(header.name) == "location") location_ = header.value;
  head_.headers.push_back(std::move(header));
}

bool HttpTransfer::finish_head() {
  if (head_.status < 200) return true;  // informational: another head follows
  head_done_ = true;
  redirecting_ = is_redirect(head_.status) && !location_.empty();
  if (redirecting_) return true;
  // Nothing can ask for it again, and a stream of hours need not hold its question.
  if (sent() == request_.body.size()) std::exchange(request_.body, {});
  curl_off_t length = -1;
  context_.curl.easy_getinfo(easy_, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
  if (request_.method != "HEAD" && length > 0 &&
      static_cast<std::uint64_t>(length) > options_.max_bytes)
    return fail(too_large(options_.max_bytes));
  if (!muted_ && callbacks_.on_head) callbacks_.on_head(head_);
  std::exchange(head_.headers, {});
  return true;
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
  heard_ = std::chrono::steady_clock::now();
  received_ += bytes.size();
  if (redirecting_) return received_ > kMaxRedirectBody ? kStop : bytes.size();
  if (received_ > options_.max_bytes) {
    fail(too_large(options_.max_bytes));
    return kStop;
  }
  if (callbacks_.on_data) callbacks_.on_data(bytes);
  return muted_ && !bytes.empty() ? kStop : bytes.size();
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

Result<bool> HttpTransfer::follow() {
  if (!redirecting_ || failure_ || muted_) return false;
  if (++hops_ > kMaxRedirects)
    return Error{Code::kUnavailable, "more than 5 redirects, the last from " + url_.origin(),
                 "give the address they lead to"};
  auto next = HttpUrl::parse(context_.curl, location_, url_.text);
  if (!next) return std::move(next.error()).in("a redirect from " + url_.origin());
  if (next->origin() != url_.origin()) drop_credentials();
  const bool to_get = head_.status == 303 || (head_.status <= 302 && request_.method == "POST");
  if (to_get && request_.method != "HEAD") {
    request_.method = "GET";
    request_.body.clear();
    std::erase_if(request_.headers, [](const HttpHeader& header) {
      return to_lower(header.name).starts_with("content-");
    });
  }
  const std::string from = url_.origin();
  if (auto aimed = aim(std::move(*next)); !aimed)
    return std::move(aimed.error()).in("a redirect from " + from);
  head_ = {};
  head_done_ = redirecting_ = false;
  received_ = 0;
  set_up_method();
  if (auto set = set_up_headers(); !set) return set.error();
  return true;
}

void HttpTransfer::drop_credentials() {
  std::erase_if(request_.headers, is_credential);
}

Result<HttpOutcome> HttpTransfer::outcome(CURLcode code) {
  if (failure_) return *failure_;
  if (code != CURLE_OK) return failure(code);
  return HttpOutcome{head_.status, url_.text};
}

}  // namespace quarry::services
