"""docs/configuration.md: its samples, and its tables of keys against the schemas."""

import json
import re
import unittest

from document_harness import DocumentCase
from harness import SOURCE

COLUMNS = "| key | type | default | meaning |"


def embedded(path):
    """The JSON that a C++ header holds in a raw string."""
    text = (SOURCE / path).read_text()
    return json.loads(re.search(r'R"json\((.*?)\)json"', text, re.S).group(1))


def schema_file(path):
    return json.loads((SOURCE / path).read_text())["properties"]


def source(*paths):
    return "\n".join((SOURCE / path).read_text() for path in paths)


def configuration_rules():
    """{heading: {key: JSON Schema}} of the host's own sections."""
    rules = {}
    for section, rule in embedded("host/config/config_schema.h")["properties"].items():
        if section in ("resource", "resource_type", "transport"):
            continue  # described by component
        if rule["type"] != "object":
            rules.setdefault("Top level", {})[section] = rule
        else:
            rules[f"`[{section}]`"] = dict(rule["properties"])
    return rules


def component_rules():
    """The same of the components that plugins add."""
    enabled = {"enabled": {"type": "boolean"}}
    rules = {
        "`[[resource]]`": embedded("host/base/resource_schema.h")["properties"],
        "`[pricing.static]`": enabled,
        '`[store]` with `provider = "sqlite"`': schema_file("plugins/store-sqlite/schema.json"),
        '`[store]` with `provider = "postgresql"`': schema_file(
            "plugins/store-postgresql/schema.json"),
        "`[transport.stdio]`": enabled | schema_file("plugins/transport-mcp/stdio_schema.json"),
    }
    for kind in ("local", "git", "npm"):
        folder = f"plugins/resource-{kind}"
        rules[f"`[[resource]]` of type `{kind}`"] = schema_file(f"{folder}/schema.json")
        if (SOURCE / folder / "configuration.json").exists():
            rules[f"`[resource_type.{kind}]`"] = schema_file(f"{folder}/configuration.json")
    for name in ("rest", "mcp"):
        rules[f"`[transport.{name}]`"] = enabled | schema_file(
            f"plugins/transport-{name}/schema.json")
    for name in ("models-dev", "genai-prices"):
        rules[f"`[pricing.{name}]`"] = enabled | schema_file(f"plugins/pricing-{name}/schema.json")
    return rules


def keys_in_code():
    """{heading: keys} of the sections whose schema is made in C++."""
    common = source("plugins/model_http/settings.cpp", "plugins/model_http/request_options.cpp")
    instance = re.search(r"for \(const char\* key : \{([^}]+)\}",
                         source("host/config/model_table.cpp")).group(1)
    rates = re.search(r"kRates = \{([^}]+)\}", source("plugins/pricing-static/static_prices.cpp"))
    added = r'properties\["(\w+)"\]'
    return {
        "`[model.<name>]`": re.findall(r'"(\w+)"', instance),
        "Options of model providers": re.findall(r'\{"([a-z_]+)",\s*\{\{"type"', common),
        "Options of `openai`": re.findall(added, source("plugins/model-openai/options.cpp")),
        "Options of `anthropic`": re.findall(added, source("plugins/model-anthropic/request.cpp")),
        "Options of `ollama`": re.findall(added, source("plugins/model-ollama/options.cpp")),
        '`[pricing.static."<provider>/<model>"]`': re.findall(r'"(\w+)"', rates.group(1)),
    }


def keys_of(sections):
    return {f"{heading} {key}" for heading, keys in sections.items() for key in keys}


def expected_in_type(rule):
    """Texts that the type cell of a key with this rule has to contain."""
    if "enum" in rule:
        return [json.dumps(value) for value in rule["enum"]]
    if "anyOf" in rule:
        return [word for choice in rule["anyOf"] for word in expected_in_type(choice)]
    words = {"integer": "integer", "number": "number", "boolean": "boolean", "string": "text",
             "array": "list", "object": "table"}
    kinds = rule["type"] if isinstance(rule["type"], list) else [rule["type"]]
    out = [words[kind] for kind in kinds if kind != "null"]
    if "minimum" in rule:
        least = rule["minimum"]
        out.append(f"{least} to {rule['maximum']}" if "maximum" in rule else f"at least {least}")
    out += [f"at most {rule['maxLength']} characters"] if "maxLength" in rule else []
    if "items" in rule:
        out += expected_in_type(rule["items"]) if "maxLength" in rule["items"] else []
        out += [str(rule["maxItems"])] if "maxItems" in rule else []
    return out


class Configuration(DocumentCase):
    document = "docs/configuration.md"

    def tables(self):
        """{heading: {key: (type, default)}} of every table of keys."""
        found = {}
        for part in re.split(r"^### ", self.text, flags=re.M)[1:]:
            heading, _, body = part.partition("\n")
            if COLUMNS not in body:
                continue
            rows = body.partition(COLUMNS)[2].strip().split("\n\n")[0].splitlines()[1:]
            cells = [[cell.strip() for cell in row.strip("|").split(" | ")] for row in rows]
            self.assertEqual({len(row) for row in cells}, {4}, heading)
            self.assertTrue(all(row[3].endswith(".") for row in cells), heading)
            found[heading] = {row[0].strip("` "): (row[1], row[2]) for row in cells}
            self.assertEqual(len(found[heading]), len(cells), f"a key stands twice: {heading}")
        return found

    def test_every_key_is_described_and_no_other(self):
        described = keys_of(self.tables())
        existing = keys_of(configuration_rules() | component_rules() | keys_in_code())
        self.assertEqual(existing - described, set(), "without a row")
        self.assertEqual(described - existing, set(), "of no schema")

    def test_types_and_ranges_are_those_of_the_schemas(self):
        tables = self.tables()
        for heading, rules in {**configuration_rules(), **component_rules()}.items():
            for key, rule in rules.items():
                described = tables[heading][key][0].replace(",", "")
                if described == "secret":
                    self.assertTrue(rule.get("writeOnly") or key in ("auth_token", "secrets_key")
                                    or "reference" in rule["description"], key)
                    continue
                for word in expected_in_type(rule):
                    self.assertIn(word, described, f"{heading} {key}")

    def test_defaults_are_those_of_the_schemas(self):
        tables = self.tables()
        for heading, rules in configuration_rules().items():
            for key, rule in rules.items():
                if "default" in rule:
                    self.assertEqual(tables[heading][key][1], f"`{rule['default']}`", key)
        for heading, path in (("`[[resource]]` of type `local`", "plugins/resource-local"),
                              ("`[[resource]]` of type `git`", "plugins/resource-git"),
                              ("`[[resource]]` of type `npm`", "plugins/resource-npm")):
            required = json.loads((SOURCE / path / "schema.json").read_text())["required"]
            self.assertEqual([key for key, (_, default) in tables[heading].items()
                              if default == "required"], required, heading)

    def test_every_sample_of_a_file_is_right(self):
        for word in ("plugin_path", "permalinks", "order ="):
            self.home.write("quarry.toml", self.take("toml", word).text)
            result = self.home.run("config", "check")
            self.assertEqual(result.returncode, 0, result.stderr)

    def test_the_commands_show_what_they_say(self):
        check, show, path = self.take("sh", "config check").commands()
        file = self.home.write("quarry.toml", "[model]\nmax_steps = 7\n")
        self.assertIn(str(file), self.run_shell(check))
        self.assertIn("max_steps = 7  # ", self.run_shell(show))
        self.assertEqual(self.run_shell(path).splitlines()[0], str(file))

    def test_layers_override_those_below(self):
        self.home.write("quarry.toml", '[model]\nprovider = "openai"\nname = "m"\n')
        shown = self.run_shell("QUARRY_MODEL_PROVIDER=extractive quarry config show")
        self.assertIn('provider = "extractive"', shown)
        self.assertNotIn("name", shown)
        shown = self.run_shell("QUARRY_MODEL_MAX_STEPS=3 quarry config show --set model.max_steps=4")
        self.assertIn("max_steps = 4", shown)

    def test_a_project_is_trusted_as_shown(self):
        trust, listed, revoke = self.take("sh", "quarry trust").commands()
        file = self.home.write("quarry.toml", '[log]\nlevel = "error"\n', trust=False)
        result = self.shell(trust)
        self.assertEqual(result.returncode, 3, "no terminal can confirm")
        self.assertIn("log.level", result.stdout)
        self.run_shell("quarry trust --yes")
        self.assertEqual(self.run_shell(listed), f"{file}\n")
        self.run_shell(revoke)
        self.assertEqual(self.shell("quarry resources").returncode, 3)

    def test_the_table_of_keys_without_trust_is_right(self):
        table = re.search(r"\| key \| without trust \|\n(.*?)\n\n", self.text, re.S).group(1)
        described = set()
        for row in table.splitlines()[1:-1]:
            section, *keys = re.findall(r"`([^`]+)`", row.split("|")[1])
            described.update(section.strip("[]") + "." + key for key in keys)
        existing = set()
        for section, rule in embedded("host/config/config_schema.h")["properties"].items():
            keys = rule.get("items", rule).get("properties", {})
            existing.update(f"{section}.{key}" for key, value in keys.items()
                            if "untrusted" in value)
        self.assertEqual(described, existing)

    def test_the_table_of_providers_is_right(self):
        table = self.text.partition("| provider | key | address | default model |")[2]
        rows = {row.split("`")[1]: row for row in table.partition("\n\n")[0].splitlines()[2:]}
        vendors = re.findall(r"inline constexpr Vendor .*?;", source("plugins/model-openai/vendor.h"),
                             re.S)
        self.assertEqual(len(vendors), 8)
        for vendor in vendors:
            facts = dict(re.findall(r'\.(\w+) = "([^"]*)"', vendor))
            for fact in ("base_url", "key_variable", "base_url_variable", "default_model"):
                self.assertIn(f"`{facts[fact]}`" if fact in facts else "", rows[facts["name"]])
        for name in ("anthropic", "gemini"):
            constants = source(f"plugins/model-{name}/plugin.cpp")
            default = re.search(r'kDefaultModel = "([^"]+)"', constants).group(1)
            self.assertIn(f"`{default}`", rows[name])
        listed = json.loads(self.run_shell("quarry models --json"))
        self.assertEqual(sorted(rows), sorted(entry["id"] for entry in listed["all"]))


if __name__ == "__main__":
    unittest.main()
