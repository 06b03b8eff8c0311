#include "base/hash.h"
#include "plugins/adapters.h"
#include "plugins/compose.h"
#include "plugins/reply_slot.h"
#include "plugins/store_functions.h"
#include "plugins/store_json.h"

#include <quarry/draft/store.h>

#include <algorithm>

namespace quarry::plugins {
namespace {

using namespace function::store;

/// What a function of the store uses while it runs.
struct LentRequest {
  explicit LentRequest(std::string request) : text(std::move(request)) {}
  const std::string text;
  ReplySlot slot;
};

class StoreAdapter final : public Store {
 public:
  explicit StoreAdapter(std::shared_ptr<Instance> instance)
      : instance_(std::move(instance)),
        table_(*static_cast<const quarry_store_v1*>(instance_->table())),
        keeps_secrets_(keeps_secrets(table_)),
        can_be_dumped_(can_be_dumped(table_)) {}

  Result<std::int64_t> open(const services::Call& call) override {
    return ask<std::int64_t>(kOpen, table_.open, call, Json::object(), [](const Answer& said) {
      return said.number("schema", 1, kMostNumber);
    });
  }
  Result<std::string> key(const services::Call& call, std::string_view name) override {
    auto key = ask<std::string>(kKey, table_.key, call, {{"name", name}},
                                [](const Answer& said) { return said.text("key"); });
    // A key has the format of a hash.
    if (key && !is_sha256_hex(*key)) return wrong("key");
    return key;
  }

  Result<bool> create_project(const services::Call& call, const ProjectRecord& project) override {
    return ask_flag(kCreateProject, table_.create_project, call, {{"project", to_json(project)}},
                    "created");
  }
  Result<std::vector<ProjectRecord>> projects(const services::Call& call) override {
    return ask_list(kProjects, table_.projects, call, Json::object(), "projects", read_project);
  }
  Result<bool> remove_project(const services::Call& call, std::string_view name,
                              Clock::Wall at) override {
    return ask_flag(kRemoveProject, table_.remove_project, call,
                    {{"name", name}, {"at", to_json(at)}}, "removed");
  }

  Result<bool> create_token(const services::Call& call, const TokenRecord& token,
                            std::string_view hash) override {
    return ask_flag(kCreateToken, table_.create_token, call,
                    {{"token", to_json(token)}, {"hash", hash}}, "created");
  }
  Result<std::vector<TokenRecord>> tokens(const services::Call& call,
                                          std::string_view project) override {
    Json request = Json::object();
    if (!project.empty()) request["project"] = project;
    return ask_list(kTokens, table_.tokens, call, request, "tokens", read_token);
  }
  Result<std::optional<FoundToken>> find_token(const services::Call& call,
                                               std::string_view hash) override {
    using Found = std::optional<FoundToken>;
    return ask<Found>(
        kFindToken, table_.find_token, call, {{"hash", hash}}, [](const Answer& said) -> Found {
          if (!said.has("token")) return std::nullopt;
          return FoundToken{read_token(said.inner("token")), said.list("projects", read_project)};
        });
  }
  Result<TokenHashes> token_hashes(const services::Call& call, std::optional<std::int64_t> known,
                                   std::int64_t most) override {
    if (!QUARRY_HAS(&table_, token_hashes) || table_.token_hashes == nullptr) {
      return Error(Code::kUnsupported, "the store does not tell the hashes of its tokens");
    }
    Json request{{"most", most}};
    if (known) request["known"] = *known;
    auto told = ask<TokenHashes>(
        kTokenHashes, table_.token_hashes, call, request, [](const Answer& said) -> TokenHashes {
          return {said.number("state", 0, kMostNumber), said.optional(&Answer::texts, "hashes")};
        });
    const bool wrong_hash =
        told && told->hashes && !std::ranges::all_of(*told->hashes, is_sha256_hex);
    if (wrong_hash) return wrong("hashes");
    return told;
  }
  Result<bool> revoke_token(const services::Call& call, std::string_view id,
                            Clock::Wall at) override {
    return ask_flag(kRevokeToken, table_.revoke_token, call, {{"id", id}, {"at", to_json(at)}},
                    "revoked");
  }

  Result<std::optional<std::vector<Json>>> resources(const services::Call& call,
                                                     std::string_view project) override {
    using Found = std::optional<std::vector<Json>>;
    return ask<Found>(kResources, table_.resources, call, {{"project", project}},
                      [](const Answer& said) -> Found {
                        if (!said.has("resources")) return std::nullopt;
                        return said.list("resources", read_resource);
                      });
  }
  Result<AddedResource> add_resource(const services::Call& call, std::string_view project,
                                     const Json& resource, std::uint32_t most) override {
    const Json request{{"project", project}, {"resource", resource}, {"most", most}};
    return ask<AddedResource>(
        kAddResource, table_.add_resource, call, request, [](const Answer& said) -> AddedResource {
          using Outcome = AddedResource::Outcome;
          if (said.flag("added")) return {Outcome::kAdded, {}};
          if (said.has("existing")) {
            return {Outcome::kNameTaken, read_resource(said.inner("existing"))};
          }
          return {said.has("count") ? Outcome::kFull : Outcome::kNoProject, {}};
        });
  }
  Result<bool> remove_resource(const services::Call& call, std::string_view project,
                               std::string_view name) override {
    return ask_flag(kRemoveResource, table_.remove_resource, call,
                    {{"project", project}, {"name", name}}, "removed");
  }

  Result<bool> set_secret(const services::Call& call, const SecretRecord& secret) override {
    if (!keeps_secrets_) return no_secrets();
    return ask_flag(kSetSecret, table_.set_secret, call, {{"secret", to_json(secret)}}, "kept");
  }
  Result<std::vector<SecretRecord>> secrets(const services::Call& call,
                                            std::string_view project) override {
    if (!keeps_secrets_) return std::vector<SecretRecord>();
    return ask_list(kSecrets, table_.secrets, call, {{"project", project}}, "secrets", read_secret);
  }
  Result<bool> remove_secret(const services::Call& call, std::string_view project,
                             std::string_view resource, std::string_view member) override {
    if (!keeps_secrets_) return no_secrets();
    return ask_flag(kRemoveSecret, table_.remove_secret, call,
                    {{"project", project}, {"resource", resource}, {"member", member}}, "removed");
  }

  Result<SharedActivity> exchange(const services::Call& call,
                                  const HostActivity& activity) override {
    return ask<SharedActivity>(
        kExchange, table_.exchange, call, to_json(activity),
        [](const Answer& said) -> SharedActivity {
          return {said.number("revision", 0, kMostNumber), said.list("requests", read_requests),
                  said.list("streams", read_streams), said.texts("endedSessions")};
        });
  }
  Result<Reserved> reserve(const services::Call& call, const Reservation& reservation) override {
    auto over = std::string();
    auto reserved = ask<Reserved>(
        kReserve, table_.reserve, call, to_json(reservation), [&](const Answer& said) -> Reserved {
          if (said.flag("reserved")) return {};
          over = said.text("over");
          const bool of_token = over == "token";
          return {of_token ? Reserved::Outcome::kOverToken : Reserved::Outcome::kOverProject,
                  said.money("spent"), said.optional(&Answer::money, "aside").value_or(Money{})};
        });
    if (reserved && !over.empty() && over != "token" && over != "project") return wrong("over");
    return reserved;
  }
  Status settle(const services::Call& call, std::string_view id, Money spent) override {
    const auto settled =
        ask_flag(kSettle, table_.settle, call, {{"id", id}, {"usd", to_decimal(spent)}}, "settled");
    return settled ? Status() : Status(settled.error());
  }
  Status end_session(const services::Call& call, std::string_view id,
                     Clock::Wall expires) override {
    return tell(kEndSession, table_.end_session, call, {{"id", id}, {"expires", to_json(expires)}});
  }

  Status record(const services::Call& call, const std::vector<AuditEntry>& entries,
                bool once) override {
    if (once && !can_be_dumped_) return no_dump();
    Json told = Json::array();
    for (const AuditEntry& entry : entries) told.push_back(to_json(entry));
    Json request{{"entries", std::move(told)}};
    if (once) request["once"] = true;
    return tell(kRecord, table_.record, call, request);
  }
  Result<std::vector<AuditEntry>> audit(const services::Call& call,
                                        const AuditWanted& wanted) override {
    Json request{{"since", to_json(wanted.since)}, {"most", wanted.most}};
    if (wanted.until) request["until"] = to_json(*wanted.until);
    if (!wanted.project.empty()) request["project"] = wanted.project;
    return ask_list(kAudit, table_.audit, call, request, "entries", read_audit);
  }
  Result<std::int64_t> forget(const services::Call& call, Clock::Wall before) override {
    return ask<std::int64_t>(
        kForget, table_.forget, call, {{"before", to_json(before)}},
        [](const Answer& said) { return said.number("forgotten", 0, kMostNumber); });
  }

  Result<StoreSchema> schema(const services::Call& call) override {
    if (!can_be_dumped_) return no_dump();
    return ask<StoreSchema>(
        kSchema, table_.schema, call, Json::object(), [](const Answer& said) -> StoreSchema {
          return {said.number("schema", 0, kMostNumber), said.number("newest", 1, kMostNumber)};
        });
  }
  Result<Json> dump(const services::Call& call) override {
    if (!can_be_dumped_) return no_dump();
    return send(kDump, table_.dump, call, Json::object());
  }
  Status load(const services::Call& call, const Json& dump) override {
    if (!can_be_dumped_) return no_dump();
    return tell(kLoad, table_.load, call, dump);
  }

 private:
  static bool keeps_secrets(const quarry_store_v1& table) {
    return QUARRY_HAS(&table, remove_secret) && table.set_secret != nullptr &&
           table.secrets != nullptr && table.remove_secret != nullptr;
  }
  static Error no_secrets() {
    return {Code::kUnsupported, "this store keeps no secrets of projects",
            "Use another one, or a newer version of its plugin."};
  }

  static bool can_be_dumped(const quarry_store_v1& table) {
    return QUARRY_HAS(&table, load) && table.schema != nullptr && table.dump != nullptr &&
           table.load != nullptr;
  }
  static Error no_dump() {
    return {Code::kUnsupported, "this store cannot be backed up by the host",
            "Back up its database with the tools of the database."};
  }

  [[nodiscard]] Error wrong(std::string_view member) const {
    return instance_->blame(
        Error(Code::kInternal, compose("its answer has no \"{}\" as the contract says", member)));
  }

  /// The function's reply; kUnavailable if it did not return in time or was not called.
  Result<Json> send(const PluginFunction& function, quarry_store_function invoke,
                    const services::Call& call, const Json& request) {
    const auto lent = std::make_shared<LentRequest>(to_text(request));
    auto called = instance_->call(
        {.function = function,
         .call = call,
         .rights = instance_->rights(),
         .run = [lent, invoke, instance = instance_->get()](const quarry_call* own) {
           invoke(instance, own, as_text(lent->text), lent->slot.reply());
         }});
    if (!called) {
      Error error = std::move(called).error();
      if (call.outcome() == Code::kOk) error.code = Code::kUnavailable;
      return std::move(error).in(instance_->name());
    }
    auto said = json_object(lent->slot.take());
    if (!said) return instance_->blame(std::move(said.error()));
    return said;
  }
  /// Result of `read` for the reply, if every member it reads is valid.
  template <class T, class Read>
  Result<T> ask(const PluginFunction& function, quarry_store_function invoke,
                const services::Call& call, const Json& request, const Read& read) {
    const auto said = send(function, invoke, call, request);
    if (!said) return said.error();
    std::string fault;
    T out = read(Answer(*said, fault));
    if (!fault.empty()) return wrong(fault);
    return out;
  }
  Result<bool> ask_flag(const PluginFunction& function, quarry_store_function invoke,
                        const services::Call& call, const Json& request, const char* key) {
    return ask<bool>(function, invoke, call, request,
                     [&](const Answer& said) { return said.flag(key); });
  }
  template <class T>
  Result<std::vector<T>> ask_list(const PluginFunction& function, quarry_store_function invoke,
                                  const services::Call& call, const Json& request, const char* key,
                                  T (*read)(const Answer&)) {
    return ask<std::vector<T>>(function, invoke, call, request,
                               [&](const Answer& said) { return said.list(key, read); });
  }
  Status tell(const PluginFunction& function, quarry_store_function invoke,
              const services::Call& call, const Json& request) {
    const auto said = send(function, invoke, call, request);
    return said ? Status() : Status(said.error());
  }

  std::shared_ptr<Instance> instance_;
  const quarry_store_v1& table_;
  const bool keeps_secrets_;
  const bool can_be_dumped_;
};

}  // namespace

Result<std::shared_ptr<Store>> adapt_store(std::shared_ptr<Instance> instance) {
  return std::shared_ptr<Store>(std::make_shared<StoreAdapter>(std::move(instance)));
}

}  // namespace quarry::plugins
