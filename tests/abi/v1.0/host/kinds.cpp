// One function of a component's table at a time, with the tables that it is given.
#include "common.h"

#include <algorithm>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

namespace frozen {
namespace {

namespace fs = std::filesystem;

class LentCall {
 public:
  LentCall() : call_(calls().open(nullptr, 60000, nullptr, nullptr)) {}
  ~LentCall() { calls().close(call_); }
  operator const quarry_call*() const { return call_; }

 private:
  const quarry_call* call_;
};

/// The files of one fetch. Those of the fetch before may be kept.
class Tree {
 public:
  Tree() {
    fs::remove_all(scratch_);
    fs::create_directories(scratch_);
    std::swap(last(), now());
    now().clear();
  }
  ~Tree() { fs::remove_all(scratch_); }
  const quarry_tree* get() const { return &table_; }

 private:
  using Files = std::map<std::string, std::string, std::less<>>;
  static Files& now() {
    static Files files;
    return files;
  }
  static Files& last() {
    static Files files;
    return files;
  }
  static Tree& of(const quarry_tree* tree) { return *static_cast<Tree*>(tree->context); }

  quarry_status add(const char* how, quarry_bytes path, std::optional<std::string_view> bytes,
                    const quarry_file* file = nullptr) {
    const std::string_view name = view(path);
    if (name.empty() || name[0] == '/' || name.find("..") != name.npos) {
      Line("tree", how).with("refused", name);
      return QUARRY_INVALID_ARGUMENT;
    }
    if (name.size() > QUARRY_LIMIT_PATH ||
        std::count(name.begin(), name.end(), '/') >= static_cast<int>(QUARRY_LIMIT_LEVELS))
      return QUARRY_OK;  // left out
    const std::lock_guard lock(mutex_);
    text_ += bytes ? bytes->size() : 0;
    if (text_ > QUARRY_LIMIT_TEXT || now().size() >= QUARRY_LIMIT_FILES)
      return QUARRY_RESOURCE_EXHAUSTED;
    Line line("tree", how);
    line.with("path", name);
    if (bytes) line.with("size", static_cast<std::int64_t>(bytes->size()));
    if (bytes && bytes->size() < 8192) line.with("text", *bytes);
    if (file != nullptr && QUARRY_HAS(file, media_type)) {
      line.with("permalink", view(file->permalink)).with("title", view(file->title));
      line.with("media_type", view(file->media_type));
    }
    now()[std::string(name)] = bytes.value_or("");
    return QUARRY_OK;
  }

  quarry_status add_directory(const fs::path& directory) {
    for (const auto& each : fs::recursive_directory_iterator(directory)) {
      if (!each.is_regular_file() || each.is_symlink()) continue;
      std::ifstream file(each.path(), std::ios::binary);
      const std::string bytes(std::istreambuf_iterator<char>(file), {});
      const auto path = each.path().lexically_relative(directory).string();
      if (const auto status = add("add_directory", text(path), bytes); status != QUARRY_OK)
        return status;
    }
    return QUARRY_OK;
  }

  quarry_status keep(std::string_view path) {
    const auto found = last().find(path);
    if (found == last().end()) return QUARRY_NOT_FOUND;
    return add("keep_file", text(path), found->second);
  }

  std::mutex mutex_;
  std::uint64_t text_ = 0;
  const std::string scratch_ = settings().folder + "/scratch";
  const quarry_tree table_{
      sizeof table_,
      this,
      [](const quarry_tree* self, quarry_bytes path, quarry_bytes bytes) {
        return of(self).add("add_file", path, view(bytes));
      },
      [](const quarry_tree* self, quarry_bytes directory) {
        return of(self).add_directory(view(directory));
      },
      [](const quarry_tree*, quarry_bytes directory) {
        Line("tree", "use_in_place").with("path", view(directory));
        return fs::is_directory(view(directory)) ? QUARRY_OK : QUARRY_NOT_FOUND;
      },
      [](const quarry_tree* self) { return text(of(self).scratch_); },
      1u << 20,
      [](const quarry_tree* self, quarry_bytes path, std::uint64_t) {
        return of(self).add("add_large", path, std::nullopt);
      },
      [](const quarry_tree* self, quarry_bytes path) {
        return of(self).add("add_link", path, std::nullopt);
      },
      [](const quarry_tree* self, const quarry_file* file, quarry_bytes bytes) {
        return of(self).add("add_described", file->path, view(bytes), file);
      },
      [](const quarry_tree* self, quarry_bytes path) { return of(self).keep(view(path)); }};
};

template <class... Values>
quarry_status print(const char* function, Values... values) {
  Line line("sink", function);
  (line.with(values.first, values.second), ...);
  return QUARRY_OK;
}
using Number = std::pair<const char*, std::int64_t>;
using Text = std::pair<const char*, std::string_view>;

const char* finish_name(quarry_finish reason) {
  return reason == QUARRY_FINISH_STOP             ? "stop"
         : reason == QUARRY_FINISH_LENGTH         ? "length"
         : reason == QUARRY_FINISH_TOOL_CALLS     ? "tool_calls"
         : reason == QUARRY_FINISH_CONTENT_FILTER ? "content_filter"
                                                  : "unknown";
}

const quarry_model_sink kSink{
    sizeof kSink,
    nullptr,
    [](const quarry_model_sink*, quarry_text delta) {
      return print("text", Text("delta", view(delta)));
    },
    [](const quarry_model_sink*, quarry_text delta) {
      return print("reasoning", Text("delta", view(delta)));
    },
    [](const quarry_model_sink*, std::uint32_t index, quarry_text id, quarry_text name,
       quarry_text arguments) {
      return print("tool_call", Number("index", index), Text("id", view(id)),
                   Text("name", view(name)),
                   Text("arguments", view(arguments).substr(0, QUARRY_LIMIT_TOOL_ARGUMENTS)));
    },
    [](const quarry_model_sink*, const quarry_usage* usage) {
      if (!QUARRY_HAS(usage, cache_write_tokens)) return print("incomplete");
      return print("usage", Number("input", usage->input_tokens),
                   Number("output", usage->output_tokens),
                   Number("reasoning", usage->reasoning_tokens),
                   Number("cache_read", usage->cache_read_tokens),
                   Number("cache_write", usage->cache_write_tokens));
    },
    [](const quarry_model_sink*, quarry_text json) {
      return print("keep", Text("json", view(json).substr(0, QUARRY_LIMIT_KEPT)));
    },
    [](const quarry_model_sink*, quarry_finish reason) {
      print("finish", Text("reason", finish_name(reason)));
    },
    [](const quarry_model_sink*, const quarry_model_error* error) {
      if (!QUARRY_HAS(error, message)) return void(print("incomplete"));
      print("error", Text("status", status_name(error->status)),
            Number("http_status", error->http_status),
            Number("retry_after_ms", error->retry_after_ms),
            Text("message", view(error->message).substr(0, QUARRY_LIMIT_MODEL_MESSAGE)));
    }};

/// One request of an exchange. Returns false if the response asks for another one.
bool run_request(const quarry_model_v1& table, quarry_exchange* exchange, const quarry_call* call,
                 bool last) {
  const quarry_http_request* wanted = table.request(exchange);
  Request request;
  Response response;
  std::optional<Failure> failure;
  if (wanted != nullptr) failure = fill(*wanted, request);
  if (wanted != nullptr && !failure) failure = fetch(call, request, response);
  if (wanted == nullptr || failure) {
    print("failed", Text("message", failure ? failure->message : "there is no request"));
    return true;
  }
  print("request", Text("method", request.method), Text("url", request.url),
        Number("headers", static_cast<std::int64_t>(request.headers.size())),
        Number("status", response.status));
  if (response.status == 429 && !last) return false;
  with_headers(response, [&](std::uint32_t count, const quarry_header* const* headers) {
    table.head(exchange, response.status, count, headers, &kSink);
  });
  for (std::size_t at = 0; at < response.body.size(); at += 7)  // cut anywhere
    table.data(exchange, text(std::string_view(response.body).substr(at, 7)), &kSink);
  table.end(exchange, response.complete ? QUARRY_END_COMPLETE : QUARRY_END_CUT, &kSink);
  return true;
}

void run_exchange(const quarry_model_v1& table, void* self, const std::string& chat_request) {
  const LentCall call;
  Reply reply;
  quarry_exchange* exchange = nullptr;
  table.begin(self, call, text(chat_request), &exchange, reply.get());
  if (!reply.take("begin") || exchange == nullptr) return;
  if (!run_request(table, exchange, call, false)) run_request(table, exchange, call, true);
  table.destroy_exchange(exchange);
}

/// An engine whose methods were given their values beforehand, and one question, "q-1", whose third
/// and last event comes later.
class Engine {
 public:
  void set(const std::string& method, const std::string& value) { values_[method] = value; }
  const quarry_engine* get() const { return &table_; }

 private:
  struct Reader {
    std::uint64_t next;
    void (*wake)(void*);
    void* context;
    std::mutex mutex;
    bool all = false;
    std::thread later;  // calls wake, in which the reader may be read and closed
  };
  static Reader* of(quarry_reader* reader) { return reinterpret_cast<Reader*>(reader); }

  static std::uint64_t call(const quarry_engine* self, quarry_text method, quarry_text params,
                            const quarry_reply* reply) {
    auto& values = static_cast<Engine*>(self->context)->values_;
    Line("engine", "call").with("method", view(method)).json("params", view(params));
    const auto found = values.find(std::string(view(method)));
    if (found == values.end()) {
      Failure{QUARRY_NOT_FOUND, "there is no method " + std::string(view(method)), "",
              "{\"tag\": \"NotFound\"}"}
          .use(reply);
    } else {
      reply->value(reply, text(found->second));
    }
    return 1;
  }

  static quarry_reader* open(const quarry_engine*, quarry_text id, std::uint64_t after,
                             void (*wake)(void*), void* context) {
    Line("engine", "open_reader").with("id", view(id)).with("after", static_cast<int>(after));
    if (view(id) != "q-1") return nullptr;
    auto* reader = new Reader{after + 1, wake, context, {}, false, {}};
    return reinterpret_cast<quarry_reader*>(reader);
  }

  static quarry_read read(quarry_reader* handle, std::size_t max_bytes,
                          void (*visit)(void*, const quarry_event*), void* context) {
    Reader& reader = *of(handle);
    static const char* const types[] = {"meta", "text.delta", "done"};
    std::size_t bytes = 0;
    const std::lock_guard lock(reader.mutex);
    for (; reader.next <= 3 && (reader.next < 3 || reader.all); ++reader.next) {
      const std::string type = types[reader.next - 1];
      const std::string json = type == "text.delta"
                                   ? R"({"type":"text.delta","delta":"frozen"})"
                                   : "{\"type\":" + json_text(type) + ",\"id\":\"q-1\"}";
      const quarry_event event{sizeof event, reader.next, text(type), text(json)};
      if (bytes > max_bytes) return QUARRY_READ_MORE;
      visit(context, &event);
      bytes += json.size();
    }
    if (reader.next > 3) return QUARRY_READ_END;
    if (reader.later.joinable()) return QUARRY_READ_EMPTY;  // it will wake
    reader.later = std::thread([&reader] {
      {
        const std::lock_guard later(reader.mutex);
        reader.all = true;
      }
      reader.wake(reader.context);
    });
    return QUARRY_READ_EMPTY;
  }

  std::map<std::string, std::string> values_;
  const quarry_engine table_{sizeof table_,
                             this,
                             call,
                             [](const quarry_engine*, std::uint64_t handle) {
                               Line("engine", "cancel").with("handle", static_cast<int>(handle));
                             },
                             open,
                             read,
                             [](quarry_reader* reader) {
                               if (of(reader)->later.joinable()) of(reader)->later.join();
                               delete of(reader);
                             }};
};

}  // namespace

bool run_resource(const Instance& instance, const std::string& function, const Arguments& words) {
  const quarry_resource_v1& table =
      *static_cast<const quarry_resource_v1*>(instance.component->table);
  const LentCall call;
  Reply reply;
  if (function == "describe")
    table.describe(instance.self, call, reply.get());
  else if (function == "normalise")
    table.normalise(instance.self, call, text(words[0]), reply.get());
  else if (function == "resolve")
    table.resolve(instance.self, call, text(words[0]), text(words[1]), reply.get());
  else if (function == "fetch") {
    Tree tree;
    table.fetch(instance.self, call, text(words[0]), text(words[1]), text(words[2]), tree.get(),
                reply.get());
    join_jobs();
  } else if (function == "parse_reference" && QUARRY_HAS(&table, parse_reference) &&
             table.parse_reference != nullptr)
    table.parse_reference(instance.self, call, text(words[0]), reply.get());
  else
    return false;
  reply.take(function);
  return true;
}

bool run_model(const Instance& instance, const std::string& function, const Arguments& words) {
  const quarry_model_v1& table = *static_cast<const quarry_model_v1*>(instance.component->table);
  const LentCall call;
  Reply reply;
  if (function == "generate" && table.generate != nullptr) {
    table.generate(instance.self, call, text(words[0]), &kSink);
    return true;
  }
  if (function == "exchange" && table.begin != nullptr) {
    run_exchange(table, instance.self, words[0]);
    return true;
  }
  if (function == "describe")
    table.describe(instance.self, call, reply.get());
  else if (function == "models" && QUARRY_HAS(&table, models) && table.models != nullptr)
    table.models(instance.self, call, reply.get());
  else
    return false;
  reply.take(function);
  return true;
}

bool run_pricing(const Instance& instance, const std::string& function, const Arguments& words) {
  const quarry_pricing_v1& table =
      *static_cast<const quarry_pricing_v1*>(instance.component->table);
  const LentCall call;
  Reply reply;
  if (function == "rates")
    table.rates(instance.self, call, text(words[0]), text(words[1]), reply.get());
  else if (function == "refresh" && QUARRY_HAS(&table, refresh) && table.refresh != nullptr)
    table.refresh(instance.self, call, reply.get());
  else
    return false;
  reply.take(function);
  return true;
}

bool run_transport(const Instance& instance, const std::string& function, const Arguments& words) {
  static Engine engine;
  const quarry_transport_v1& table =
      *static_cast<const quarry_transport_v1*>(instance.component->table);
  if (function == "value") {
    engine.set(words[0], words[1]);
  } else if (function == "start") {
    const LentCall call;
    Reply reply;
    table.start(instance.self, call, engine.get(), reply.get());
    reply.take(function);
  } else if (function == "stop") {
    table.stop(instance.self, std::stoll(words[0]));
  } else {
    return false;
  }
  return true;
}

}  // namespace frozen
