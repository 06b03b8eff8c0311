#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace quarry::runner {

/// Version of the frames below. Host and runner are the same program, unless it was replaced while
/// the host was running.
inline constexpr std::uint32_t kProtocol = 3;

/// Largest payload of a frame, in bytes: a value of 16 MiB (QUARRY_LIMIT_VALUE) and more.
inline constexpr std::size_t kMaxPayload = 32u << 20;
/// Bytes of streamed frames that the receiver of a call has not consumed yet. A sender may exceed
/// it by one frame, so that a large one is sent at all.
inline constexpr std::int64_t kWindow = 4 << 20;
/// Longest reaction to a cancelled call, to the end of the connection and to a full socket.
inline constexpr std::chrono::milliseconds kGrace{2000};

/// Kinds of frames. The comment names the payload; fields without a type are text.
enum class Kind : std::uint8_t {
  // From the host. The call number of a frame is the host's number of the call.
  kHello = 1,  ///< see Hello
  kCall,       ///< Function u8, instance u32, milliseconds i64 until it is over at the latest (the
               ///< host may send kCancel earlier), arguments (see Function)
  kCancel,     ///< status i32: the call is over; its function should return
  kCredit,     ///< bytes u32 that were consumed, status i32: not 0 = no more is wanted
  kAnswer,     ///< status i32, text: the answer to a frame that asks (see asks())
  kServiceData,   ///< request u32, Part u8 and its fields
  kServiceReply,  ///< request u32, then as kReply

  // From the runner.
  kReady = 32,  ///< protocol u32, the sandbox as JSON, peak of memory in bytes u64, count u32, then
                ///< flags u32 and kHas… u32 of each component, in order of the manifest
  kRefused,     ///< status i32, message, hint: the plugin cannot be loaded
  kReply,       ///< see Answer
  kProgress,
  // The files of a fetch.
  kFile,       ///< path, bytes
  kDescribed,  ///< path, permalink, title, media type, bytes
  kLarge,      ///< path, size u64
  kLink,       ///< path
  kDirectory,  ///< path of a directory to add; asks
  kInPlace,    ///< path of a directory to read in place; asks
  kScratch,    ///< empty text; asks
  kKeepFile,   ///< path of a file of the last snapshot; asks
  // The output of a model.
  kText,       ///< delta
  kReasoning,  ///< delta
  kToolCall,   ///< index u32, id, name, arguments
  kKeep,       ///< JSON
  kFinish,     ///< reason i32
  // The output of an embedding or rerank provider.
  kVector,  ///< index u32, dimension u32, its values f32; without values if there are none
  kScore,   ///< index u32, score f64
  kDone,    ///< none
  // Of a provider of any kind.
  kUsage,        ///< 1 u8, then the five counts i64 of quarry_usage; or 0 u8 for none
  kModelError,   ///< 1 u8, status i32, HTTP status i32, delay in milliseconds i64, message; or 0 u8
  kHttpRequest,  ///< 1 u8, method, URL, body, count u32, then name, value and secret of each
                 ///< header;
                 ///< or 0 u8 for none
  kLastOfStream = kHttpRequest,
  // Services of the host, for a call that runs.
  kService,        ///< request u32 (the runner's number), Service u8, arguments
  kServiceCredit,  ///< request u32, bytes u32 that were consumed, status i32: not 0 = the host ends
                   ///< the request, which fails with it
  // Services without an answer, at any time; the call number is 0, but in kLog.
  kLog,     ///< level i32, message; the call is the one whose function logs, which may have ended
  kMetric,  ///< Metric u8, name, labels, amount f64
  kHide,    ///< a secret

  kLastOfHost = kServiceReply,
  kLast = kHide,
};

[[nodiscard]] constexpr bool is_known(std::uint8_t kind) {
  const auto at_most = [&](Kind last) { return kind <= static_cast<std::uint8_t>(last); };
  return (kind > 0 && at_most(Kind::kLastOfHost)) ||
         (kind >= static_cast<std::uint8_t>(Kind::kReady) && at_most(Kind::kLast));
}

/// True for frames of a call that wait for kAnswer.
[[nodiscard]] constexpr bool asks(Kind kind) {
  return kind == Kind::kDirectory || kind == Kind::kInPlace || kind == Kind::kScratch ||
         kind == Kind::kKeepFile;
}

/// Functions of services that the host executes, and their arguments.
enum class Service : std::uint8_t {
  kHttpSend,    ///< method, URL, body, milliseconds i64, redirects i32, count u32, then name, value
                ///< and secret of each header
  kHttpPermit,  ///< URL
  kProcessRun,  ///< program, directory, input, output, file and memory limit u64, count u32,
                ///< arguments, count u32, environment
  kSecretsGet,  ///< name
  kLast = kSecretsGet,
};

/// Parts of what a service streams.
enum class Part : std::uint8_t {
  kHead,         ///< status i32, count u32, then name and value of each header
  kData,         ///< bytes
  kOutput,       ///< bytes
  kErrorOutput,  ///< bytes
};

enum class Metric : std::uint8_t { kCount, kGauge, kObserve };

/// Services that a host may offer to a runner, as bits.
inline constexpr std::uint32_t kOffersLog = 1;
inline constexpr std::uint32_t kOffersMetrics = 2;
inline constexpr std::uint32_t kOffersPaths = 4;
inline constexpr std::uint32_t kOffersSecrets = 8;
inline constexpr std::uint32_t kOffersProcess = 16;
inline constexpr std::uint32_t kOffersHttp = 32;

/// Functions of a plugin, and their arguments.
enum class Function : std::uint8_t {
  kOpen,            ///< none
  kClose,           ///< none; the runner exits after its reply
  kCreate,          ///< component u32 (its place in the manifest), configuration
  kDestroy,         ///< none
  kDescribe,        ///< none
  kNormalise,       ///< resource
  kResolve,         ///< resource, last
  kFetch,           ///< resource, version, last, file limit u64
  kParseReference,  ///< reference
  kGenerate,        ///< chat request
  kModels,          ///< none
  // Of an exchange; the first argument is its number u32, chosen by the host.
  kBegin,            ///< request as JSON; the HTTP request is streamed, as for kRequest
  kRequest,          ///< none; the request is streamed as kHttpRequest
  kHead,             ///< status i32, count u32, then name and value of each header
  kData,             ///< bytes
  kEnd,              ///< reason i32
  kDestroyExchange,  ///< none
  kRates,            ///< provider, model
  kRefresh,          ///< none
  kDefinitions,      ///< path, text
  kReferences,       ///< path, text, name
  kLast = kReferences,
};

/// Optional functions of a component, as bits.
inline constexpr std::uint32_t kHasParseReference = 1;
inline constexpr std::uint32_t kHasGenerate = 2;
inline constexpr std::uint32_t kHasModels = 4;
inline constexpr std::uint32_t kHasRefresh = 8;

}  // namespace quarry::runner
