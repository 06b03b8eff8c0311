#pragma once

#include "model-openai/options.h"
#include "model-openai/refused_parameters.h"
#include "model_http/chat_request.h"
#include "model_http/exchange.h"
#include "model_http/settings.h"

#include <quarry/host.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::openai {

/// A vendor's service as a model provider of the exchange form (quarry/model.h).
class Provider {
 public:
  using Exchange = model_http::Exchange;

  static Outcome<Provider> make(const Vendor& vendor, Host host, std::string_view configuration,
                                const model_http::Environment& environment);

  [[nodiscard]] std::string describe() const;
  [[nodiscard]] Outcome<std::unique_ptr<Exchange>> begin(std::string_view chat_request) const;
  [[nodiscard]] Outcome<std::string> models(const Call& call) const;

 private:
  Provider(const Vendor& vendor, Host host, model_http::Settings settings, Options options)
      : vendor_(&vendor),
        host_(host),
        settings_(std::move(settings)),
        options_(std::move(options)) {}

  [[nodiscard]] std::vector<HttpHeader> headers() const;
  [[nodiscard]] HttpRequest request_for(const model_http::ChatRequest& chat) const;

  const Vendor* vendor_;
  Host host_;
  model_http::Settings settings_;
  Options options_;
  std::shared_ptr<RefusedParameters> refused_ = std::make_shared<RefusedParameters>();
};

}  // namespace quarry::openai
