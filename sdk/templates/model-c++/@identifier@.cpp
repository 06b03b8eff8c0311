// A complete model provider in C++. Its server reads and writes lines of words and JSON:
//
//   POST /answer                        200 OK
//   model "tiny"                        think "I look for it first."
//   system "Answer from the files."     call grep {"pattern": "zebra"}
//   tool grep {"type": "object"}        tokens 120 9
//   user "When does the zebra ship?"    end calls
//
// The next request adds assistant "…", call grep {…} and tool "the result of the call".
#include "schema.json.h"

#include <quarry/json.hpp>
#include <quarry/plugin.hpp>

#include <algorithm>
#include <cstdlib>

namespace {

namespace json = quarry::json;

/// `begin` and the member `key` on one line, without the line breaks between the JSON's tokens.
std::string line(const std::string& begin, std::string_view object, const char* key) {
  std::string out = begin + " " + std::string(json::member(object, key).value_or("\"\""));
  std::replace(out.begin(), out.end(), '\n', ' ');
  return out + "\n";
}

std::string name_of(std::string_view object) {
  return json::string(object, "name").value_or("");
}

std::string lines_of(std::string_view chat) {
  std::string out = line("model", chat, "model") + line("system", chat, "system");
  const bool allowed = json::member(chat, "toolsAllowed") != "false";
  for (const auto tool : json::elements(allowed ? chat : "", "tools")) {
    out += line("tool " + name_of(tool), tool, "parameters");
  }
  for (const auto message : json::elements(chat, "messages")) {
    out += line(json::string(message, "role").value_or(""), message, "text");
    for (const auto call : json::elements(message, "toolCalls")) {
      out += line("call " + name_of(call), call, "arguments");
    }
  }
  return out;
}

/// One request and its response, parsed as it arrives.
class @Name@Exchange {
 public:
  explicit @Name@Exchange(quarry::HttpRequest request) : request_(std::move(request)) {}

  quarry::HttpRequest request() { return request_; }
  void head(int status, const std::vector<quarry::HttpHeader>&, quarry::ModelSink&) {
    status_ = status;
  }
  void data(std::string_view bytes, quarry::ModelSink& sink) {
    pending_ += bytes;  // a line may arrive in pieces
    for (std::size_t end = 0; status_ < 400 && (end = pending_.find('\n')) != std::string::npos;) {
      take(pending_.substr(0, end), sink);
      pending_.erase(0, end + 1);
    }
  }
  void end(quarry_end, quarry::ModelSink& sink) {
    if (ended_) return;
    const bool refused = status_ >= 400;
    sink.error(QUARRY_UNAVAILABLE, refused ? pending_ : "the response was incomplete",
               refused ? status_ : 0);
  }

 private:
  void take(const std::string& said, quarry::ModelSink& sink) {
    const std::string word = said.substr(0, said.find(' '));
    const std::string value = said.substr(std::min(word.size() + 1, said.size()));
    if (word == "text") sink.text(json::as_string(value).value_or(""));
    if (word == "think") sink.reasoning(json::as_string(value).value_or(""));
    if (word == "call") {
      const std::string name = value.substr(0, value.find(' '));
      sink.tool_call(calls_++, {}, name, value.substr(name.size()));
    }
    if (word == "tokens") {
      char* rest = nullptr;
      const std::int64_t input = std::strtoll(value.c_str(), &rest, 10);
      sink.usage({0, 0, input, std::strtoll(rest, nullptr, 10), -1, -1, -1});
    }
    if (word == "end" && !std::exchange(ended_, true)) {
      sink.finish(value == "calls" ? QUARRY_FINISH_TOOL_CALLS : QUARRY_FINISH_STOP);
    }
  }

  const quarry::HttpRequest request_;
  int status_ = 0;
  std::string pending_;
  std::uint32_t calls_ = 0;
  bool ended_ = false;
};

struct @Name@Model {
  using Exchange = @Name@Exchange;

  @Name@Model(quarry::Host, std::string_view configuration)
      : url(json::string(configuration, "base_url").value_or("http://127.0.0.1:9099")) {}

  std::string describe() {
    return R"json({"title": "@Name@", "local": true, "needs": [], "defaultModel": "tiny",)json"
           R"json( "schema": )json" SCHEMA_JSON R"json(, "endpoint": )json" +
           json::quoted(url) + "}";
  }

  std::unique_ptr<@Name@Exchange> begin(std::string_view chat_request) {
    return std::make_unique<@Name@Exchange>(quarry::HttpRequest{
        "POST", url + "/answer", {{"content-type", "text/plain", {}}}, lines_of(chat_request)});
  }

  const std::string url;
};

}  // namespace

QUARRY_PLUGIN("@id@", "1.0.0", quarry::model<@Name@Model>("@name@"))
