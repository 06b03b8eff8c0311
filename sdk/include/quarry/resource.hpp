/// quarry.resource/1 for C++: a class with the functions below is a type of resource.
#ifndef QUARRY_RESOURCE_HPP
#define QUARRY_RESOURCE_HPP

#include <quarry/host.hpp>
#include <quarry/resource.h>

#include <concepts>

namespace quarry {

/// Receives the files of a fetch. When a function returns false, return: the host writes the
/// failure's message.
class Tree {
 public:
  explicit Tree(const quarry_tree* tree) : tree_(tree) {}
  [[nodiscard]] bool add_file(std::string_view path, std::string_view bytes) {
    return tree_->add_file(tree_, as_text(path), as_text(bytes)) == QUARRY_OK;
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

/// Functions of a resource type's class; <quarry/resource.h> documents each. Resources, versions
/// and results are JSON text. `parse_reference(reference)` is optional.
template <class T>
concept ResourceClass = requires(T& type, const Call& call, std::string_view json, Tree& tree) {
  { type.describe() } -> std::convertible_to<Outcome<std::string>>;
  { type.normalise(call, json) } -> std::convertible_to<Outcome<std::string>>;
  { type.resolve(call, json) } -> std::convertible_to<Outcome<std::string>>;
  { type.fetch(call, json, json, tree) } -> std::convertible_to<Outcome<std::string>>;
};

namespace detail {

template <class T>
struct ResourceTable {
  static void describe(void* instance, const quarry_reply* reply) noexcept {
    reply_with(reply, [&]() -> Outcome<std::string> { return self<T>(instance).describe(); });
  }
  static void normalise(void* instance, const quarry_call* call, quarry_text resource,
                        const quarry_reply* reply) noexcept {
    reply_with(reply, [&]() -> Outcome<std::string> {
      return self<T>(instance).normalise(Call(call), as_view(resource));
    });
  }
  static void resolve(void* instance, const quarry_call* call, quarry_text resource,
                      const quarry_reply* reply) noexcept {
    reply_with(reply, [&]() -> Outcome<std::string> {
      return self<T>(instance).resolve(Call(call), as_view(resource));
    });
  }
  static void fetch(void* instance, const quarry_call* call, quarry_text resource,
                    quarry_text version, const quarry_tree* tree,
                    const quarry_reply* reply) noexcept {
    reply_with(reply, [&]() -> Outcome<std::string> {
      Tree files(tree);
      return self<T>(instance).fetch(Call(call), as_view(resource), as_view(version), files);
    });
  }
  static void parse_reference(void* instance, quarry_text reference,
                              const quarry_reply* reply) noexcept {
    reply_with(reply, [&]() -> Outcome<std::string> {
      if constexpr (requires(T & type) { type.parse_reference(as_view(reference)); }) {
        return self<T>(instance).parse_reference(as_view(reference));
      } else {
        return std::string("null");
      }
    });
  }

  static constexpr quarry_resource_v1 kTable{
      sizeof(quarry_resource_v1), describe, normalise, resolve, fetch, parse_reference};
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
