/// quarry.resource/1 for C++: a class with the functions below is a type of resource.
#ifndef QUARRY_RESOURCE_HPP
#define QUARRY_RESOURCE_HPP

#include <quarry/host.hpp>
#include <quarry/resource.h>

#include <concepts>

namespace quarry {

/// A file with facts about itself (quarry_file); empty members are unknown.
struct File {
  std::string_view path;
  std::string_view permalink = {};
  std::string_view title = {};
  std::string_view media_type = {};
};

/// Receives the files of a fetch. When a function returns false, return: the host writes the
/// failure's message.
class Tree {
 public:
  explicit Tree(const quarry_tree* tree) : tree_(tree) {}
  [[nodiscard]] bool add_file(std::string_view path, std::string_view bytes) {
    return tree_->add_file(tree_, as_text(path), as_text(bytes)) == QUARRY_OK;
  }
  [[nodiscard]] bool add_file(const File& file, std::string_view bytes) {
    const quarry_file said{sizeof said,         0,
                           as_text(file.path),  as_text(file.permalink),
                           as_text(file.title), as_text(file.media_type)};
    return tree_->add_described(tree_, &said, as_text(bytes)) == QUARRY_OK;
  }
  /// QUARRY_NOT_FOUND when the last snapshot does not have the file: add it then. Return on any
  /// other failure.
  [[nodiscard]] quarry_status keep_file(std::string_view path) {
    return tree_->keep_file(tree_, as_text(path));
  }
  [[nodiscard]] bool add_directory(std::string_view directory) {
    return tree_->add_directory(tree_, as_text(directory)) == QUARRY_OK;
  }
  [[nodiscard]] bool use_in_place(std::string_view directory) {
    return tree_->use_in_place(tree_, as_text(directory)) == QUARRY_OK;
  }
  /// Lists a file of more than file_limit() bytes without its content.
  [[nodiscard]] bool add_large(std::string_view path, std::uint64_t size) {
    return tree_->add_large(tree_, as_text(path), size) == QUARRY_OK;
  }
  [[nodiscard]] bool add_link(std::string_view path) {
    return tree_->add_link(tree_, as_text(path)) == QUARRY_OK;
  }
  [[nodiscard]] std::uint64_t file_limit() const { return tree_->file_limit; }
  [[nodiscard]] std::string_view scratch() { return as_view(tree_->scratch(tree_)); }

 private:
  const quarry_tree* tree_;
};

namespace detail {

template <class T>
concept Resolves = requires(T& type, const Call& call, std::string_view json) {
  { type.resolve(call, json) } -> std::convertible_to<Outcome<std::string>>;
};
template <class T>
concept ResolvesFromLast = requires(T& type, const Call& call, std::string_view json) {
  { type.resolve(call, json, json) } -> std::convertible_to<Outcome<std::string>>;
};
template <class T>
concept Fetches = requires(T& type, const Call& call, std::string_view json, Tree& tree) {
  { type.fetch(call, json, json, tree) } -> std::convertible_to<Outcome<std::string>>;
};
template <class T>
concept FetchesFromLast = requires(T& type, const Call& call, std::string_view json, Tree& tree) {
  { type.fetch(call, json, json, json, tree) } -> std::convertible_to<Outcome<std::string>>;
};

}  // namespace detail

/// Functions of a resource type's class; <quarry/resource.h> documents each. Resources, versions
/// and results are JSON text. `parse_reference(reference)` is optional; it and describe may take
/// the call first. resolve and fetch may take `last`, after the resource and after the version.
template <class T>
concept ResourceClass = requires(T& type, const Call& call, std::string_view json, Tree& tree) {
  requires detail::Describes<T>;
  { type.normalise(call, json) } -> std::convertible_to<Outcome<std::string>>;
  requires detail::Resolves<T> || detail::ResolvesFromLast<T>;
  requires detail::Fetches<T> || detail::FetchesFromLast<T>;
};

namespace detail {

template <class T>
concept HasParseReference = requires {
  &T::parse_reference;
};
template <class T>
concept ParsesReferences = requires(T& type, std::string_view reference) {
  { type.parse_reference(reference) } -> std::convertible_to<Outcome<std::string>>;
};
template <class T>
concept ParsesReferencesWithCall = requires(T& type, const Call& call, std::string_view reference) {
  { type.parse_reference(call, reference) } -> std::convertible_to<Outcome<std::string>>;
};

template <class T>
struct ResourceTable {
  static void normalise(void* instance, const quarry_call* call, quarry_text resource,
                        const quarry_reply* reply) noexcept {
    reply_with(reply, [&]() -> Outcome<std::string> {
      return self<T>(instance).normalise(Call(call), as_view(resource));
    });
  }
  static void resolve(void* instance, const quarry_call* call, quarry_text resource,
                      [[maybe_unused]] quarry_text last, const quarry_reply* reply) noexcept {
    reply_with(reply, [&]() -> Outcome<std::string> {
      if constexpr (ResolvesFromLast<T>) {
        return self<T>(instance).resolve(Call(call), as_view(resource), as_view(last));
      } else {
        return self<T>(instance).resolve(Call(call), as_view(resource));
      }
    });
  }
  static void fetch(void* instance, const quarry_call* call, quarry_text resource,
                    quarry_text version, [[maybe_unused]] quarry_text last, const quarry_tree* tree,
                    const quarry_reply* reply) noexcept {
    reply_with(reply, [&]() -> Outcome<std::string> {
      Tree files(tree);
      if constexpr (FetchesFromLast<T>) {
        return self<T>(instance).fetch(Call(call), as_view(resource), as_view(version),
                                       as_view(last), files);
      } else {
        return self<T>(instance).fetch(Call(call), as_view(resource), as_view(version), files);
      }
    });
  }
  static void parse_reference(void* instance, const quarry_call* call, quarry_text reference,
                              const quarry_reply* reply) noexcept {
    reply_with(reply, [&]() -> Outcome<std::string> {
      if constexpr (ParsesReferencesWithCall<T>) {
        return self<T>(instance).parse_reference(Call(call), as_view(reference));
      } else {
        return self<T>(instance).parse_reference(as_view(reference));
      }
    });
  }

  static constexpr bool kParsesReferences = ParsesReferences<T> || ParsesReferencesWithCall<T>;
  static_assert(kParsesReferences || !HasParseReference<T>,
                "parse_reference must take (const quarry::Call&, std::string_view reference), the "
                "call optional, and return JSON text");
  static constexpr auto parser() {
    if constexpr (kParsesReferences)
      return parse_reference;
    else
      return nullptr;
  }

  static constexpr quarry_resource_v1 kTable{
      sizeof(quarry_resource_v1), describe<T>, normalise, resolve, fetch, parser()};
};

}  // namespace detail

/// The component `name` of kind resource. `flags`: QUARRY_SERIAL or 0.
template <class T>
constexpr quarry_component resource(const char* name, std::uint32_t flags = 0) {
  static_assert(ResourceClass<T>,
                "a resource class needs describe(), normalise(call, resource), resolve(call, "
                "resource) and fetch(call, resource, version, tree), each giving JSON text");
  return detail::component<T>(QUARRY_RESOURCE, name, &detail::ResourceTable<T>::kTable, flags);
}

}  // namespace quarry

#endif
