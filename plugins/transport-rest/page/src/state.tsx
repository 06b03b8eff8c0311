// The state of the host: the model, the providers, and what is wrong.

import { useState } from "preact/hooks";

import { api, Providers } from "./api";
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

export function State() {
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
