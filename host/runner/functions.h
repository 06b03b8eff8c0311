#pragma once

#include "runner/child_functions.h"
#include "runner/fields.h"
#include "runner/protocol.h"
#include "runner/remote_instance.h"

#include <quarry/draft/embedding.h>
#include <quarry/draft/rerank.h>
#include <quarry/draft/symbols.h>
#include <quarry/model.h>
#include <quarry/pricing.h>
#include <quarry/resource.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>

namespace quarry::runner {

struct FunctionRules {
  std::uint32_t bit = 0;         ///< kHas… of an optional function
  bool has_named_input = false;  ///< its first argument is Request::input
};

/// A function of a component's table that takes texts and reports a value, on both sides of the
/// socket.
template <Function kFunction, auto kMember, FunctionRules kRules = FunctionRules{}>
struct TableFunction;

template <Function kFunction, class Table, class... Arguments,
          void (*Table::*kMember)(void*, const quarry_call*, Arguments...), FunctionRules kRules>
struct TableFunction<kFunction, kMember, kRules> {
  /// The function in the host's table; instances are RemoteInstance*.
  static void remote(void* instance, const quarry_call* call, Arguments... arguments) {
    const auto all = std::tuple(arguments...);
    Request request{.function = kFunction, .call = call, .arguments = [=](PacketWriter& packet) {
                      (write(packet, arguments), ...);
                    }};
    if constexpr (kRules.has_named_input) request.input = as_view(std::get<0>(all));
    RemoteInstance::of(instance).call(std::move(request), std::get<sizeof...(Arguments) - 1>(all));
  }
  static constexpr void add_to(Table& table) { table.*kMember = remote; }
  static void leave_out(Table& table, std::uint32_t present) {
    if ((present & kRules.bit) != kRules.bit) table.*kMember = nullptr;
  }

  /// Calls the plugin's function. False if that is another one, or the plugin lacks it.
  static bool call(const Table& table, const ChildFunction& asked) {
    if (asked.function != kFunction || !is_in(table)) return false;
    const std::tuple<Arguments...> arguments{read<Arguments>(asked)...};
    std::apply([&](auto... each) { (table.*kMember)(asked.instance, asked.call.get(), each...); },
               arguments);
    return true;
  }
  /// Its bit, if the plugin has it.
  static std::uint32_t bit(const Table& table) { return is_in(table) ? kRules.bit : 0; }

 private:
  static bool is_in(const Table& table) {
    return FieldList<kMember>::are_in(table) && table.*kMember != nullptr;
  }
  template <class Argument>
  static void write(PacketWriter& packet, Argument argument) {
    if constexpr (!std::is_same_v<Argument, const quarry_reply*>) {
      Codec<Argument>::write(packet, argument);
    }
  }
  template <class Argument>
  static Argument read(const ChildFunction& asked) {
    if constexpr (std::is_same_v<Argument, const quarry_reply*>) {
      return asked.reply;
    } else {
      return Codec<Argument>::read(asked.arguments);
    }
  }
};

/// The functions of a table that are made from their types alone.
template <class Table, class... Functions>
struct TableFunctions {
  /// The host's table, without other functions.
  static constexpr Table remote() {
    Table out{};
    out.struct_size = sizeof out;
    (Functions::add_to(out), ...);
    return out;
  }
  /// Removes those that the plugin lacks. `present`: their bits.
  static void leave_out(Table& table, std::uint32_t present) {
    (Functions::leave_out(table, present), ...);
  }
  static bool call(const ChildFunction& asked) {
    return (Functions::call(of(asked.component), asked) || ...);
  }
  static std::uint32_t bits(const quarry_component& component) {
    return (Functions::bit(of(component)) | ...);
  }

 private:
  static const Table& of(const quarry_component& component) {
    return *static_cast<const Table*>(component.table);
  }
};

// By kind; generate, fetch and the functions of exchanges have a stream, and code of their own.
using ResourceFunctions = TableFunctions<
    quarry_resource_v1, TableFunction<Function::kDescribe, &quarry_resource_v1::describe>,
    TableFunction<Function::kNormalise, &quarry_resource_v1::normalise,
                  FunctionRules{.has_named_input = true}>,
    TableFunction<Function::kResolve, &quarry_resource_v1::resolve,
                  FunctionRules{.has_named_input = true}>,
    TableFunction<Function::kParseReference, &quarry_resource_v1::parse_reference,
                  FunctionRules{.bit = kHasParseReference, .has_named_input = true}>>;
using ModelFunctions = TableFunctions<
    quarry_model_v1, TableFunction<Function::kDescribe, &quarry_model_v1::describe>,
    TableFunction<Function::kModels, &quarry_model_v1::models, FunctionRules{.bit = kHasModels}>>;
using PricingFunctions =
    TableFunctions<quarry_pricing_v1, TableFunction<Function::kRates, &quarry_pricing_v1::rates>,
                   TableFunction<Function::kRefresh, &quarry_pricing_v1::refresh,
                                 FunctionRules{.bit = kHasRefresh}>>;
using SymbolsFunctions =
    TableFunctions<quarry_symbols_v1,
                   TableFunction<Function::kDescribe, &quarry_symbols_v1::describe>,
                   TableFunction<Function::kDefinitions, &quarry_symbols_v1::definitions>,
                   TableFunction<Function::kReferences, &quarry_symbols_v1::references>>;
using EmbeddingFunctions =
    TableFunctions<quarry_embedding_v1,
                   TableFunction<Function::kDescribe, &quarry_embedding_v1::describe>>;
using RerankFunctions =
    TableFunctions<quarry_rerank_v1,
                   TableFunction<Function::kDescribe, &quarry_rerank_v1::describe>>;

}  // namespace quarry::runner
