// A resource type that misbehaves in the way of its field `mode`.
#include <quarry/plugin.hpp>

#include <stdexcept>

namespace {

bool has(quarry_text text, const char* part) {
  return quarry::as_view(text).find(part) != std::string_view::npos;
}

void say(const quarry_reply* reply, std::string_view text) {
  reply->value(reply, quarry::as_text(text));
}

void normalise(void*, const quarry_call*, quarry_text resource, const quarry_reply* reply) {
  if (has(resource, "\"none\"")) return;
  if (has(resource, "throws")) {
    quarry::detail::reply_with(reply, []() -> quarry::Outcome<std::string> {
      throw std::runtime_error("thrown on purpose");
    });
  } else if (has(resource, "twice")) {
    say(reply, "{}");
    say(reply, "{}");
  } else if (has(resource, "huge")) {
    say(reply, std::string(17u << 20, ' '));
  } else {
    say(reply, has(resource, "bad-utf8") ? "{\"a\":\"\xff\"}" : "{oops");
  }
}
void describe(void*, const quarry_call*, const quarry_reply* reply) {
  say(reply, R"({"title":"Wrong","schema":{}})");
}
void resolve(void*, const quarry_call*, quarry_text, quarry_text, const quarry_reply* reply) {
  say(reply, "{}");
}
void fetch(void*, const quarry_call*, quarry_text, quarry_text, quarry_text, const quarry_tree*,
           const quarry_reply* reply) {
  say(reply, "{}");
}
void create(const quarry_host*, const quarry_call*, quarry_text configuration, void**,
            const quarry_reply* reply) {
  if (!has(configuration, "fail")) return say(reply, "{}");
  quarry::detail::fail(reply, {QUARRY_INVALID_ARGUMENT, "refused on purpose", "", ""});
}
void destroy(void*) {}

constexpr quarry_resource_v1 kTable{
    sizeof(quarry_resource_v1), describe, normalise, resolve, fetch, nullptr};
constexpr quarry_component kComponent{
    sizeof(quarry_component), 0, QUARRY_RESOURCE, "misbehaves", &kTable, create, destroy};

}  // namespace

QUARRY_PLUGIN("org.example.misbehaves", "1.0.0", kComponent)
