// The resources: their state, and how to add, update and remove one.

import { useState } from "preact/hooks";

import { api, ApiError, isForTokens, Resource, Schema, SyncRow } from "./api";
import { useRight } from "./caller";
import { ActionButton, day, Failure, plain, useLoaded, Waiting } from "./parts";
import { SchemaForm } from "./schema_form";

const typeOf = (schema: Schema) => schema.properties?.type?.const ?? "";

function AddResource({ added }: { added: () => void }) {
  const schemas = useLoaded(api.schemas);
  const [type, setType] = useState("");
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const add = async (members: Record<string, unknown>) => {
    setBusy(true);
    setError(undefined);
    try {
      await api.add({ ...members, type });
      setType("");
      added();
    } catch (failure) {
      setError(failure);
    }
    setBusy(false);
  };
  return (
    <section aria-labelledby="add">
      <h2 id="add">Add a resource</h2>
      <Waiting loaded={schemas}>
        {(all) => {
          const schema = all.find((one) => typeOf(one) === type);
          return (
            <>
              <div class="field">
                <label for="type">type</label>
                <select id="type" value={type} onChange={(event) => { setType(event.currentTarget.value); setError(undefined); }}>
                  <option value="">choose…</option>
                  {all.map((one) => <option value={typeOf(one)}>{typeOf(one)}</option>)}
                </select>
                {schema?.description && <small>{schema.description}</small>}
              </div>
              {schema && (
                <SchemaForm key={type} schema={schema} busy={busy} submit={add}
                  mistakes={error instanceof ApiError ? error.details ?? [] : []} />
              )}
              {error !== undefined && <Failure error={error} />}
            </>
          );
        }}
      </Waiting>
    </section>
  );
}

function Details({ name }: { name: string }) {
  const loaded = useLoaded(() => api.resource(name), [name]);
  return (
    <Waiting loaded={loaded}>
      {(state) => (
        <dl>
          <dt>version</dt><dd>{plain(state.display)}</dd>
          <dt>files</dt><dd>{state.files.toLocaleString()}</dd>
          {state.folder && <><dt>folder</dt><dd>{plain(state.folder)}</dd></>}
          {state.notes.length > 0 && <><dt>notes</dt><dd>{state.notes.map((note) => <p>{note}</p>)}</dd></>}
          {state.leftOut.length > 0 && (
            <><dt>left out</dt><dd><ul>{state.leftOut.map((one) => (
              <li>{one.entries.toLocaleString()} by {plain(one.rule)}, such as {plain(one.examples[0] ?? "")}</li>
            ))}</ul></dd></>
          )}
        </dl>
      )}
    </Waiting>
  );
}

const HIDDEN = ["name", "type", "shared"];

function Row({ resource, changed }: { resource: Resource; changed: () => void }) {
  const [open, setOpen] = useState(false);
  const [synced, setSynced] = useState<SyncRow>();
  const mayUpdate = useRight("read") && !resource.shared;
  const members = Object.entries(resource).filter(([key, value]) => !HIDDEN.includes(key) && value !== null && value !== "");
  const sync = async () => {
    const [row] = await api.sync(resource.name);
    if (row?.error) throw new ApiError(502, "", row.error.message, row.error.hint);
    setSynced(row);
  };
  return (
    <li class="card">
      <header>
        <h2>{plain(resource.name)}</h2> <span class="quiet">{resource.type}{resource.shared ? ", shared by the owner" : ""}</span>
        <span class="buttons">
          <a href="#/ask">ask</a>
          {mayUpdate && <ActionButton action={sync} label={`Update ${resource.name}`}>Update</ActionButton>}
          {!isForTokens && <ActionButton action={async () => { await api.remove(resource.name); changed(); }} kind="danger"
            label={`Remove ${resource.name}`} confirm="Remove it?">Remove</ActionButton>}
        </span>
      </header>
      <p class="facts">
        {members.map(([key, value]) => <span>{key}: {plain(typeof value === "string" ? value : JSON.stringify(value))}</span>)}
      </p>
      {synced && (
        <p role="status">{synced.changed ? "Updated" : "No change"}: {plain(synced.display ?? "")}
          {synced.fetchedAt && `, of ${day(synced.fetchedAt)}`}</p>
      )}
      {!isForTokens && (
        <details onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>State</summary>
          {open && <Details name={resource.name} />}
        </details>
      )}
    </li>
  );
}

export function Resources() {
  const resources = useLoaded(api.resources);
  const mayAdd = useRight("add");
  return (
    <>
      <h1>Resources</h1>
      <Waiting loaded={resources}>
        {(all) => all.length === 0
          ? <p>There is none yet.</p>
          : <ul class="cards">{all.map((one) => <Row key={one.name} resource={one} changed={resources.reload} />)}</ul>}
      </Waiting>
      {mayAdd && <AddResource added={resources.reload} />}
    </>
  );
}
