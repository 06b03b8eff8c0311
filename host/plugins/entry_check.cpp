#include "plugins/entry_check.h"

#include "plugins/compose.h"

#include <quarry/draft/embedding.h>
#include <quarry/draft/rerank.h>
#include <quarry/draft/store.h>
#include <quarry/draft/symbols.h>
#include <quarry/model.h>
#include <quarry/pricing.h>
#include <quarry/resource.h>
#include <quarry/transport.h>

#include <algorithm>
#include <string_view>

namespace quarry::plugins {
namespace {

Error disagrees(const Manifest& manifest, std::string_view why) {
  return {Code::kInvalidArgument, compose("plugin {}: {}", manifest.id, why),
          "build it again with quarry_add_plugin, so that code and manifest agree"};
}

std::string_view text(const char* terminated) {
  return terminated == nullptr ? "" : terminated;
}

bool is_complete(const quarry_store_v1& store) {
  if (!QUARRY_HAS(&store, forget)) return false;
  const quarry_store_function functions[] = {
      store.open,           store.key,          store.create_project, store.projects,
      store.remove_project, store.create_token, store.tokens,         store.find_token,
      store.revoke_token,   store.resources,    store.add_resource,   store.remove_resource,
      store.exchange,       store.reserve,      store.settle,         store.end_session,
      store.record,         store.audit,        store.forget};
  return std::ranges::find(functions, nullptr) == std::end(functions);
}

/// Number of the functions of an exchange, six of them.
template <class Table>
int exchange_functions(const Table& table) {
  return (table.begin != nullptr) + (table.request != nullptr) + (table.head != nullptr) +
         (table.data != nullptr) + (table.end != nullptr) + (table.destroy_exchange != nullptr);
}

template <class Table>
bool is_exchanging(const void* given) {
  const auto& table = *static_cast<const Table*>(given);
  return QUARRY_HAS(&table, destroy_exchange) && table.describe && exchange_functions(table) == 6;
}

/// True if a table of `kind` has its required functions. Kinds unknown to this host are not used
/// and always pass.
bool is_complete(std::string_view kind, const void* table) {
  if (kind == QUARRY_RESOURCE) {
    const auto& resource = *static_cast<const quarry_resource_v1*>(table);
    return QUARRY_HAS(&resource, fetch) && resource.describe && resource.normalise &&
           resource.resolve && resource.fetch;
  }
  if (kind == QUARRY_MODEL) {
    const auto& model = *static_cast<const quarry_model_v1*>(table);
    if (!QUARRY_HAS(&model, destroy_exchange) || !model.describe) return false;
    const int exchange = exchange_functions(model);
    return model.generate ? exchange == 0 : exchange == 6;
  }
  if (kind == QUARRY_PRICING) {
    const auto& pricing = *static_cast<const quarry_pricing_v1*>(table);
    return QUARRY_HAS(&pricing, rates) && pricing.rates;
  }
  if (kind == QUARRY_EMBEDDING) return is_exchanging<quarry_embedding_v1>(table);
  if (kind == QUARRY_RERANK) return is_exchanging<quarry_rerank_v1>(table);
  if (kind == QUARRY_STORE) return is_complete(*static_cast<const quarry_store_v1*>(table));
  if (kind == QUARRY_SYMBOLS) {
    const auto& symbols = *static_cast<const quarry_symbols_v1*>(table);
    return QUARRY_HAS(&symbols, references) && symbols.describe && symbols.definitions &&
           symbols.references;
  }
  if (kind == QUARRY_TRANSPORT) {
    const auto& transport = *static_cast<const quarry_transport_v1*>(table);
    return QUARRY_HAS(&transport, stop) && transport.start && transport.stop;
  }
  return true;
}

Status check_component(const quarry_component* component, const Manifest& manifest) {
  if (component == nullptr || !QUARRY_HAS(component, destroy) || component->create == nullptr ||
      component->destroy == nullptr || component->table == nullptr) {
    return disagrees(manifest, "one of its components lacks its table, create or destroy");
  }
  const auto kind = text(component->kind);
  const auto name = text(component->name);
  const auto same = [&](const ManifestComponent& said) {
    return said.kind == kind && said.name == name;
  };
  if (std::ranges::count_if(manifest.components, same) != 1) {
    return disagrees(manifest, compose("it offers {} \"{}\", which its manifest does not list once",
                                       kind, name));
  }
  if (!is_complete(kind, component->table)) {
    return disagrees(
        manifest,
        compose("{} \"{}\" lacks a required function, or has those of two forms", kind, name));
  }
  return {};
}

Status check_identity(const quarry_entry& entry, const Manifest& manifest) {
  if (text(entry.id) != manifest.id) {
    return disagrees(manifest, compose("it calls itself \"{}\"", text(entry.id)));
  }
  if (text(entry.version) != manifest.version) {
    return disagrees(manifest, compose("it says version {}, its manifest {}", text(entry.version),
                                       manifest.version));
  }
  if (entry.abi_major != manifest.built_for.major || entry.abi_minor != manifest.built_for.minor ||
      entry.minimum_host_minor != manifest.minimum.minor) {
    return disagrees(manifest, "code and manifest name different versions of the plugin contract");
  }
  return {};
}

}  // namespace

Status check_entry(const quarry_entry& entry, const Manifest& manifest) {
  const AbiVersion built_for{entry.abi_major, entry.abi_minor};
  const AbiVersion minimum{entry.abi_major, entry.minimum_host_minor};
  if (auto fits = check_compatible(manifest.id, built_for, minimum); !fits) return fits;
  if (!QUARRY_HAS(&entry, components)) return disagrees(manifest, "its entry is too short");
  if (auto same = check_identity(entry, manifest); !same) return same;
  if (entry.component_count != manifest.components.size() || entry.components == nullptr) {
    return disagrees(manifest, compose("it offers {} components, its manifest lists {}",
                                       entry.component_count, manifest.components.size()));
  }
  for (std::uint32_t i = 0; i < entry.component_count; ++i) {
    const quarry_component* const component = entry.components[i];
    if (auto checked = check_component(component, manifest); !checked) return checked;
    const auto is_same = [&](const quarry_component* other) {
      return text(other->kind) == text(component->kind) &&
             text(other->name) == text(component->name);
    };
    if (std::any_of(entry.components, entry.components + i, is_same)) {
      return disagrees(manifest, "it offers the same component twice");
    }
  }
  return {};
}

}  // namespace quarry::plugins
