#include "plugins/entry_check.h"

#include <quarry/draft/store.h>
#include <quarry/model.h>
#include <quarry/plugin.hpp>

#include <array>
#include <cstring>
#include <functional>

#include <gmock/gmock.h>

namespace quarry::plugins {
namespace {

using ::testing::HasSubstr;

struct Generating {
  std::string describe() { return "{}"; }
  void generate(const quarry::Call&, std::string_view, quarry::ModelSink&) {}
};
struct Translating {
  struct Exchange {
    quarry::HttpRequest request() { return {}; }
    void head(int, const std::vector<quarry::HttpHeader>&, quarry::ModelSink&) {}
    void data(std::string_view, quarry::ModelSink&) {}
    void end(quarry_end, quarry::ModelSink&) {}
  };
  std::string describe() { return "{}"; }
  Outcome<std::unique_ptr<Exchange>> begin(std::string_view) {
    return std::make_unique<Exchange>();
  }
};

/// A valid entry, which tests break in one respect at a time.
class Entry : public ::testing::Test {
 protected:
  std::string complaint(const std::function<void()>& spoil) {
    spoil();
    entry_.components = components_;
    const auto checked = check_entry(entry_, manifest_);
    if (checked) return "none";
    EXPECT_THAT(checked.error().message, HasSubstr("org.example.a"));
    EXPECT_FALSE(checked.error().hint.empty());
    return checked.error().message;
  }

  quarry_model_v1 table_ =
      *static_cast<const quarry_model_v1*>(quarry::model<Generating>("a").table);
  const quarry_model_v1 exchanging_ =
      *static_cast<const quarry_model_v1*>(quarry::model<Translating>("a").table);
  quarry_component component_ = [this] {
    auto component = quarry::model<Generating>("a");
    component.table = &table_;
    return component;
  }();
  const quarry_component* components_[1] = {&component_};
  quarry_entry entry_{sizeof entry_, 1,       0,       0, "org.example.a",
                      "1.0.0",       nullptr, nullptr, 1, nullptr};
  Manifest manifest_ = [] {
    Manifest manifest;
    manifest.id = "org.example.a";
    manifest.version = "1.0.0";
    manifest.built_for = manifest.minimum = {1, 0};
    manifest.components = {{QUARRY_MODEL, "a", ""}};
    return manifest;
  }();
};

TEST_F(Entry, InOrderIsTaken) {
  EXPECT_EQ(complaint([] {}), "none");
  EXPECT_EQ(complaint([this] { table_ = exchanging_; }), "none");
}

TEST_F(Entry, OffersEachComponentOnce) {
  const quarry_component* const twice[] = {&component_, &component_};
  manifest_.components.push_back({QUARRY_MODEL, "b", ""});
  entry_.component_count = 2;
  entry_.components = twice;
  const auto checked = check_entry(entry_, manifest_);
  ASSERT_FALSE(checked);
  EXPECT_THAT(checked.error().message, HasSubstr("the same component twice"));
}

TEST_F(Entry, AProviderHasExactlyOneForm) {
  EXPECT_THAT(complaint([this] { table_.generate = nullptr; }), HasSubstr("required function"));
  EXPECT_THAT(complaint([this] {
                table_ = exchanging_;
                table_.data = nullptr;
              }),
              HasSubstr("required function"));
}

TEST_F(Entry, AProviderOfBothFormsIsRefused) {
  EXPECT_THAT(complaint([this] { table_.begin = exchanging_.begin; }), HasSubstr("two forms"));
}

TEST_F(Entry, AShortTableLacksFunctions) {
  EXPECT_THAT(complaint([this] { table_.struct_size = 8; }), HasSubstr("required function"));
}

TEST_F(Entry, AStoreHasEveryFunction) {
  const quarry_store_function some = [](void*, const quarry_call*, quarry_text,
                                        const quarry_reply*) {};
  std::array<quarry_store_function, 27> functions{};  // as long as the table
  functions.fill(some);
  quarry_store_v1 table;
  static_assert(sizeof table == sizeof functions);
  manifest_.components[0].kind = QUARRY_STORE;
  component_.kind = QUARRY_STORE;
  component_.table = &table;
  const auto with = [&](std::size_t missing) {
    auto left = functions;
    if (missing != 0) left[missing] = nullptr;
    std::memcpy(&table, left.data(), sizeof table);
    table.struct_size = sizeof table;
  };
  EXPECT_EQ(complaint([&] { with(0); }), "none");
  constexpr std::size_t kRequired = offsetof(quarry_store_v1, token_hashes) / sizeof some;
  for (std::size_t missing = 1; missing < functions.size(); ++missing) {
    EXPECT_THAT(complaint([&] { with(missing); }),
                HasSubstr(missing < kRequired ? "required function" : "none"))
        << missing;
  }
  EXPECT_EQ(complaint([&] { table.struct_size = offsetof(quarry_store_v1, token_hashes); }),
            "none");
  EXPECT_THAT(complaint([&] { table.struct_size = offsetof(quarry_store_v1, forget); }),
              HasSubstr("required function"));
}

TEST_F(Entry, AnotherIdIsNamed) {
  EXPECT_THAT(complaint([this] { entry_.id = "org.example.b"; }), HasSubstr("org.example.b"));
}
TEST_F(Entry, NoIdIsNamed) {
  EXPECT_THAT(complaint([this] { entry_.id = nullptr; }), HasSubstr("calls itself \"\""));
}
TEST_F(Entry, AnotherVersionIsNamed) {
  EXPECT_THAT(complaint([this] { entry_.version = "2.0.0"; }), HasSubstr("says version 2.0.0"));
}
TEST_F(Entry, AnotherContractIsNamed) {
  EXPECT_THAT(complaint([this] { entry_.abi_major = 2; }), HasSubstr("2.0"));
}
TEST_F(Entry, AnotherMinorOfTheContractIsNamed) {
  EXPECT_THAT(complaint([this] { manifest_.built_for.minor = 1; }),
              HasSubstr("different versions"));
}
TEST_F(Entry, TooShortAnEntryIsNamed) {
  EXPECT_THAT(complaint([this] { entry_.struct_size = 16; }), HasSubstr("too short"));
}
TEST_F(Entry, AnotherNumberOfComponentsIsNamed) {
  EXPECT_THAT(complaint([this] { entry_.component_count = 2; }), HasSubstr("offers 2 components"));
}
TEST_F(Entry, AnotherComponentIsNamed) {
  EXPECT_THAT(complaint([this] { component_.name = "b"; }), HasSubstr("\"b\""));
}
TEST_F(Entry, AComponentNeedsItsParts) {
  EXPECT_THAT(complaint([this] { component_.create = nullptr; }), HasSubstr("create or destroy"));
  EXPECT_THAT(complaint([this] { components_[0] = nullptr; }), HasSubstr("create or destroy"));
}

}  // namespace
}  // namespace quarry::plugins
