#include "access/access.h"
#include "ask/shared_budget.h"
#include "engine/methods/methods.h"
#include "engine/requests.h"

#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

/// The daily budget of a token and its project. `access` must outlive it.
class TokenBudget final : public ask::SharedBudget {
 public:
  TokenBudget(access::Access& access, access::Principal principal)
      : access_(access), principal_(std::move(principal)) {}

  bool is_limited() const override { return access_.is_limited_in_money(principal_); }
  Result<ask::BudgetReservation> reserve(Money least, Money most) override {
    auto reserved = access_.reserve(principal_, least, most);
    if (!reserved) return std::move(reserved).error();
    return ask::BudgetReservation{std::move(reserved->reservation), reserved->amount};
  }
  void settle(const ask::BudgetReservation& reservation, Money spent) override {
    access_.settle({reservation.id, reservation.amount}, spent);
  }

 private:
  access::Access& access_;
  const access::Principal principal_;
};

/// Of question.ask and question.find.
constexpr std::string_view kIdResult = R"json({
  "type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}
})json";

constexpr std::string_view kStopResult = R"json({
  "type": "object", "required": ["id", "stopped"],
  "properties": {"id": {"type": "string"}, "stopped": {"type": "boolean"}}
})json";

constexpr std::string_view kSourceResult = R"json({
  "type": "object",
  "required": ["resource", "path", "startLine", "endLine", "verified", "firstLine", "lines"],
  "properties": {
    "resource": {"type": "string"}, "path": {"type": "string"},
    "startLine": {"type": "integer", "minimum": 0}, "endLine": {"type": "integer", "minimum": 0},
    "version": {"type": "string"}, "url": {"type": "string"}, "title": {"type": "string"},
    "verified": {"type": "boolean"},
    "misquotation": {"type": "object", "required": ["quoted"], "properties": {
      "quoted": {"type": "string"}, "nearest": {"type": "string"}}},
    "firstLine": {"type": "integer", "minimum": 1},
    "lines": {"type": "array", "items": {"type": "string"}}
  }
})json";

Error no_question(const std::string& id) {
  return Error{Code::kNotFound, "there is no question \"" + id + "\"",
               "It may have ended some time ago."}
      .tagged("NotFound");
}

Error no_citation(std::uint64_t number, std::optional<std::size_t> count) {
  if (!count) {
    return Error{Code::kNotFound, "the answer is not finished, so its citations are not known",
                 "Ask again when the question has ended."}
        .tagged("NotFound");
  }
  return Error{Code::kNotFound, "there is no citation " + std::to_string(number) +
                                    ": the answer has " + std::to_string(*count)}
      .tagged("NotFound");
}

/// Objects that a running question keeps alive.
struct KeptAlive {
  std::shared_ptr<const State> state;
  access::Access::StreamSlot slot;  ///< among the streams of its token
};

/// Sets token and budget of a principal's question, and returns its slot among the token's streams.
Result<access::Access::StreamSlot> begin_stream(const MethodServices& engine,
                                                const access::Principal& who,
                                                ask::Request& request) {
  auto& access = *engine.gate.opened();
  request.bearer = who.token;
  request.project = who.project;
  request.shared_budget = std::make_shared<TokenBudget>(access, who);
  return access.begin_stream(who);
}

Answer ask_question(const MethodServices& engine, const Json& params, const Task& task) {
  auto asked = read_question(params);
  if (!asked) return std::move(asked).error();
  std::optional<access::Principal> who;
  if (const auto bearer = principal_in(params)) {
    auto admitted = engine.gate.principal(*bearer, "ask");
    if (!admitted) return std::move(admitted).error();
    who = std::move(*admitted);
    if (!asked->thread.empty()) {
      return invalid("the question is not valid", "RequestError",
                     {{"/thread", "cannot be given with a token: send the turns in \"history\""}});
    }
  }
  const auto now = engine.state.now();
  if (const auto model = now->models->chosen(); !model) return model.error();
  engine.prices.refresh(*now);
  const std::size_t turns_left_out = engine.history.load_thread(*asked);
  auto resources = choose_resources(engine, *now, *asked, who);
  if (!resources) return std::move(resources).error();
  auto models = now->models->candidates(now->pricing, task.stop);
  if (!models) return std::move(models).error();
  const config::Model& model = now->config.model;
  ask::Request request;
  request.text = std::move(asked->question);
  request.resources = std::move(*resources);
  request.locked = now->lock.has_value() && !who;
  request.models = std::move(*models);
  request.limits = {.max_steps = model.max_steps,
                    .max_time = model.max_time,
                    .max_tokens = model.max_tokens,
                    .max_cost = model.max_cost,
                    .allow_unpriced = model.allow_unpriced,
                    .max_event_bytes = now->config.server.max_event_bytes,
                    .reader_grace = now->config.server.reader_grace};
  if (Status within = engine.history.apply_budget(model.monthly_budget, request); !within) {
    return std::move(within).error();
  }
  request.thread = std::move(asked->thread);
  request.named = std::move(asked->resources);
  request.history = std::move(asked->history);
  request.turns_left_out = turns_left_out;
  request.trace = task.trace;
  request.subject = task.subject;
  access::Access::StreamSlot slot;
  if (who) {
    auto begun = begin_stream(engine, *who, request);
    if (!begun) return std::move(begun).error();
    slot = std::move(*begun);
  }
  if (Status priced = engine.prices.check_priced(*now, request, task.stop); !priced)
    return std::move(priced).error();
  const config::Server& server = now->config.server;
  const auto kept = std::make_shared<const KeptAlive>(KeptAlive{now, std::move(slot)});
  auto id = engine.questions.start(std::move(request), server.max_questions,
                                   {.time = server.keep_finished}, kept);
  if (!id) return std::move(id).error();
  return to_text({{"id", *id}});
}

/// NotFound if there is no question "id", or if it is not the principal's, where one is given.
Status check_caller(const MethodServices& engine, const Json& params) {
  const std::string id = params["id"];
  const auto bearer = engine.questions.bearer_of(id);
  if (!bearer) return no_question(id);
  const auto asked = principal_in(params);
  if (!asked) return {};
  access::Access* const access = engine.gate.opened();
  if (access == nullptr) return no_question(id);  // no caller with a token has asked yet
  const auto who = access->principal(asked->token, asked->project);
  if (!who) return who.error();
  return who->token == *bearer ? Status() : no_question(id);
}

Answer find_question(const MethodServices& engine, const Json& params) {
  if (Status mine = check_caller(engine, params); !mine) return mine.error();
  return to_text({{"id", params["id"]}});
}

Answer stop_question(const MethodServices& engine, const Json& params) {
  if (Status mine = check_caller(engine, params); !mine) return mine.error();
  const std::string id = params["id"];
  if (!engine.questions.stop(id)) return no_question(id);
  return to_text({{"id", id}, {"stopped", true}});
}

/// Citation `number` of a question whose events are gone; of the owner's history.
Answer stored_source(const MethodServices& engine, const std::string& id, std::uint64_t number) {
  const auto stored = engine.history.settled().citations(id);
  if (!stored) return stored.error();
  if (!*stored) return no_question(id);
  const auto all = parse_json(**stored);
  if (!all) return all.error();
  if (number > all->size()) return no_citation(number, all->size());
  return to_text((*all)[number - 1]);
}

Answer cited_source(const MethodServices& engine, const Json& params) {
  const bool with_token = principal_in(params).has_value();
  if (with_token) {
    if (Status mine = check_caller(engine, params); !mine) return mine.error();
  }
  const std::string id = params["id"];
  const std::uint64_t number = params["number"];
  if (const auto cited = engine.questions.cited_by(id)) {
    const auto source = cited->find(number);
    return source ? Answer(source_json(*source)) : no_citation(number, cited->size());
  }
  return stored_source(engine, id, number);
}

}  // namespace

void add_question_methods(MethodTable& table) {
  table.add({.name = "question.ask",
             .summary = "Asks a question, and answers with its id as soon as it is accepted; a "
                        "later failure is one of its events. With `sync` true the sources are "
                        "checked for updates first, with false none is; left out, each resource's"
                        " own setting decides. `thread` names a conversation that the host stores"
                        " and continues, or starts; a question without resources then uses those "
                        "of the last one. `history` has the earlier turns instead, the user's "
                        "first. Of either, the newest turns up to 64 KiB of text are used; the "
                        "event meta says how many were left out.",
             .params = kQuestionParams,
             .result = kIdResult,
             .run = Started{[](const MethodServices& engine, const Json& params, const Task& task) {
               task.reply(ask_question(engine, params, task));
             }}});
  table.add({.name = "question.find",
             .summary = "Whether the events of a question are still kept.",
             .params = kQuestionIdParams,
             .result = kIdResult,
             .run = AtOnce{find_question}});
  table.add({.name = "question.stop",
             .summary = "Stops a question. Its events stay readable.",
             .params = kQuestionIdParams,
             .result = kStopResult,
             .run = AtOnce{stop_question}});
  table.add({.name = "question.source",
             .summary = "The item of done.citations with this number (from 1), with the cited "
                        "lines and up to 30 before and after them as they were when the citation "
                        "was checked; no lines if it is not verified. For as long as the events "
                        "of the question are kept.",
             .params = kCitationParams,
             .result = kSourceResult,
             .run = OnWorker{cited_source}});
}

}  // namespace quarry::engine
