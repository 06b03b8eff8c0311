#include "engine/model_sources.h"

#include "engine/testing/fake_providers.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

using testing::FakeProvider;
using testing::FakeRegistry;
using ::testing::HasSubstr;

constexpr const char* kSchema =
    R"({"type":"object","properties":{"base_url":{"type":"string"},"steps":{"type":"integer"}},)"
    R"("additionalProperties":false})";

struct Sources : ::testing::Test {
  Sources() {
    for (const char* name : {"anthropic", "openai"}) {
      registry.providers[name] = [this](const std::string& json) -> FakeRegistry::Made {
        made_from.push_back(json);
        return std::make_shared<FakeProvider>(testing::taking(kSchema));
      };
    }
    model.provider = "openai";
  }
  static config::Table table(std::string json, std::map<std::string, int> lines = {}) {
    config::Table out{std::move(json), {}};
    for (const auto& [pointer, line] : lines) {
      out.places[pointer] = {"q.toml", static_cast<std::uint32_t>(line), 1};
    }
    return out;
  }
  Result<ModelSource> make(std::string_view id) { return make_model_source(id, model, registry); }
  Error fault(std::string_view id) {
    const auto made = make(id);
    EXPECT_FALSE(made) << id;
    return made ? Error() : made.error();
  }

  FakeRegistry registry;
  config::Model model;
  std::vector<std::string> made_from;
};

TEST_F(Sources, AreProvidersAsTheyAreAndInstancesByTheirName) {
  model.name = "gpt";
  model.options = table(R"({"base_url":"http://a"})");
  model.instances["work"] = {"openai", "m", table(R"({"base_url":"http://w"})")};
  const auto all = make_model_sources(model, registry);
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_EQ(names_of(*all), (std::vector<std::string>{"anthropic", "openai", "work"}));
  const auto& chosen = all->at("openai").value();
  EXPECT_EQ(chosen.model, "gpt");
  EXPECT_EQ(chosen.options, R"({"base_url":"http://a"})");
  EXPECT_EQ(all->at("anthropic")->options, "{}") << "options apply to the named provider only";
  EXPECT_EQ(all->at("work")->provider, "openai");
  EXPECT_EQ(all->at("work")->model, "m");
  EXPECT_EQ(made_from.back(), R"({"base_url":"http://w"})");
}

TEST_F(Sources, LayTheOptionsOfTheChosenOneOverItsInstance) {
  model.provider = "work";
  model.options = table(R"({"steps":2})");
  model.instances["work"] = {"openai", "m", table(R"({"base_url":"http://w","steps":1})")};
  EXPECT_EQ(make("work")->options, R"({"base_url":"http://w","steps":2})");
  EXPECT_EQ(make("work")->model, "m");
  model.name = "n";
  EXPECT_EQ(make("work")->model, "n");
}

TEST_F(Sources, AnInstanceUnderAProvidersNameConfiguresIt) {
  model.provider = "anthropic";
  model.instances["openai"] = {"openai", "", table(R"({"base_url":"http://o"})")};
  EXPECT_EQ(make("openai")->options, R"({"base_url":"http://o"})");
}

TEST_F(Sources, SayWhichNameIsUnknownAndWhichIsNear) {
  const Error error = fault("opnai");
  EXPECT_EQ(error.tag, "ProviderNotFoundError");
  EXPECT_THAT(error.message, HasSubstr("\"opnai\"; did you mean \"openai\"?"));
  EXPECT_THAT(error.hint, HasSubstr("anthropic, openai"));
  model.instances["work"] = {"opnai", "", table("{}", {{"/provider", 7}})};
  EXPECT_THAT(fault("work").message, HasSubstr("q.toml:7:1: there is no model provider \"opnai\""));
  EXPECT_THAT(fault("wrk").message, HasSubstr("did you mean \"work\"?"));
  EXPECT_TRUE(make_model_sources(model, registry)) << "the others can be asked";
}

TEST_F(Sources, TellMistakesInOptionsAtTheirPlaces) {
  model.options = table(R"({"base_ulr":"x"})", {{"", 1}, {"/base_ulr", 3}});
  const Error error = fault("openai");
  EXPECT_EQ(error.tag, "ConfigError");
  EXPECT_EQ(error.message, "q.toml:3:1: \"base_ulr\" is not known; did you mean \"base_url\"?");
  EXPECT_EQ(make_model_sources(model, registry).error().message, error.message);
  model.options = table(R"({"steps":"two"})");
  EXPECT_THAT(fault("openai").message, HasSubstr("openai: \"steps\" must be of type integer"));
  model.options = table(R"({"work":{"base_url":"x"}})", {{"/work", 2}});
  EXPECT_THAT(fault("openai").message, HasSubstr("a table that names a model has a \"provider\""));
}

TEST_F(Sources, TellWhyAProviderRefuses) {
  registry.providers["openai"] = [](const std::string& json) -> FakeRegistry::Made {
    if (json == "{}") {
      return std::make_shared<FakeProvider>(testing::taking(kSchema));
    }
    Error error{Code::kInvalidArgument, "no such thing"};
    if (json.find("http") == std::string::npos) error.details = {{"/base_url", "is no URL"}};
    return error;
  };
  model.options = table(R"({"base_url":"x"})", {{"/base_url", 2}});
  EXPECT_EQ(fault("openai").message, "q.toml:2:1: \"base_url\" is no URL");
  model.options = table(R"({"base_url":"http://x"})");
  EXPECT_EQ(fault("openai").tag, "ProviderOptionsError");
  EXPECT_EQ(fault("openai").message, "the model provider openai: no such thing");
  EXPECT_TRUE(make_model_sources(model, registry)) << "the error may be corrected elsewhere";
  model.options = table(R"({"base_ulr":"x"})", {{"/base_ulr", 2}});
  EXPECT_THAT(fault("openai").message, HasSubstr("did you mean \"base_url\"?"));
}

TEST_F(Sources, AutoTakesNoOptions) {
  model.provider = "auto";
  model.options = table(R"({"base_url":"x"})", {{"/base_url", 4}});
  const auto all = make_model_sources(model, registry);
  ASSERT_FALSE(all);
  EXPECT_THAT(all.error().message,
              HasSubstr("q.toml:4:1: \"base_url\" is an option of a provider"));
}

}  // namespace
}  // namespace quarry::engine
