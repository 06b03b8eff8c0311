/// The part of the test kit (<quarry/testing.hpp>) for the draft kinds of the exchange form: what a
/// provider makes of a response of the test, cut anywhere:
///
///   const auto said = quarry::testing::embed_cut_everywhere(provider, request, body);
///   EXPECT_EQ(said.vectors.at(0), (std::vector<float>{1, 0}));
#ifndef QUARRY_DRAFT_TESTING_HPP
#define QUARRY_DRAFT_TESTING_HPP

#include <quarry/draft/embedding.h>
#include <quarry/draft/rerank.h>
#include <quarry/testing.hpp>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace quarry::testing {

/// The output of one request, independent of how the body was cut.
struct ExchangeOutput {
  std::vector<std::pair<std::uint32_t, std::vector<float>>> vectors;  ///< in order of arrival
  std::vector<std::pair<std::uint32_t, double>> scores;               ///< likewise
  std::int64_t input_tokens = -1;
  int finishes = 0;
  std::vector<std::string> errors;      ///< the messages
  std::vector<Sink::Refusal> refusals;  ///< the rest of each error
  bool operator==(const ExchangeOutput&) const = default;
};

/// Records the output of a request; `Table` is the C sink.
template <class Table>
class ExchangeRecorder {
 public:
  ExchangeRecorder() {
    table_.struct_size = sizeof table_;
    table_.context = this;
    if constexpr (requires { table_.vector; }) {
      table_.vector = [](const Table* self, std::uint32_t index, const float* values,
                         std::uint32_t dimension) {
        output_of(self).vectors.emplace_back(index, std::vector<float>(values, values + dimension));
        return QUARRY_OK;
      };
    } else {
      table_.score = [](const Table* self, std::uint32_t index, double score) {
        output_of(self).scores.emplace_back(index, score);
        return QUARRY_OK;
      };
    }
    table_.usage = [](const Table* self, const quarry_usage* usage) {
      output_of(self).input_tokens = usage->input_tokens;
      return QUARRY_OK;
    };
    table_.finish = [](const Table* self) { ++output_of(self).finishes; };
    table_.error = [](const Table* self, const quarry_model_error* error) {
      output_of(self).errors.emplace_back(as_view(error->message));
      output_of(self).refusals.push_back(
          {error->status, error->http_status, error->retry_after_ms});
    };
  }
  ExchangeRecorder(const ExchangeRecorder&) = delete;
  ExchangeRecorder& operator=(const ExchangeRecorder&) = delete;
  [[nodiscard]] const Table* get() const { return &table_; }
  [[nodiscard]] const ExchangeOutput& output() const { return output_; }

 private:
  static ExchangeOutput& output_of(const Table* self) {
    return static_cast<ExchangeRecorder*>(self->context)->output_;
  }
  Table table_{};
  ExchangeOutput output_;
};

/// An exchange of an embedding or rerank provider, destroyed with this object. The test fails when
/// it cannot begin.
template <class Table, class CSink>
class StartedDraftExchange {
 public:
  StartedDraftExchange(const Component<Table>& provider, std::string_view request)
      : provider_(provider) {
    const FakeCall call;
    Reply reply;
    provider_->begin(provider_.instance(), call.get(), as_text(request), &exchange_, reply.get());
    reply.value();
  }
  ~StartedDraftExchange() {
    if (exchange_ != nullptr) provider_->destroy_exchange(exchange_);
  }
  StartedDraftExchange(const StartedDraftExchange&) = delete;
  StartedDraftExchange& operator=(const StartedDraftExchange&) = delete;

  /// The request that the host is to send.
  HttpRequest request() {
    const auto* asked = exchange_ == nullptr ? nullptr : provider_->request(exchange_);
    if (asked == nullptr) {
      ADD_FAILURE() << "the exchange has no request";
      return {};
    }
    return request_of(*asked);
  }

  /// Passes a response to the exchange. Once, after request().
  ExchangeOutput respond(const Response& response) {
    ExchangeRecorder<CSink> sink;
    if (exchange_ == nullptr) return sink.output();
    const HttpRequest said{{}, {}, response.headers, {}};
    const quarry::detail::HttpRequestView view(said);
    provider_->head(exchange_, response.status, view.get()->header_count, view.get()->headers,
                    sink.get());
    for (const auto piece : response.pieces) provider_->data(exchange_, as_text(piece), sink.get());
    provider_->end(exchange_, response.end, sink.get());
    return sink.output();
  }

 private:
  const Component<Table>& provider_;
  quarry_exchange* exchange_ = nullptr;
};

using StartedEmbedding = StartedDraftExchange<quarry_embedding_v1, quarry_embedding_sink>;
using StartedRerank = StartedDraftExchange<quarry_rerank_v1, quarry_rerank_sink>;

/// The output for a response to one request.
template <class Started, class Provider>
ExchangeOutput respond_to(const Provider& provider, std::string_view request,
                          const Response& response) {
  Started started(provider, request);
  started.request();
  return started.respond(response);
}

/// Feeds `body` cut in two at every offset, and byte by byte: each time the output must be the same
/// as uncut, with one end. Returns the uncut output.
template <class Started, class Provider>
ExchangeOutput respond_cut_everywhere(const Provider& provider, std::string_view request,
                                      std::string_view body) {
  const auto feed = [&](std::vector<std::string_view> pieces) {
    return respond_to<Started>(provider, request, Response{.pieces = std::move(pieces)});
  };
  const ExchangeOutput whole = feed({body});
  EXPECT_EQ(whole.finishes + static_cast<int>(whole.errors.size()), 1) << "exactly one end";
  for (std::size_t cut = 1; cut < body.size(); ++cut) {
    EXPECT_TRUE(feed({body.substr(0, cut), body.substr(cut)}) == whole)
        << "cut at byte " << cut << " of " << body.size();
  }
  std::vector<std::string_view> bytes;
  for (std::size_t at = 0; at < body.size(); ++at) bytes.push_back(body.substr(at, 1));
  EXPECT_TRUE(feed(std::move(bytes)) == whole) << "byte by byte";
  return whole;
}

inline ExchangeOutput embed_cut_everywhere(const Component<quarry_embedding_v1>& provider,
                                           std::string_view request, std::string_view body) {
  return respond_cut_everywhere<StartedEmbedding>(provider, request, body);
}
inline ExchangeOutput rerank_cut_everywhere(const Component<quarry_rerank_v1>& provider,
                                            std::string_view request, std::string_view body) {
  return respond_cut_everywhere<StartedRerank>(provider, request, body);
}

}  // namespace quarry::testing

#endif
