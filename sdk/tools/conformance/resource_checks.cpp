// Groups calls and resource: the functions of resource types.

#include "conformance/checks.h"
#include "plugins/compose.h"

#include <utility>

namespace quarry::conformance {
namespace {

using plugins::compose;
using plugins::ResourceType;

/// The canonical form of an example, or the verdict about its failure.
struct Canonical {
  Json resource;
  Verdict verdict;
};

Verdict refused(const Example& example, const Error& error) {
  if (error.code != Code::kInvalidArgument || example.from == Example::From::kSchema) {
    return judge(error);
  }
  return fails(compose("normalise refused {}: {}", to_text(example.resource), error.message),
               example.from == Example::From::kOption ? "correct the resource of --resource"
                                                      : "correct the example of the schema");
}

Canonical normalised(Trial& trial, const Made& made, ResourceType& type, const Example& example) {
  trial.at(made, "normalise", to_text(example.resource));
  auto canonical = type.normalise({}, example.resource);
  if (!canonical) return {{}, refused(example, canonical.error())};
  (*canonical)["type"] = example.resource["type"];
  (*canonical)["name"] = example.resource["name"];
  return {std::move(*canonical), {}};
}

using ResolvedCheck = std::function<Verdict(const Made&, ResourceType&, const Json& resource,
                                            const plugins::ResourceVersion&)>;

/// Runs `check` for each resource type whose example can be resolved here.
Verdict for_each_resolved(Trial& trial, const ResolvedCheck& check) {
  return for_each_resource(
      trial, [&](const Made& made, ResourceType& type, const Example& example, Generation&) {
        const auto [resource, verdict] = normalised(trial, made, type, example);
        if (verdict.outcome != Outcome::kPass) return verdict;
        trial.at(made, "resolve");
        const auto version = type.resolve({}, resource, {});
        return version ? check(made, type, resource, *version) : judge(version.error());
      });
}

Result<plugins::ResourceMetadata> fetched(Trial& trial, const Made& made, ResourceType& type,
                                          const Json& resource,
                                          const plugins::ResourceVersion& version,
                                          FetchedFiles& tree) {
  trial.at(made, "fetch");
  return type.fetch({}, resource, version, {}, tree);
}

/// A path may be recognised only where it exists.
bool depends_on_files(std::string_view reference) {
  return reference.starts_with('.') || reference.starts_with('/') || reference.starts_with('~');
}

Verdict judge_fetch(const Error& error) {
  if (error.code != Code::kInvalidArgument) return judge(error);
  return fails(error.message, "add files with relative paths, without \"..\" and NUL");
}

}  // namespace

Verdict normalise_replies(Trial& trial) {
  return for_each_resource(
      trial, [&](const Made& made, ResourceType& type, const Example& example, Generation&) {
        return normalised(trial, made, type, example).verdict;
      });
}

Verdict normalise_stable(Trial& trial) {
  return for_each_resource(
      trial, [&](const Made& made, ResourceType& type, const Example& example, Generation&) {
        const auto [resource, verdict] = normalised(trial, made, type, example);
        if (verdict.outcome != Outcome::kPass) return verdict;
        auto again = type.normalise({}, resource);
        if (again) {
          (*again)["type"] = resource["type"];
          (*again)["name"] = resource["name"];
          if (*again == resource) return Verdict();
        }
        return fails(compose("normalise turned {} into {}", to_text(resource),
                             again ? to_text(*again) : "a failure: " + again.error().message),
                     "reply with the same text for a resource that is canonical");
      });
}

Verdict normalise_offline(Trial& trial) {
  return for_each_resource(trial, [&](const Made& made, ResourceType& type, const Example& example,
                                      Generation& generation) {
    const int before = generation.host.requests();
    static_cast<void>(normalised(trial, made, type, example));
    if (generation.host.requests() == before) return Verdict();
    return fails("normalise used the HTTP service", "use the network in resolve");
  });
}

Verdict resolve_replies(Trial& trial) {
  return for_each_resolved(trial, [](const auto&...) { return Verdict(); });
}

Verdict resolve_takes_last(Trial& trial) {
  return for_each_resolved(trial, [&](const Made& made, ResourceType& type, const Json& resource,
                                      const plugins::ResourceVersion& version) {
    FetchedFiles tree({.scratch = trial.directory() / "scratch"});
    const auto metadata = fetched(trial, made, type, resource, version, tree);
    if (!metadata) return judge(metadata.error());
    trial.at(made, "resolve with the last version");
    const auto next = type.resolve({}, resource, {version.text, metadata->state});
    if (next) return Verdict();
    return fails(
        "resolve failed with the version and state of the last snapshot: " + next.error().message,
        "accept `last` as resolve and fetch returned it");
  });
}

Verdict fetch_replies(Trial& trial) {
  return for_each_resolved(trial, [&](const Made& made, ResourceType& type, const Json& resource,
                                      const plugins::ResourceVersion& version) {
    FetchedFiles tree({.scratch = trial.directory() / "scratch"});
    const auto metadata = fetched(trial, made, type, resource, version, tree);
    return metadata ? Verdict() : judge_fetch(metadata.error());
  });
}

Verdict fetch_repeats(Trial& trial) {
  return for_each_resolved(trial, [&](const Made& made, ResourceType& type, const Json& resource,
                                      const plugins::ResourceVersion& version) {
    FetchedFiles first({.scratch = trial.directory() / "scratch"});
    FetchedFiles second({.scratch = trial.directory() / "scratch 2"});
    const auto metadata = fetched(trial, made, type, resource, version, first);
    if (!metadata) return judge(metadata.error());
    const auto again = fetched(trial, made, type, resource, version, second);
    const bool is_same =
        first.files() == second.files() && first.in_place().empty() == second.in_place().empty();
    if (again && is_same) return Verdict();
    return fails(again ? compose("fetch gave {} files, and for the same version {} others",
                                 first.files().size(), second.files().size())
                       : "fetch succeeded once and not twice: " + again.error().message,
                 "give the same files for the same version");
  });
}

Verdict fetch_heeds_refusal(Trial& trial) {
  return for_each_resolved(trial, [&](const Made& made, ResourceType& type, const Json& resource,
                                      const plugins::ResourceVersion& version) {
    FetchedFiles full({.scratch = trial.directory() / "scratch", .most = 0});
    trial.at(made, "fetch into a tree that accepts no file");
    const auto metadata = type.fetch({}, resource, version, {}, full);
    if (metadata || metadata.error().code != Code::kInternal) return Verdict();
    return fails(metadata.error().message, "return when the tree refuses a file, with a failure");
  });
}

Verdict parse_reference_replies(Trial& trial) {
  return for_each_resource(
      trial, [&](const Made& made, ResourceType& type, const Example&, Generation&) {
        trial.at(made, "parse_reference");
        const auto parsed = type.parse_reference({}, "https://example.org/a/b");
        return parsed || parsed.error().code != Code::kInternal ? Verdict() : judge(parsed.error());
      });
}

Verdict examples_recognised(Trial& trial) {
  return for_each_resource(
      trial, [&](const Made& made, ResourceType& type, const Example&, Generation&) {
        if (type.describe().examples.empty()) return skips("its description has no examples");
        for (const auto& reference : type.describe().examples) {
          if (depends_on_files(reference)) continue;
          trial.at(made, "parse_reference", reference);
          const auto parsed = type.parse_reference({}, reference);
          if (parsed && *parsed) continue;
          return fails(compose("its own example \"{}\" is no reference for it{}{}", reference,
                               parsed ? "" : ": ", parsed ? "" : parsed.error().message),
                       "correct the examples of describe, or parse_reference");
        }
        return Verdict();
      });
}

Verdict strange_references_survived(Trial& trial) {
  return for_each_resource(
      trial, [&](const Made& made, ResourceType& type, const Example&, Generation&) {
        for (const std::string& reference :
             {std::string(), std::string(":"), std::string("://"), std::string(5000, 'a'),
              std::string("\xE2\x80\xAE\xF0\x9F\xAA\xA8"), std::string("a\nb\tc"),
              std::string(made.component->name) + ":", std::string("https://[::1"),
              std::string("../../x"), std::string("@/@/@"), std::string("%00%ff")}) {
          trial.at(made, "parse_reference", reference);
          const auto parsed = type.parse_reference({}, reference);
          if (parsed || parsed.error().code != Code::kInternal) continue;
          return fails(compose("for the reference \"{}\": {}", reference, parsed.error().message),
                       "reply with null for a text that is no reference of this type");
        }
        return Verdict();
      });
}

}  // namespace quarry::conformance
