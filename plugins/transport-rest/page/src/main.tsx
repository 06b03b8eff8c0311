// The frame of the page: navigation, the view of the address, and the question for a token.

import { render } from "preact";
import { useState } from "preact/hooks";

import { api, ApiError, useToken } from "./api";
import { Conversation } from "./conversation";
import { Conversations } from "./conversations";
import { Costs } from "./costs";
import { Failure, useLoaded, Waiting } from "./parts";
import { Resources } from "./resources";
import { useRoute } from "./route";
import { State } from "./state";

const VIEWS = [
  ["ask", "Ask"],
  ["conversations", "Conversations"],
  ["resources", "Resources"],
  ["costs", "Costs"],
  ["state", "State"],
] as const;

function View({ route, count }: { route: string[]; count: number }) {
  switch (route[0]) {
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
          <label for="token">Token of this server</label>
          <input id="token" type="password" autocomplete="off" value={token} onInput={(event) => setToken(event.currentTarget.value)} />
          <small>The value of auth_token. The page forgets it when it is closed.</small>
        </div>
        <p class="buttons"><button type="submit" class="main">Enter</button></p>
      </form>
      {tried && <Failure error={error} />}
    </main>
  );
}

function Page() {
  const [route, count] = useRoute();
  const service = useLoaded(api.service);
  if (service.error instanceof ApiError && service.error.status === 401) {
    return <SignIn error={service.error} enter={service.reload} />;
  }
  const view = route[0] === "c" ? "ask" : VIEWS.some(([name]) => name === route[0]) ? route[0] : "ask";
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); document.querySelector<HTMLElement>("main")?.focus(); }}>
        To the content
      </a>
      <nav aria-label="views">
        {VIEWS.map(([name, title]) => (
          <a href={`#/${name}`} aria-current={name === view ? "page" : undefined}>{title}</a>
        ))}
      </nav>
      <main id="main" tabIndex={-1}>
        <Waiting loaded={service}>{() => <View route={route} count={count} />}</Waiting>
      </main>
    </>
  );
}

render(<Page />, document.getElementById("page")!);
