// The state of the host: the model, the providers, and what is wrong.

import { useState } from "preact/hooks";

import { api, HostState, Providers } from "./api";
import { ActionButton, plain, useLoaded, Waiting } from "./parts";

function ModelChoice({ providers, changed }: { providers: Providers; changed: () => void }) {
  const [provider, setProvider] = useState(providers.chosen?.provider ?? "");
  const [model, setModel] = useState(providers.chosen?.model ?? "");
  const [saved, setSaved] = useState("");
  const models = providers.all.find((one) => one.id === provider)?.models ?? [];
  const save = async () => {
    const { savedTo, hint } = await api.choose(provider, model);
    setSaved(`Saved to ${savedTo}.${hint ? ` ${hint}` : ""}`);
    changed();
  };
  return (
    <>
      <div class="field">
        <label for="provider">provider</label>
        <select id="provider" value={provider} onChange={(event) => { setProvider(event.currentTarget.value); setModel(""); }}>
          {!provider && <option value="">choose…</option>}
          {providers.all.map(({ id }) => <option value={id}>{id}</option>)}
        </select>
      </div>
      <div class="field">
        <label for="model">model</label>
        <input id="model" list="models" value={model} onInput={(event) => setModel(event.currentTarget.value)} placeholder="the provider's default" />
        <datalist id="models">{models.map((one) => <option value={one} />)}</datalist>
      </div>
      <p class="buttons"><ActionButton kind="main" action={save}>Use it</ActionButton></p>
      {saved && <p role="status">{saved}</p>}
    </>
  );
}

function bytes(count: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  for (; count >= 1024 && unit < units.length - 1; ++unit) count /= 1024;
  return `${count.toFixed(unit > 0 && count < 10 ? 1 : 0)} ${units[unit]}`;
}

function Host({ state }: { state: HostState }) {
  return (
    <>
      <p>
        {state.questions === 1 ? "1 question is" : `${state.questions} questions are`} being answered. Snapshots, indexes and
        caches take {bytes(state.cacheBytes)} of {bytes(state.cacheLimit)}.
      </p>
      <h2>Plugins</h2>
      <ul>
        {state.plugins.map((one) => (
          <li title={one.summary}>{one.id} <span class="quiet">{one.version}</span></li>
        ))}
      </ul>
    </>
  );
}

export function State() {
  const host = useLoaded(api.state);
  const ready = useLoaded(api.ready);
  const providers = useLoaded(api.providers);
  const service = useLoaded(api.service);
  return (
    <>
      <h1>State</h1>
      <Waiting loaded={service}>{({ version }) => <p>Quarry {version}</p>}</Waiting>
      <Waiting loaded={ready}>
        {({ problems }) => problems.length === 0
          ? <p class="good">Questions can be asked.</p>
          : <ul class="failure">{problems.map((one) => <li>{one}</li>)}</ul>}
      </Waiting>
      <Waiting loaded={host}>{(state) => <Host state={state} />}</Waiting>
      <h2>Models</h2>
      <Waiting loaded={providers}>
        {(all) => (
          <>
            <p>{all.chosen ? `${all.chosen.provider}/${all.chosen.model} answers.` : "No model can be asked."}</p>
            <ul>
              {all.providers.map((one) => (
                <li>
                  {plain(one.provider)}{one.model && `: ${plain(one.model)}`}{" "}
                  {one.reachable ? <span class="good">can be asked</span> : <span class="bad">{plain(one.reason ?? "cannot be asked")}</span>}
                </li>
              ))}
            </ul>
            <ModelChoice key={all.chosen?.provider} providers={all} changed={() => { providers.reload(); ready.reload(); }} />
          </>
        )}
      </Waiting>
    </>
  );
}
