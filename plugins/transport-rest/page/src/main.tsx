// The frame of the page: the rail, the view of the address, and the question for a token.

import { render } from "preact";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";

import { api, ApiError, isForTokens, Service, useProject, useToken } from "./api";
import { Caller } from "./caller";
import { Conversation, newThread } from "./conversation";
import { Costs } from "./costs";
import { Files } from "./files";
import { Icon } from "./icons";
import { Failure, useLoaded, Waiting } from "./parts";
import { Rail } from "./rail";
import { Resources } from "./resources";
import { useRoute } from "./route";
import { State } from "./state";
import { useStoredTheme } from "./theme";

const VIEWS = isForTokens ? ["resources"] : ["resources", "costs", "state", "files"];

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
    <main class="sign">
      <h1><Icon name="quarry" size={28} /> Quarry</h1>
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
      {tried && error instanceof ApiError && error.status === 401
        ? <Failure error={new Error("This token is not valid here.")} />
        : tried && <Failure error={error} />}
    </main>
  );
}

/** The conversation that is kept while other views are shown. */
interface Kept {
  thread: string;
  isNew: boolean;
  scope: string[];
  count: number;
}

/** Stays the same until the address names another conversation, or a new one. */
function useKept(route: string[], count: number): Kept {
  const kept = useRef<Kept | undefined>(undefined);
  const [view, thread] = route;
  const before = kept.current;
  if (view === "c" && thread !== before?.thread) {
    kept.current = { thread, isNew: false, scope: [], count };
  } else if (!before || (before.count !== count && view !== "c" && !VIEWS.includes(view))) {
    // "#/ask/<resource>" asks one.
    kept.current = { thread: newThread(), isNew: true, scope: view === "ask" ? route.slice(1, 2) : [], count };
  }
  return kept.current!;
}

function Main({ caller, project, choose }: { caller: Service; project: string; choose: (name: string) => void }) {
  const [route, count] = useRoute();
  const kept = useKept(route, count);
  const [current, setCurrent] = useState({ thread: "", title: "", running: false });
  const [round, setRound] = useState(0);
  const [menu, setMenu] = useState(false);
  const resources = useLoaded(api.resources, [round]);
  const threads = useLoaded(async () => (isForTokens ? [] : api.threads()), [round]);
  const view = VIEWS.includes(route[0]) ? route[0] : route[0] === "c" ? "c" : "ask";
  const changed = useCallback((thread: string, title: string, running: boolean) => {
    setCurrent({ thread, title, running });
    if (!running) setRound((before) => before + 1);
  }, []);
  useEffect(() => setMenu(false), [count]);
  const isShown = !VIEWS.includes(view);
  const listed = threads.value?.find(({ id }) => id === current.thread)?.title ?? "";
  const title = isShown ? listed || current.title : view[0].toUpperCase() + view.slice(1);
  useEffect(() => {
    document.title = [isShown && current.running ? "…" : "", title && `${title.slice(0, 80)} · `, "Quarry"].join("");
  }, [title, current.running, isShown]);
  return (
    <Caller.Provider value={caller}>
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); document.querySelector<HTMLElement>("main")?.focus(); }}>
        To the content
      </a>
      <Rail view={view === "ask" && current.title && current.thread === kept.thread ? "c" : view} caller={caller} threads={threads} current={current} resources={resources.value?.length} round={round}
        project={project} shown={menu} choose={choose} />
      {menu && <button type="button" class="veil" aria-label="Close the menu" onClick={() => setMenu(false)} />}
      <main id="main" tabIndex={-1}>
        <div class="top">
          <button type="button" class="icon" aria-label="Menu" aria-expanded={menu} aria-controls="rail" onClick={() => setMenu(!menu)}><Icon name="menu" /></button>
          <span>Quarry</span>
          <a class="icon" href="#/ask" aria-label="New question"><Icon name="plus" /></a>
        </div>
        <div hidden={!isShown}>
          <Conversation key={`${kept.thread} ${kept.count}`} {...kept} questionId={route[0] === "c" ? route[2] : undefined} visit={count}
            resources={resources} isShown={isShown} title={listed}
            changed={(of, running) => changed(kept.thread, of, running)} />
        </div>
        {!isShown && (
          <div class="view">
            {view === "resources" && <Resources resources={resources} />}
            {view === "costs" && <Costs />}
            {view === "state" && <State />}
            {view === "files" && <Files key={route.join("/")} route={route.slice(1)} />}
          </div>
        )}
      </main>
    </Caller.Provider>
  );
}

function Page() {
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
  if (service.value === undefined) return <main class="sign"><Waiting loaded={service}>{() => null}</Waiting></main>;
  return <Main key={project} caller={service.value} project={project} choose={choose} />;
}

useStoredTheme();
const root = document.getElementById("page")!;
root.replaceChildren(); // what was shown while this file came
render(<Page />, root);
