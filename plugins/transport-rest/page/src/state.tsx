// The state of the host: one line when all is well, and what is behind it.

import { useState } from "preact/hooks";

import { api, HostState, Providers, Service } from "./api";
import { ActionButton, bytes, counted, plain, useLoaded, Waiting } from "./parts";

function ModelChoice({ providers, changed }: { providers: Providers; changed: (text: string) => void }) {
  const [provider, setProvider] = useState(providers.chosen?.provider ?? "");
  const [model, setModel] = useState(providers.chosen?.model ?? "");
  const models = providers.all.find((one) => one.id === provider)?.models ?? [];
  const save = async () => {
    const { savedTo, hint } = await api.choose(provider, model);
    changed(`Saved to ${savedTo}.${hint ? ` ${hint}` : ""}`);
  };
  return (
    <>
      <div class="field">
        <label for="provider">Provider</label>
        <select id="provider" value={provider} onChange={(event) => { setProvider(event.currentTarget.value); setModel(""); }}>
          {!provider && <option value="">choose…</option>}
          {providers.all.map(({ id }) => <option value={id}>{id}</option>)}
        </select>
      </div>
      <div class="field">
        <label for="model">Model</label>
        <input id="model" list="models" value={model} onInput={(event) => setModel(event.currentTarget.value)} placeholder="the provider's default" />
        <datalist id="models">{models.map((one) => <option value={one} />)}</datalist>
      </div>
      <p class="buttons"><ActionButton kind="main" action={save}>Use it</ActionButton></p>
    </>
  );
}

function Line({ problems, host, service, answering }: { problems: string[]; host: HostState; service: Service; answering: string }) {
  return (
    <>
      {problems.length === 0
        ? <p class="well good"><span class="dot" /> <strong>All is well.</strong> {answering && `Questions can be asked; ${plain(answering)} answers.`}</p>
        : <div class="failure" role="alert"><ul>{problems.map((one) => <li>{one}</li>)}</ul></div>}
      <p class="facts">
        <span>Quarry {service.version}</span>
        <span>{host.questions === 1 ? "1 question is" : `${host.questions} questions are`} being answered</span>
        <span>{bytes(host.cacheBytes)} of {bytes(host.cacheLimit)} for snapshots, indexes and caches</span>
        <span>{counted(host.plugins.length, "plugin")}</span>
      </p>
    </>
  );
}

/** Those that can be asked; the others, of which most were never set up, are folded. */
function Models({ all, saved, changed }: { all: Providers; saved: string; changed: (text: string) => void }) {
  const reachable = all.providers.filter((one) => one.reachable);
  const others = all.providers.filter((one) => !one.reachable);
  return (
    <section class="card">
      <h2>Models</h2>
      <p>{all.chosen ? `${plain(all.chosen.provider)}/${plain(all.chosen.model)} answers.` : "No model can be asked."}</p>
      <ul>{reachable.map((one) => <li>{plain([one.provider, one.model].filter(Boolean).join("/"))} <span class="good">can be asked</span></li>)}</ul>
      {saved && <p role="status">{saved}</p>}
      <details>
        <summary>Choose another</summary>
        <ModelChoice key={all.chosen?.provider} providers={all} changed={changed} />
      </details>
      {others.length > 0 && (
        <details>
          <summary>{counted(others.length, "provider")} not set up</summary>
          <dl>{others.map((one) => (
            <><dt>{plain([one.provider, one.model].filter(Boolean).join("/"))}</dt>
              <dd class="quiet">{plain(one.reason ?? "cannot be asked")}</dd></>
          ))}</dl>
        </details>
      )}
    </section>
  );
}

export function State() {
  const loaded = useLoaded(async () => {
    const [host, ready, service] = await Promise.all([api.state(), api.ready(), api.service()]);
    return { host, ready, service };
  });
  const providers = useLoaded(api.providers);
  const [saved, setSaved] = useState("");
  const chosen = providers.value?.chosen;
  const changed = (text: string) => {
    setSaved(text);
    providers.reload();
    loaded.reload();
  };
  return (
    <>
      <h1>State</h1>
      <Waiting loaded={loaded}>
        {({ host, ready, service }) => (
          <Line problems={ready.problems} host={host} service={service} answering={chosen ? `${chosen.provider}/${chosen.model}` : ""} />
        )}
      </Waiting>
      <Waiting loaded={providers}>{(all) => <Models all={all} saved={saved} changed={changed} />}</Waiting>
      {loaded.value && (
        <details class="card">
          <summary>Plugins</summary>
          <dl>
            {loaded.value.host.plugins.map((one) => <><dt>{one.id} {one.version}</dt><dd class="quiet">{plain(one.summary)}</dd></>)}
          </dl>
        </details>
      )}
    </>
  );
}
