#include "runner/functions.h"

#include "runner/answer.h"
#include "runner/sink_functions.h"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace quarry::runner {
namespace {

constexpr std::int64_t kMinute = 60'000;

/// An answer of the plugin below: what it was called with.
void tell(const quarry_reply* reply, const std::string& text) {
  reply->value(reply, as_text('"' + text + '"'));
}

const quarry_symbols_v1 kAnalyser{
    .struct_size = sizeof(quarry_symbols_v1),
    .describe = [](void*, const quarry_call*,
                   const quarry_reply* reply) { tell(reply, "describe"); },
    .definitions =
        [](void*, const quarry_call*, quarry_bytes path, quarry_text text,
           const quarry_reply* reply) {
          tell(reply, std::string(as_view(path)) + "," + std::string(as_view(text)));
        },
    .references =
        [](void*, const quarry_call*, quarry_bytes path, quarry_text text, quarry_text name,
           const quarry_reply* reply) {
          tell(reply, std::string(as_view(path)) + "," + std::string(as_view(text)) + "," +
                          std::string(as_view(name)));
        }};

/// What the analyser answers to a call with these arguments; empty if it has no such function.
std::string answer(Function function, const std::vector<std::string>& arguments) {
  Outbox outbox(-1, std::chrono::milliseconds(kMinute));
  ChildCall call(outbox, 1, function, kMinute);
  ChildExchanges exchanges;
  RecordedReply reply;
  std::string bytes;
  for (const std::string& each : arguments) PacketWriter(bytes).text(each);
  PacketReader packet(bytes);
  const quarry_component component{.struct_size = sizeof component,
                                   .flags = 0,
                                   .kind = QUARRY_SYMBOLS,
                                   .name = "some",
                                   .table = &kAnalyser,
                                   .create = nullptr,
                                   .destroy = nullptr};
  if (!call_component({component, nullptr, function, call, packet, exchanges, reply.table()})) {
    return {};
  }
  EXPECT_TRUE(packet.complete());
  std::string written;
  PacketWriter out(written);
  reply.write(out);
  const auto begin = written.find('"');
  return written.substr(begin, written.rfind('"') + 1 - begin);
}

TEST(TableFunctions, AreCalledWithTheirArgumentsInOrder) {
  EXPECT_EQ(answer(Function::kDescribe, {}), "\"describe\"");
  EXPECT_EQ(answer(Function::kDefinitions, {"p", "t"}), "\"p,t\"");
  EXPECT_EQ(answer(Function::kReferences, {"p", "t", "n"}), "\"p,t,n\"");
  EXPECT_EQ(answer(Function::kRates, {"p", "t"}), "");
}

TEST(TableFunctions, ThatThePluginLacksAreLeftOut) {
  auto table = ResourceFunctions::remote();
  EXPECT_EQ(table.struct_size, sizeof table);
  EXPECT_EQ(table.fetch, nullptr) << "it has a stream";
  const quarry_component component{.struct_size = sizeof component,
                                   .flags = 0,
                                   .kind = QUARRY_RESOURCE,
                                   .name = "some",
                                   .table = &table,
                                   .create = nullptr,
                                   .destroy = nullptr};
  EXPECT_EQ(optional_functions(component), kHasParseReference);
  ResourceFunctions::leave_out(table, kHasParseReference | kHasModels);
  EXPECT_NE(table.parse_reference, nullptr);
  ResourceFunctions::leave_out(table, kHasModels);
  EXPECT_EQ(table.parse_reference, nullptr);
  EXPECT_NE(table.describe, nullptr);
  EXPECT_NE(table.normalise, nullptr);
  EXPECT_NE(table.resolve, nullptr);
  EXPECT_EQ(optional_functions(component), 0U);
  table = ResourceFunctions::remote();
  table.struct_size = offsetof(quarry_resource_v1, parse_reference);  // of an older contract
  EXPECT_EQ(optional_functions(component), 0U);
}

/// A frame's payload as the other side writes it.
template <class... Arguments>
std::string payload(Arguments... arguments) {
  std::string bytes;
  PacketWriter packet(bytes);
  (Codec<Arguments>::write(packet, arguments), ...);
  return bytes;
}

/// What a model's sink is called with.
struct HeardModel {
  HeardModel() {
    sink.struct_size = sizeof sink;
    sink.context = this;
    sink.text = [](const quarry_model_sink* self, quarry_text delta) {
      return of(self).add("text " + std::string(as_view(delta)));
    };
    sink.tool_call = [](const quarry_model_sink* self, std::uint32_t index, quarry_text id,
                        quarry_text name, quarry_text arguments) {
      return of(self).add("call " + std::to_string(index) + std::string(as_view(id)) +
                          std::string(as_view(name)) + std::string(as_view(arguments)));
    };
    sink.finish = [](const quarry_model_sink* self, quarry_finish reason) {
      of(self).add("finish " + std::to_string(reason));
    };
    sink.error = [](const quarry_model_sink* self, const quarry_model_error* error) {
      of(self).add(error == nullptr ? "no error" : std::string(as_view(error->message)));
    };
  }
  static HeardModel& of(const quarry_model_sink* self) {
    return *static_cast<HeardModel*>(self->context);
  }
  quarry_status add(const std::string& what) {
    said += what + ";";
    return what == "text stop" ? QUARRY_CANCELLED : QUARRY_OK;
  }
  std::optional<quarry_status> take(Kind kind, const std::string& bytes) {
    PacketReader packet(bytes);
    const auto status = ModelSink::take(sink, kind, packet);
    EXPECT_EQ(packet.complete(), status.has_value());
    return status;
  }

  quarry_model_sink sink{};
  std::string said;
};

TEST(SinkFunctions, AreCalledWithTheArgumentsOfTheirFrame) {
  HeardModel heard;
  EXPECT_EQ(heard.take(Kind::kText, payload(as_text("a"))), QUARRY_OK);
  EXPECT_EQ(heard.take(Kind::kText, payload(as_text("stop"))), QUARRY_CANCELLED);
  EXPECT_EQ(heard.take(Kind::kToolCall,
                       payload(std::uint32_t{3}, as_text("i"), as_text("n"), as_text("{}"))),
            QUARRY_OK);
  const quarry_model_error error{sizeof error, QUARRY_UNAVAILABLE, 0, -1, as_text("busy")};
  EXPECT_EQ(heard.take(Kind::kModelError, payload(&error)), QUARRY_OK);
  EXPECT_EQ(heard.take(Kind::kModelError, payload<const quarry_model_error*>(nullptr)), QUARRY_OK);
  EXPECT_EQ(heard.take(Kind::kFinish, payload(quarry_finish{2})), QUARRY_OK);
  EXPECT_EQ(heard.take(Kind::kScore, payload(std::uint32_t{0}, 1.0)), std::nullopt);
  EXPECT_EQ(heard.said, "text a;text stop;call 3in{};busy;no error;finish 2;");
}

}  // namespace
}  // namespace quarry::runner
