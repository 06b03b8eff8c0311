// The resources: their state, and how to add, update and remove one.

import { useEffect, useRef, useState } from "preact/hooks";

import { api, ApiError, isForTokens, Kept, Resource, Schema, SyncRow } from "./api";
import { useRight } from "./caller";
import { ActionButton, age, bytes, counted, day, Failure, Loaded, plain, short, useLoaded, Waiting } from "./parts";
import { fileAddress } from "./route";
import { nameOf, SchemaForm } from "./schema_form";

const typeOf = (schema: Schema) => schema.properties?.type?.const ?? "";

/** A reference becomes a form that is filled in. */
function Recognise({ found }: { found: (resource: Resource) => void }) {
  const [text, setText] = useState("");
  const [state, setState] = useState<{ busy?: boolean; error?: unknown }>({});
  const run = async (reference: string) => {
    if (!reference.trim()) return;
    setState({ busy: true });
    try {
      found(await api.recognise(reference.trim()));
      setText("");
      setState({});
    } catch (error) {
      setState({ error });
    }
  };
  const paste = (event: ClipboardEvent) => {
    const pasted = event.clipboardData?.getData("text") ?? "";
    if (text === "" && pasted.trim()) {
      event.preventDefault();
      setText(pasted.trim());
      run(pasted);
    }
  };
  return (
    <form onSubmit={(event) => { event.preventDefault(); run(text); }}>
      <div class="field">
        <label for="reference">Paste a link, a package or a folder</label>
        <div class="buttons">
          <input id="reference" type="text" value={text} placeholder="https://github.com/owner/name, npm:zod, ~/notes" spellcheck={false} autocomplete="off"
            onInput={(event) => setText(event.currentTarget.value)} onPaste={paste} />
          <button type="submit" class="plainly" disabled={state.busy} aria-busy={state.busy}>{state.busy ? "Looking…" : "Recognise"}</button>
        </div>
      </div>
      {state.error !== undefined && <Failure error={state.error} />}
    </form>
  );
}

function AddResource({ added }: { added: () => void }) {
  const schemas = useLoaded(api.schemas);
  const [type, setType] = useState("");
  const [given, setGiven] = useState<{ resource?: Resource; number: number }>({ number: 0 });
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const add = async (members: Record<string, unknown>) => {
    setBusy(true);
    setError(undefined);
    try {
      await api.add({ ...members, type });
      setType("");
      setGiven(({ number }) => ({ number: number + 1 }));
      added();
    } catch (failure) {
      setError(failure);
    }
    setBusy(false);
  };
  const found = (resource: Resource) => {
    setType(resource.type);
    setGiven(({ number }) => ({ resource, number: number + 1 }));
    setError(undefined);
  };
  return (
    <section aria-labelledby="add" class="card">
      <h2 id="add">Add a resource</h2>
      {!isForTokens && <Recognise found={found} />}
      <Waiting loaded={schemas}>
        {(all) => {
          const schema = all.find((one) => typeOf(one) === type);
          return (
            <>
              <div class="field">
                <label for="type">{isForTokens ? "Its type" : "Or choose its type"}</label>
                <select id="type" value={type} onChange={(event) => { setType(event.currentTarget.value); setGiven(({ number }) => ({ number: number + 1 })); setError(undefined); }}>
                  <option value="">choose…</option>
                  {all.map((one) => <option value={typeOf(one)}>{typeOf(one)}</option>)}
                </select>
                {schema?.description && <small>{schema.description}</small>}
              </div>
              {schema && (
                <SchemaForm key={`${type} ${given.number}`} schema={schema} busy={busy} submit={add} given={given.resource}
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
          <dt>version</dt><dd title={state.version}>{plain(state.display)}{!state.display.includes(state.version) && ` (${short(state.version)})`}</dd>
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

/** What is there of a resource, before it is opened: `kept` is undefined while nothing is. */
function KeptFacts({ kept }: { kept?: Kept }) {
  if (!kept) return <span>not read yet</span>;
  return (
    <>
      <span title={plain(kept.version)}>{kept.display.startsWith("/") ? `at ${short(kept.version)}` : plain(kept.display)}</span>
      <span>{counted(kept.files, "file")}, {bytes(kept.bytes)}</span>
      <span title={day(kept.currentAt)}>read {age(kept.currentAt)}</span>
    </>
  );
}

function Row({ resource, kept, changed }: { resource: Resource; kept: Loaded<Kept[]>; changed: () => void }) {
  const [open, setOpen] = useState(false);
  const [synced, setSynced] = useState<SyncRow>();
  const mayUpdate = useRight("read") && !resource.shared;
  const members = Object.entries(resource).filter(([key, value]) => !HIDDEN.includes(key) && value !== null && value !== "");
  const sync = async () => {
    const [row] = await api.sync(resource.name);
    if (row?.error) throw new ApiError(502, "", row.error.message, row.error.hint);
    setSynced(row);
    kept.reload();
  };
  return (
    <li class="card">
      <header>
        <h2>{plain(resource.name)}</h2> <span class="quiet">{resource.type}{resource.shared ? ", shared by the owner" : ""}</span>
        <span class="buttons">
          <a href={`#/ask/${encodeURIComponent(resource.name)}`} aria-label={`Ask ${resource.name}`}>Ask</a>
          {!isForTokens && <a href={fileAddress(resource.name, "")} aria-label={`Files of ${resource.name}`}>Files</a>}
          {mayUpdate && <ActionButton action={sync} label={`Update ${resource.name}`}>Update</ActionButton>}
          {!isForTokens && <ActionButton action={async () => { await api.remove(resource.name); changed(); }} kind="danger"
            label={`Remove ${resource.name}`} confirm="Remove it?">Remove</ActionButton>}
        </span>
      </header>
      <p class="facts">
        {kept.value && !isForTokens && <KeptFacts kept={kept.value.find(({ name }) => name === resource.name)} />}
        {members.map(([key, value]) => <span>{key === "specialNotes" ? "" : `${nameOf(key)}: `}{plain(typeof value === "string" ? value : JSON.stringify(value))}</span>)}
      </p>
      {synced && (
        <p role="status">{synced.changed ? "Updated" : "No change"}: {plain(synced.display ?? "")}
          {synced.fetchedAt && <span title={day(synced.fetchedAt)}>, fetched {age(synced.fetchedAt)}</span>}</p>
      )}
      {!isForTokens && (
        <details onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary class="quiet">Notes and what is left out</summary>
          {open && <Details name={resource.name} />}
        </details>
      )}
    </li>
  );
}

const MANY = 8; // resources that need no filter

export function Resources({ resources }: { resources: Loaded<Resource[]> }) {
  const mayAdd = useRight("add");
  const [wanted, setWanted] = useState("");
  const kept = useLoaded(async () => (isForTokens ? [] : api.kept()), [resources.value]);
  const heading = useRef<HTMLHeadingElement>(null);
  const count = resources.value?.length;
  const before = useRef(count);
  // A row that is removed takes the focus with it.
  useEffect(() => {
    if (before.current !== undefined && count !== undefined && count < before.current) heading.current?.focus();
    before.current = count;
  }, [count]);
  return (
    <>
      <div class="titled">
        <h1 ref={heading} tabIndex={-1}>Resources</h1>
        {count !== undefined && count > MANY && (
          <input type="search" aria-label="Filter resources" placeholder={`Filter ${counted(count, "resource")}`} value={wanted}
            onInput={(event) => setWanted(event.currentTarget.value)} />
        )}
      </div>
      {mayAdd && count === 0 && <AddResource added={resources.reload} />}
      <Waiting loaded={resources}>
        {(all) => all.length === 0
          ? <p>There is none yet.</p>
          : (
            <ul class="cards">
              {all.filter((one) => JSON.stringify(one).toLowerCase().includes(wanted.toLowerCase()))
                .map((one) => <Row key={one.name} resource={one} kept={kept} changed={resources.reload} />)}
            </ul>
          )}
      </Waiting>
      {mayAdd && count !== 0 && <AddResource added={resources.reload} />}
    </>
  );
}
