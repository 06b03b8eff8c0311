#include "runner/function_name.h"

#include "plugins/plugin_function.h"

#include <cstddef>
#include <iterator>

namespace quarry::runner {
namespace {

using plugins::PluginFunction;
namespace function = plugins::function;

/// In order of Function.
constexpr const PluginFunction* kRows[] = {&function::kOpen,
                                           &function::kClose,
                                           &function::kCreate,
                                           &function::kDestroy,
                                           &function::kDescribe,
                                           &function::kNormalise,
                                           &function::kResolve,
                                           &function::kFetch,
                                           &function::kParseReference,
                                           &function::kGenerate,
                                           &function::kModels,
                                           &function::kBegin,
                                           &function::kRequest,
                                           &function::kHead,
                                           &function::kData,
                                           &function::kEnd,
                                           &function::kDestroyExchange,
                                           &function::kRates,
                                           &function::kRefresh,
                                           &function::kDefinitions,
                                           &function::kReferences};
static_assert(std::size(kRows) == static_cast<std::size_t>(Function::kLast) + 1);

const PluginFunction& row(Function function) {
  return *kRows[static_cast<std::size_t>(function)];
}

}  // namespace

std::string_view name_of(Function function) {
  return row(function).name;
}

std::chrono::milliseconds limit_of(Function function) {
  return row(function).limit;
}

}  // namespace quarry::runner
