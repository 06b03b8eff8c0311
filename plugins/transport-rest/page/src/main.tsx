// The frame of the page: navigation, the view of the address, and the question for a token.

import { render } from "preact";
import { useState } from "preact/hooks";

import { api, ApiError, isForTokens, Service, useProject, useToken } from "./api";
import { Caller } from "./caller";
import { Conversation } from "./conversation";
import { Conversations } from "./conversations";
import { Costs } from "./costs";
import { Failure, useLoaded, Waiting } from "./parts";
import { Resources } from "./resources";
import { useRoute } from "./route";
import { State } from "./state";

const VIEWS = isForTokens
  ? [["ask", "Ask"], ["resources", "Resources"]]
  : [["ask", "Ask"], ["conversations", "Conversations"], ["resources", "Resources"], ["costs", "Costs"], ["state", "State"]];

function View({ route, count }: { route: string[]; count: number }) {
  const isKnown = route[0] === "c" || VIEWS.some(([name]) => name === route[0]);
  switch (isKnown ? route[0] : "ask") {
    case "c":
      return <Conversation key={`${route[1]} ${count}`} thread={route[1]} questionId={route[2]} />;
    case "conversations":
      return <Conversations />;
    case "resources":
      return <Resources />;
    case "costs":
      return <Costs />;
    case "state":
      return <State />;
    default:
      return <Conversation key={`new ${count}`} />;
  }
}

function SignIn({ error, enter }: { error: unknown; enter: () => void }) {
  const [token, setToken] = useState("");
  const [tried, setTried] = useState(false);
  const submit = (event: Event) => {
    event.preventDefault();
    useToken(token.trim());
    setTried(true);
    enter();
  };
  return (
    <main>
      <h1>Quarry</h1>
      <form onSubmit={submit}>
        <div class="field">
          <label for="token">{isForTokens ? "Your token" : "Token of this server"}</label>
          <input id="token" type="password" autocomplete="off" value={token} onInput={(event) => setToken(event.currentTarget.value)} />
          <small>
            {isForTokens ? "From the owner of this server." : "The value of auth_token."} The page forgets it when it is closed.
          </small>
        </div>
        <p class="buttons"><button type="submit" class="main">Enter</button></p>
      </form>
      {tried && <Failure error={error} />}
    </main>
  );
}

/** The project of the caller's token that everything is about. */
function ProjectChooser({ caller, chosen, choose }: { caller: Service; chosen: string; choose: (name: string) => void }) {
  const { projects = [], project = "" } = caller;
  if (projects.length < 2) return project ? <span class="quiet">{project}</span> : null;
  return (
    <label class="project">
      Project{" "}
      <select value={chosen || project} onChange={(event) => choose(event.currentTarget.value)}>
        {projects.map((name) => <option value={name}>{name}</option>)}
      </select>
    </label>
  );
}

function Page() {
  const [route, count] = useRoute();
  const [project, setProject] = useState("");
  const service = useLoaded(api.service);
  const choose = (name: string) => {
    useProject(name);
    setProject(name);
    location.hash = "/ask";
  };
  if (service.error instanceof ApiError && service.error.status === 401) {
    return <SignIn error={service.error} enter={service.reload} />;
  }
  const view = VIEWS.some(([name]) => name === route[0]) ? route[0] : "ask";
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); document.querySelector<HTMLElement>("main")?.focus(); }}>
        To the content
      </a>
      <nav aria-label="views">
        {VIEWS.map(([name, title]) => (
          <a href={`#/${name}`} aria-current={name === view ? "page" : undefined}>{title}</a>
        ))}
        {service.value && <ProjectChooser caller={service.value} chosen={project} choose={choose} />}
      </nav>
      <main id="main" tabIndex={-1}>
        <Waiting loaded={service}>
          {(caller) => <Caller.Provider value={caller}><View key={project} route={route} count={count} /></Caller.Provider>}
        </Waiting>
      </main>
    </>
  );
}

const root = document.getElementById("page")!;
root.replaceChildren(); // what was shown while this file came
render(<Page />, root);
