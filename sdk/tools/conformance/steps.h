#pragma once

#include "conformance/trial.h"

#include <quarry/model.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace quarry::conformance {

/// The output of one step, independent of how it was cut, and what a plugin did besides.
struct StepRecord {
  std::string text;
  std::string reasoning;
  std::map<std::uint32_t, std::string> calls;  ///< "id|name|arguments"
  std::vector<std::string> kept;
  std::string usage;
  std::string last;  ///< the first finish or error
  int http_status = 0;
  bool failed = false;

  int ends = 0;               ///< finishes and errors
  bool other_thread = false;  ///< a function of the sink was called on another thread
  bool refused = false;       ///< the sink wants no more
  int after_refusal = 0;      ///< deltas that came nevertheless

  /// The text without the parts that depend on this run alone.
  [[nodiscard]] std::string summary() const;
};

/// A model provider whose sinks are recorded before the host's rules apply to them.
class RecordedModel {
 public:
  /// Adapts an instance of `component`, created as `Trial::create` does.
  static Result<std::unique_ptr<RecordedModel>> make(Trial& trial, Generation& generation,
                                                     const quarry_component& component);
  RecordedModel(const RecordedModel&) = delete;
  RecordedModel& operator=(const RecordedModel&) = delete;
  ~RecordedModel();

  [[nodiscard]] plugins::ModelProvider& provider() const { return *provider_; }
  [[nodiscard]] bool is_exchange() const {
    return provider_->form() == plugins::ModelProvider::Form::kExchange;
  }
  /// Output recorded since the last call.
  StepRecord take();
  /// From now on the sink wants no more after `deltas` deltas.
  void refuse_after(int deltas);

  struct Recorder;

 private:
  RecordedModel();

  std::unique_ptr<Recorder> recorder_;
  std::shared_ptr<plugins::ModelProvider> provider_;
};

/// A response of a model server.
struct CannedResponse {
  std::string_view name;
  int status = 200;
  std::string_view type;
  std::string body;
};

/// Streams in the formats of well-known servers, an empty one, and bytes by the seed.
std::vector<CannedResponse> canned_responses(std::uint64_t seed);
/// Chat requests by the schema: a question, and a conversation with tools.
std::vector<std::string> chat_requests();

/// Receives a step's output and ignores it.
class IgnoringSink final : public plugins::ModelSink {
 public:
  bool text(std::string_view) override { return true; }
  bool reasoning(std::string_view) override { return true; }
  bool tool_call(std::uint32_t, std::string_view, std::string_view, std::string_view) override {
    return true;
  }
  bool usage(const plugins::Usage&) override { return true; }
  bool keep(std::string_view) override { return true; }
  void finish(plugins::Finish) override { ended = true; }
  void error(const plugins::ModelError& said) override {
    ended = true;
    error_said = said;
    has_error = true;
  }

  bool ended = false;
  bool has_error = false;
  plugins::ModelError error_said;
};

/// Passes a response to an exchange, in pieces that end at `cuts`.
void respond(Trial& trial, const Made& made, plugins::ModelExchange& exchange,
             const CannedResponse& response, const std::vector<std::size_t>& cuts,
             plugins::ModelSink& sink, bool complete = true);

/// One step of the exchange form: begin to destroy_exchange. Fails as begin and request do.
Result<StepRecord> exchange_step(Trial& trial, const Made& made, RecordedModel& model,
                                 const CannedResponse& response,
                                 const std::vector<std::size_t>& cuts = {}, bool complete = true);
/// One step of the generate form.
StepRecord generate_step(Trial& trial, const Made& made, RecordedModel& model,
                         const std::string& chat_request);

/// Runs `check` for each model provider.
Verdict for_each_recorded(Trial& trial,
                          const std::function<Verdict(const Made&, RecordedModel&)>& check);

/// Calls the functions of a model provider, for live().
void use_model(Trial& trial, const Made& made);

}  // namespace quarry::conformance
