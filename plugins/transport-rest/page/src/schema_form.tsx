// A form made of the JSON Schema of a resource type, a plugin's own included.

import { useState } from "preact/hooks";

import { FieldMistake, Resource, Schema } from "./api";

type Kind = "text" | "number" | "boolean" | "list" | "json";

function kindOf(schema: Schema): Kind {
  const types = ([] as string[]).concat(schema.type ?? "string");
  if (types.includes("boolean")) return "boolean";
  if (types.includes("integer") || types.includes("number")) return types.includes("string") ? "text" : "number";
  if (types.includes("array")) return ([] as string[]).concat(schema.items?.type ?? "string").includes("string") ? "list" : "json";
  return types.includes("object") ? "json" : "text";
}

/** The member that a field's text stands for; undefined if it is left to its default. */
function memberOf(schema: Schema, text: string): unknown {
  if (text.trim() === "") return undefined;
  switch (kindOf(schema)) {
    case "boolean":
      return text === "true";
    case "number":
      return Number.isNaN(Number(text)) ? text : Number(text);
    case "list":
      return text.split("\n").map((line) => line.trim()).filter(Boolean);
    case "json":
      try {
        return JSON.parse(text);
      } catch {
        return text; // the server says what is wrong
      }
    default:
      return text;
  }
}

/** The text of a field that stands for a member. */
function textOf(schema: Schema, member: unknown): string {
  if (member === undefined || member === null) return "";
  if (Array.isArray(member) && kindOf(schema) === "list") return member.join("\n");
  return typeof member === "object" ? JSON.stringify(member) : String(member);
}

const NAMES: Record<string, string> = { url: "URL", sha256: "SHA-256" };

/** A member's name in words: "searchPaths" is "Search paths". */
export function nameOf(member: string): string {
  const words = member.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
  return NAMES[words] ?? words[0].toUpperCase() + words.slice(1);
}

function hint(schema: Schema): string {
  const given = schema.defaultDescription ?? (schema.default !== undefined && schema.default !== null ? String(schema.default) : "");
  const standard = given.replace(/[`"]/g, "");
  const list = kindOf(schema) === "list" ? " One a line." : kindOf(schema) === "json" ? " As JSON." : "";
  return `${(schema.description ?? "").replace(/`/g, "")}${list}${standard ? ` Default: ${standard}.` : ""}`;
}

function Field(props: {
  name: string;
  schema: Schema;
  required: boolean;
  value: string;
  mistake?: string;
  change: (value: string) => void;
}) {
  const { name, schema, required, value, mistake, change } = props;
  const id = `field-${name}`;
  const kind = kindOf(schema);
  const common = {
    id, name, value, required,
    "aria-describedby": `${id}-hint`,
    "aria-invalid": mistake !== undefined,
    onInput: (event: Event) => change((event.currentTarget as HTMLInputElement).value),
  };
  return (
    <div class="field">
      <label for={id}>{nameOf(name)}{required && <span class="quiet"> (needed)</span>}</label>
      {kind === "boolean" || schema.enum ? (
        <select {...common}>
          {(!required || kind === "boolean") && <option value="">default</option>}
          {(schema.enum ?? ["true", "false"]).map((one) => <option value={one}>{one}</option>)}
        </select>
      ) : kind === "list" || kind === "json" ? (
        <textarea {...common} rows={2} />
      ) : (
        <input {...common} type="text" inputMode={kind === "number" ? "decimal" : undefined} maxLength={schema.maxLength} spellcheck={false} />
      )}
      <small id={`${id}-hint`}>
        {mistake && <strong class="bad">{mistake}. </strong>}
        {hint(schema)}
      </small>
    </div>
  );
}

/** `type` is described by `schema`, whose member "type" has it as its constant. */
export function SchemaForm(props: {
  schema: Schema;
  mistakes: FieldMistake[];
  submit: (members: Record<string, unknown>) => void;
  busy: boolean;
  /** Its members are the first values. */
  given?: Resource;
}) {
  const [values, setValues] = useState<Record<string, string>>(() => Object.fromEntries(
    Object.entries(props.schema.properties ?? {}).map(([name, schema]) => [name, textOf(schema, props.given?.[name])])));
  const properties = Object.entries(props.schema.properties ?? {}).filter(
    // A secret is named in the configuration file; the interface takes none.
    ([name, schema]) => name !== "type" && !schema.writeOnly,
  );
  const required = (name: string) => props.schema.required?.includes(name) ?? false;
  const rank = ([name]: [string, Schema]) => (name === "name" ? 0 : required(name) ? 1 : 2);
  properties.sort((a, b) => rank(a) - rank(b));
  const needed = properties.filter(([name]) => required(name));
  const optional = properties.filter(([name]) => !required(name));
  const field = ([name, schema]: [string, Schema]) => (
    <Field key={name} name={name} schema={schema} required={required(name)} value={values[name] ?? ""}
      mistake={props.mistakes.find((one) => one.field === `/${name}`)?.message}
      change={(value) => setValues((before) => ({ ...before, [name]: value }))} />
  );
  const submit = (event: Event) => {
    event.preventDefault();
    const members: Record<string, unknown> = {};
    for (const [name, schema] of properties) {
      const member = memberOf(schema, values[name] ?? "");
      if (member !== undefined) members[name] = member;
    }
    props.submit(members);
  };
  const mistaken = optional.some(([name]) => props.mistakes.some((one) => one.field === `/${name}`));
  return (
    <form class="schema" onSubmit={submit} noValidate>
      {needed.map(field)}
      {optional.length > 0 && (
        <details open={mistaken || needed.length === 0}>
          <summary>More settings</summary>
          {optional.map(field)}
        </details>
      )}
      <p class="buttons"><button type="submit" class="main" disabled={props.busy} aria-busy={props.busy}>Add</button></p>
    </form>
  );
}
