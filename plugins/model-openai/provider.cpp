#include "model-openai/provider.h"

#include "model-openai/chat_body.h"
#include "model-openai/chat_decoder.h"
#include "model-openai/model_list.h"
#include "model-openai/responses_body.h"
#include "model-openai/responses_decoder.h"
#include "model_http/json_text.h"

namespace quarry::openai {

using Json = nlohmann::json;

Outcome<Provider> Provider::make(const Vendor& vendor, Host host, std::string_view configuration,
                                 const model_http::Environment& environment) {
  auto settings = model_http::Settings::read(
      configuration, {vendor.base_url, vendor.key_variable, vendor.base_url_variable}, environment);
  if (!settings) return settings.failure();
  const bool responses = vendor.prefers_responses && settings->at_home;
  auto options = Options::read(settings->options, responses ? Api::kResponses : Api::kChat);
  if (!options) return options.failure();
  return Provider(vendor, host, std::move(*settings), std::move(*options));
}

std::string Provider::describe() const {
  Json out = {{"title", vendor_->title},
              {"schema", schema()},
              {"needs", settings_.needs()},
              {"local", is_local(*vendor_)},
              {"endpoint", settings_.base_url}};
  // A server at another address bills differently, and has other models.
  if (settings_.at_home && !is_local(*vendor_)) {
    out["vendor"] = vendor_->billed_as;
    if (*vendor_->default_model != '\0') out["defaultModel"] = vendor_->default_model;
  }
  return out.dump();
}

Outcome<std::unique_ptr<Provider::Exchange>> Provider::begin(std::string_view chat_request) const {
  const auto chat = model_http::ChatRequest::read(chat_request);
  if (!chat) return chat.failure();
  std::unique_ptr<model_http::Decoder> decoder;
  if (options_.api == Api::kResponses) {
    decoder = std::make_unique<ResponsesDecoder>(options_.most_tokens(chat->max_output_tokens));
  } else {
    decoder = std::make_unique<ChatDecoder>(refused_);
  }
  return std::make_unique<Exchange>(request_for(*chat), model_http::Framing::kEvents,
                                    std::move(decoder));
}

HttpRequest Provider::request_for(const model_http::ChatRequest& chat) const {
  const bool responses = options_.api == Api::kResponses;
  HttpRequest request{
      "POST", settings_.base_url + (responses ? "/responses" : "/chat/completions"), headers(),
      model_http::to_text(responses ? responses_body(chat, options_)
                                    : chat_body(chat, *vendor_, options_, *refused_))};
  request.headers.push_back({"content-type", "application/json", {}});
  request.headers.push_back({"accept", "text/event-stream", {}});
  return request;
}

Outcome<std::string> Provider::models(const Call& call) const {
  const auto response =
      model_http::get_json(host_, call, settings_.base_url + "/models", headers());
  if (!response) return response.failure();
  return model_list(*response, vendor_->default_model);
}

std::vector<HttpHeader> Provider::headers() const {
  std::vector<HttpHeader> out = options_.request.headers;
  if (!settings_.secret.empty()) out.push_back({"authorization", "Bearer ", settings_.secret});
  return out;
}

}  // namespace quarry::openai
