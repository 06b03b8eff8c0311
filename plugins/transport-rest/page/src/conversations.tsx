// The stored conversations.

import { useState } from "preact/hooks";

import { api } from "./api";
import { ActionButton, day, plain, useLoaded, Waiting } from "./parts";

export function Conversations() {
  const threads = useLoaded(api.threads);
  const [wanted, setWanted] = useState("");
  return (
    <>
      <h1>Conversations</h1>
      <div class="field">
        <label for="wanted">Search their titles</label>
        <input id="wanted" type="search" value={wanted} onInput={(event) => setWanted(event.currentTarget.value)} />
      </div>
      <Waiting loaded={threads}>
        {(all) => {
          const shown = all.filter(({ title }) => title.toLowerCase().includes(wanted.toLowerCase()));
          return shown.length === 0 ? <p>{all.length === 0 ? "None is stored yet." : "None has this in its title."}</p> : (
            <ul class="cards">
              {shown.map((thread) => (
                <li class="card" key={thread.id}>
                  <header>
                    <h2><a href={`#/c/${encodeURIComponent(thread.id)}`}>{plain(thread.title)}</a></h2>
                    <span class="buttons">
                      <ActionButton kind="danger" label={`Remove ${thread.title}`} confirm="Remove it?"
                        action={async () => { await api.removeThread(thread.id); threads.reload(); }}>Remove</ActionButton>
                    </span>
                  </header>
                  <p class="facts">
                    <span>{thread.turns} {thread.turns === 1 ? "question" : "questions"}</span>
                    <span>{day(thread.updated)}</span>
                  </p>
                </li>
              ))}
            </ul>
          );
        }}
      </Waiting>
    </>
  );
}
