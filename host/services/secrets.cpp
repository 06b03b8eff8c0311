#include "services/secrets.h"

#include "base/file.h"

#include <algorithm>

namespace quarry::services {
namespace {

constexpr std::size_t kLongest = 64 << 10;
constexpr std::chrono::seconds kCommandLimit{30};

/// No header may have them, and no password ends so.
std::string without_line_ends(std::string value) {
  value.resize(value.find_last_not_of("\r\n") + 1);
  return value;
}

Result<std::string> from_file(const std::string& file) {
  auto bytes = read_file(file, kLongest);
  if (!bytes) return std::move(bytes.error());
  return without_line_ends(std::move(*bytes));
}

}  // namespace

SecretStore::SecretStore(std::map<std::string, SecretSource> sources, Environment environment,
                         const ProcessRunner& processes, Redactor& redactor)
    : environment_(std::move(environment)), processes_(processes), redactor_(redactor) {
  update(std::move(sources));
}

void SecretStore::update(std::map<std::string, SecretSource> sources) {
  std::lock_guard lock(entries_mutex_);
  for (auto& [name, source] : sources) {
    std::shared_ptr<Entry>& entry = entries_[name];
    if (entry && entry->source == source) continue;
    entry = std::make_shared<Entry>();
    entry->source = std::move(source);
  }
}

void SecretStore::offer(const std::string& variable) {
  std::lock_guard lock(entries_mutex_);
  std::shared_ptr<Entry>& entry = entries_[variable];
  if (entry) return;
  entry = std::make_shared<Entry>();
  entry->source = {SecretSource::From::kEnvironment, {variable}};
}

std::shared_ptr<SecretStore::Entry> SecretStore::find(std::string_view name) const {
  std::lock_guard lock(entries_mutex_);
  const auto found = entries_.find(name);
  return found == entries_.end() ? nullptr : found->second;
}

Result<std::string> SecretStore::get(std::string_view name, const Call& call) {
  return value_of(std::string(name), find(name).get(), call);
}

std::function<Result<std::string>(const Call&)> SecretStore::hold(std::string_view name) {
  return [this, name = std::string(name), entry = find(name)](const Call& call) {
    return value_of(name, entry.get(), call);
  };
}

Status SecretStore::check(const SecretSource& source, const Call& call) const {
  const auto value = fetch(source, call);
  if (!value) return value.error();
  return value->empty() ? Status(Error{Code::kNotFound, "it is empty"}) : Status();
}

Result<std::string> SecretStore::value_of(const std::string& name, Entry* found, const Call& call) {
  const std::string context = "secret '" + name + "'";
  if (!found)
    return Error{Code::kNotFound, context + " is not configured",
                 "give it as { env = … }, { file = … } or { command = […] } in the configuration"};
  Entry& entry = *found;
  std::unique_lock lock(entry.mutex);
  while (!entry.value) {
    const auto running = entry.fetch;
    if (!running) return fetch_alone(name, entry, call, lock);
    while (!running->ended) {
      if (Status wanted = call.check(); !wanted) return std::move(wanted.error()).in(context);
      entry.ended.wait_for(lock, call.max_wait());
    }
    if (running->failure) return *running->failure;
  }
  return *entry.value;
}

/// Requires the lock, which is free meanwhile.
Result<std::string> SecretStore::fetch_alone(const std::string& name, Entry& entry,
                                             const Call& call, std::unique_lock<std::mutex>& lock) {
  const auto mine = std::make_shared<Fetch>();
  entry.fetch = mine;
  lock.unlock();
  auto value = fetch(entry.source, call);
  const std::string context = "secret '" + name + "'";
  if (!value) {
    value = std::move(value.error()).in(context);
  } else if (value->empty()) {
    value = Error{Code::kNotFound, context + " is empty"};
  } else {
    redactor_.add(name, *value);
  }
  lock.lock();
  if (value) {
    entry.value = *value;
  } else if (call.check()) {
    mine->failure = value.error();
  }
  mine->ended = true;
  entry.fetch = nullptr;
  entry.ended.notify_all();
  return value;
}

std::optional<std::string> SecretStore::known(std::string_view name) const {
  const auto found = find(name);
  if (!found) return std::nullopt;
  const std::lock_guard lock(found->mutex);
  return found->value;
}

Result<std::string> SecretStore::fetch(const SecretSource& source, const Call& call) const {
  if (source.what.empty()) return Error{Code::kInvalidArgument, "its reference is empty"};
  switch (source.from) {
    case SecretSource::From::kEnvironment:
      return from_environment(source.what[0]);
    case SecretSource::From::kFile:
      return from_file(source.what[0]);
    case SecretSource::From::kCommand:
      return from_command(source.what, call);
    case SecretSource::From::kValue:
      return source.what[0];
  }
  return Error{Code::kInternal, "its reference is of an unknown form"};
}

Result<std::string> SecretStore::from_environment(const std::string& variable) const {
  const char* value = environment_(variable.c_str());
  if (value) return without_line_ends(value);
  return Error{Code::kNotFound, "the environment variable " + variable + " is not set",
               "export " + variable + " before the host starts"};
}

Result<std::string> SecretStore::from_command(const std::vector<std::string>& argv,
                                              const Call& call) const {
  ProcessSpec spec;
  spec.program = argv[0];
  spec.arguments.assign(argv.begin() + 1, argv.end());
  spec.output_limit = kLongest;
  Call limited = call;
  const auto limit = std::chrono::steady_clock::now() + kCommandLimit;
  limited.deadline = call.deadline ? std::min(*call.deadline, limit) : limit;
  std::string value;
  ProcessSink sink;
  sink.output = [&](std::string_view bytes) {
    value += bytes;
    return Status{};
  };
  const auto exit = processes_.run(spec, limited, sink);
  if (!exit) return exit.error();
  if (exit->signal != 0 || exit->exit != 0)
    return Error{Code::kUnavailable,
                 argv[0] + (exit->signal ? " was killed by signal " + std::to_string(exit->signal)
                                         : " exited with status " + std::to_string(exit->exit)),
                 "run the command by hand to see why"};
  return without_line_ends(std::move(value));
}

}  // namespace quarry::services
