#pragma once

#include "runner/packet.h"

#include <quarry/model.h>
#include <quarry/outcome.hpp>
#include <quarry/process.h>
#include <quarry/resource.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace quarry::runner {

template <class Argument>
struct Codec;

/// Members of a struct in the order in which they are in a packet.
template <auto... kMembers>
struct FieldList {
  /// True if the struct, which a plugin made, has all of them.
  template <class Struct>
  static bool are_in(const Struct& value) {
    const auto end = [&](const auto& member) {
      return static_cast<std::size_t>(reinterpret_cast<const char*>(&member + 1) -
                                      reinterpret_cast<const char*>(&value));
    };
    return ((value.struct_size >= end(value.*kMembers)) && ...);
  }
  template <class Struct>
  static std::size_t size(const Struct& value) {
    return (Codec<Member<Struct, kMembers>>::size(value.*kMembers) + ...);
  }
  template <class Struct>
  static void write(PacketWriter& packet, const Struct& value) {
    (Codec<Member<Struct, kMembers>>::write(packet, value.*kMembers), ...);
  }
  template <class Struct>
  static Struct read(PacketReader& packet) {
    Struct out{};
    out.struct_size = sizeof out;
    ((out.*kMembers = Codec<Member<Struct, kMembers>>::read(packet)), ...);
    return out;
  }

 private:
  template <class Struct, auto kMember>
  using Member = std::remove_cvref_t<decltype(std::declval<Struct>().*kMember)>;
};

/// The fields of each struct of the contract that crosses the socket; arrays follow them.
template <class Struct>
struct Fields;
template <>
struct Fields<quarry_usage>
    : FieldList<&quarry_usage::input_tokens, &quarry_usage::output_tokens,
                &quarry_usage::reasoning_tokens, &quarry_usage::cache_read_tokens,
                &quarry_usage::cache_write_tokens> {};
template <>
struct Fields<quarry_model_error>
    : FieldList<&quarry_model_error::status, &quarry_model_error::http_status,
                &quarry_model_error::retry_after_ms, &quarry_model_error::message> {};
template <>
struct Fields<quarry_file> : FieldList<&quarry_file::path, &quarry_file::permalink,
                                       &quarry_file::title, &quarry_file::media_type> {};
template <>
struct Fields<quarry_header>
    : FieldList<&quarry_header::name, &quarry_header::value, &quarry_header::secret> {};
template <>
struct Fields<quarry_http_request>
    : FieldList<&quarry_http_request::method, &quarry_http_request::url, &quarry_http_request::body,
                &quarry_http_request::timeout_ms, &quarry_http_request::max_redirects> {};
template <>
struct Fields<quarry_process_spec>
    : FieldList<&quarry_process_spec::program, &quarry_process_spec::directory,
                &quarry_process_spec::input, &quarry_process_spec::output_limit,
                &quarry_process_spec::file_limit, &quarry_process_spec::memory_limit> {};

/// An argument of a function of the contract in a packet: its size there, and both directions.
template <class Number>
requires std::is_arithmetic_v<Number>
struct Codec<Number> {
  static std::size_t size(Number /*value*/) { return sizeof(Number); }
  static void write(PacketWriter& packet, Number value) { packet.put(value); }
  static Number read(PacketReader& packet) { return packet.get<Number>(); }
};

/// What is read is a view into the packet.
template <>
struct Codec<quarry_text> {
  static std::size_t size(quarry_text text) { return sizeof(std::uint32_t) + as_view(text).size(); }
  static void write(PacketWriter& packet, quarry_text text) { packet.text(as_view(text)); }
  static quarry_text read(PacketReader& packet) { return as_text(packet.text()); }
};

/// A struct, or none: 1 u8 and its fields, or 0 u8. A plugin's without all of them is none.
template <class Struct>
struct Codec<const Struct*> {
  class Read {
   public:
    explicit Read(PacketReader& packet) : is_there_(packet.get<std::uint8_t>() != 0) {
      if (is_there_) value_ = Fields<Struct>::template read<Struct>(packet);
    }
    operator const Struct*() const { return is_there_ ? &value_ : nullptr; }

   private:
    bool is_there_;
    Struct value_{};
  };
  static bool is_there(const Struct* value) {
    return value != nullptr && Fields<Struct>::are_in(*value);
  }
  static std::size_t size(const Struct* value) {
    return 1 + (is_there(value) ? Fields<Struct>::size(*value) : 0);
  }
  static void write(PacketWriter& packet, const Struct* value) {
    packet.put(static_cast<std::uint8_t>(is_there(value)));
    if (is_there(value)) Fields<Struct>::write(packet, *value);
  }
  static Read read(PacketReader& packet) { return Read(packet); }
};

}  // namespace quarry::runner
