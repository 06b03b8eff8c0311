/// Runs programs through the host.
#ifndef QUARRY_PROCESS_HPP
#define QUARRY_PROCESS_HPP

#include <quarry/host.hpp>
#include <quarry/json.hpp>
#include <quarry/process.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry {

/// A program to run; <quarry/process.h> documents each member.
struct Process {
  std::string program;
  std::vector<std::string> arguments;
  std::vector<std::string> environment;
  std::string directory;
  std::string_view input;
  std::uint64_t output_limit = 0;
  std::uint64_t file_limit = 0;
  std::uint64_t memory_limit = 0;
};

/// The end of a program: its exit status, or a signal other than 0.
struct ProcessEnd {
  int exit = 0;
  int signal = 0;
};

using ProcessOutput = std::function<bool(std::string_view bytes)>;

namespace detail {

struct ProcessReceiver {
  const ProcessOutput& output;
  const ProcessOutput& error_output;

  static quarry_status give(const ProcessOutput& take, quarry_text bytes) noexcept {
    return !take || take(as_view(bytes)) ? QUARRY_OK : QUARRY_CANCELLED;
  }
  static ProcessReceiver& of(const quarry_process_sink* self) {
    return *static_cast<ProcessReceiver*>(self->context);
  }
  static quarry_status on_output(const quarry_process_sink* self, quarry_text bytes) noexcept {
    return give(of(self).output, bytes);
  }
  static quarry_status on_error(const quarry_process_sink* self, quarry_text bytes) noexcept {
    return give(of(self).error_output, bytes);
  }
};

inline std::vector<quarry_text> texts(const std::vector<std::string>& strings) {
  std::vector<quarry_text> out;
  for (const std::string& string : strings) out.push_back(as_text(string));
  return out;
}

}  // namespace detail

/// Runs a program, blocks until it has ended, and passes its output on in this thread. Returning
/// false kills it, and the run fails with QUARRY_CANCELLED. The functions may be empty and must not
/// throw. [worker]
inline Outcome<ProcessEnd> run(const Host& host, const Call& call, const Process& process,
                               const ProcessOutput& output, const ProcessOutput& error_output) {
  const auto* runner = host.service<quarry_process_v1>(QUARRY_PROCESS);
  if (runner == nullptr) return Failure{QUARRY_UNSUPPORTED, "this host runs no programs", {}, {}};
  const auto arguments = detail::texts(process.arguments);
  const auto environment = detail::texts(process.environment);
  const quarry_process_spec spec{sizeof spec,
                                 static_cast<std::uint32_t>(arguments.size()),
                                 as_text(process.program),
                                 arguments.data(),
                                 static_cast<std::uint32_t>(environment.size()),
                                 environment.data(),
                                 as_text(process.directory),
                                 as_text(process.input),
                                 process.output_limit,
                                 process.file_limit,
                                 process.memory_limit};
  detail::ProcessReceiver receiver{output, error_output};
  const quarry_process_sink sink{sizeof sink, &receiver, detail::ProcessReceiver::on_output,
                                 detail::ProcessReceiver::on_error};
  const detail::Heard heard;
  runner->run(runner, call.get(), &spec, &sink, heard.reply());
  if (!heard.outcome()) return heard.outcome().failure();
  const auto number = [&](const char* key) {
    const std::string text(json::member(*heard.outcome(), key).value_or("0"));
    return std::atoi(text.c_str());
  };
  return ProcessEnd{number("exit"), number("signal")};
}

}  // namespace quarry

#endif
