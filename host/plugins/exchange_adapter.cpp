#include "plugins/exchange_adapter.h"

#include "plugins/compose.h"
#include "plugins/reply_slot.h"
#include "plugins/sink_slot.h"

#include <quarry/limits.h>

#include <algorithm>

namespace quarry::plugins {
namespace {

Error no_request(std::string_view why) {
  return {Code::kInternal, compose("the provider gave no valid HTTP request: {}", why)};
}

Result<services::HttpHeader> read_header(const quarry_header* said) {
  if (said == nullptr) return no_request("a header is null");
  if (!QUARRY_HAS(said, secret)) return no_request("a header is too short");
  if (said->name.size == 0) return no_request("a header has no name");
  return services::HttpHeader{std::string(as_view(said->name)), std::string(as_view(said->value)),
                              std::string(as_view(said->secret))};
}

Result<services::HttpRequest> read_request(const quarry_http_request* said) {
  if (said == nullptr) return no_request("it gave none");
  if (!QUARRY_HAS(said, body)) return no_request("it is too short");
  if (said->method.size == 0) return no_request("it has no method");
  const auto url = as_view(said->url);
  if (!url.starts_with("https://") && !url.starts_with("http://")) {
    return no_request("its URL is not http or https");
  }
  if (said->header_count > QUARRY_LIMIT_REQUEST_HEADERS) {
    return no_request(compose("it has more than {} headers", QUARRY_LIMIT_REQUEST_HEADERS));
  }
  if (said->header_count > 0 && said->headers == nullptr) return no_request("a header is null");
  services::HttpRequest request{.method = std::string(as_view(said->method)),
                                .url = std::string(url),
                                .headers = {},
                                .body = std::string(as_view(said->body))};
  for (std::uint32_t i = 0; i < said->header_count; ++i) {
    auto header = read_header(said->headers[i]);
    if (!header) return std::move(header.error());
    request.headers.push_back(std::move(*header));
  }
  return request;
}

class ExchangeAdapter final : public ModelExchange {
 public:
  ExchangeAdapter(std::shared_ptr<Instance> instance, quarry_exchange* exchange)
      : instance_(std::move(instance)),
        table_(*static_cast<const quarry_model_v1*>(instance_->table())),
        exchange_(exchange) {}
  ~ExchangeAdapter() override {
    const auto current = instance_->running(function::kDestroyExchange);
    table_.destroy_exchange(exchange_);
  }

  Result<services::HttpRequest> request() override {
    auto request = ask_request();
    if (!request) return instance_->blame(std::move(request.error()));
    for (const auto& header : request->headers) {
      if (!header.secret.empty() && !may_read(header.secret))
        return instance_->blame(no_secret(header));
    }
    return request;
  }

  void head(int status, std::span<const services::HttpHeader> headers, ModelSink& sink) override {
    std::vector<quarry_header> lent;
    lent.reserve(headers.size());
    for (const auto& header : headers) {
      lent.push_back(
          {sizeof(quarry_header), as_text(header.name), as_text(header.value), {nullptr, 0}});
    }
    std::vector<const quarry_header*> pointers;
    pointers.reserve(lent.size());
    for (const auto& header : lent) pointers.push_back(&header);
    const SinkSlot slot(*instance_, step_, sink);
    const auto current = instance_->running(function::kHead);
    table_.head(exchange_, status, static_cast<std::uint32_t>(pointers.size()), pointers.data(),
                slot.get());
  }

  void data(std::string_view bytes, ModelSink& sink) override {
    const SinkSlot slot(*instance_, step_, sink);
    const auto current = instance_->running(function::kData);
    table_.data(exchange_, as_text(bytes), slot.get());
  }

  void end(bool complete, ModelSink& sink) override {
    SinkSlot slot(*instance_, step_, sink);
    const auto current = instance_->running(function::kEnd);
    table_.end(exchange_, complete ? QUARRY_END_COMPLETE : QUARRY_END_CUT, slot.get());
    slot.must_have_ended();
  }

 private:
  Result<services::HttpRequest> ask_request() {
    const auto current = instance_->running(function::kRequest);
    return read_request(table_.request(exchange_));
  }
  [[nodiscard]] bool may_read(const std::string& secret) const {
    const auto lists = [&](const std::vector<std::string>& names) {
      return std::ranges::find(names, secret) != names.end();
    };
    return lists(instance_->permissions().secrets) || lists(instance_->rights().secrets);
  }
  static Error no_secret(const services::HttpHeader& header) {
    return no_request(
        compose("its header {} contains the secret \"{}\", which the manifest does "
                "not permit",
                header.name, header.secret));
  }

  std::shared_ptr<Instance> instance_;
  const quarry_model_v1& table_;
  quarry_exchange* exchange_;
  Step step_;
};

}  // namespace

std::unique_ptr<ModelExchange> adapt_exchange(std::shared_ptr<Instance> instance,
                                              quarry_exchange* exchange) {
  return std::make_unique<ExchangeAdapter>(std::move(instance), exchange);
}

}  // namespace quarry::plugins
