// The box of a question: what is asked, what answers, and what it may cost.

import { useEffect, useRef, useState } from "preact/hooks";

import { api, isForTokens, Resource } from "./api";
import { useRight } from "./caller";
import { Icon } from "./icons";
import { mentioned, QuestionText, withoutMention } from "./mention";
import { counted, dollars, Failure, plain, useLoaded } from "./parts";
import { Choice, Picker } from "./picker";

const REFERENCE = /^(https?:\/\/|[a-z]+:|\/|~\/)\S+$/;
export const MOST_SCOPE = 20; // names that the interface takes

/** Names and references of a question as tokens; none: all. */
function Tokens(props: { resources: Resource[]; scope: string[]; remove: (name: string) => void }) {
  const { resources, scope, remove } = props;
  return (
    <ul class="chooser" aria-label="what is asked">
      {scope.length === 0 && (
        <li class="chip all">
          {resources.length === 1 ? plain(resources[0].name) : resources.length === 0 ? "No resource yet" : `All ${counted(resources.length, "resource")}`}
        </li>
      )}
      {scope.map((name) => (
        <li class="chip" key={name}>
          {plain(name)}
          <button type="button" onClick={() => remove(name)} aria-label={`Do not ask ${name}`}>×</button>
        </li>
      ))}
    </ul>
  );
}

/** What answers, and the choice of it, which holds for all that follows. */
function ModelButton({ disabled }: { disabled: boolean }) {
  const config = useLoaded(api.config);
  const [choices, setChoices] = useState<Choice[]>();
  const [error, setError] = useState<unknown>();
  const place = useRef<HTMLButtonElement>(null);
  const open = async () => {
    try {
      const { all, connected, chosen } = await api.providers();
      setChoices(all.filter(({ id }) => connected.includes(id)).flatMap(({ id, models }) =>
        (models.length > 0 ? models : [""]).map((model) => ({
          value: `${id}/${model}`, label: model || "its standard model", note: id,
          chosen: chosen?.provider === id && (chosen.model === model || models.length < 2),
        }))));
      setError(undefined);
    } catch (failure) {
      setError(failure);
    }
  };
  const close = () => {
    setChoices(undefined);
    place.current?.focus({ preventScroll: true });
  };
  const choose = async (value: string) => {
    const slash = value.indexOf("/");
    setChoices(undefined);
    try {
      await api.choose(value.slice(0, slash), value.slice(slash + 1));
      config.reload();
    } catch (failure) {
      setError(failure);
    }
    document.getElementById("question")?.focus({ preventScroll: true });
  };
  const { value } = config;
  if (!value) return null;
  return (
    <>
      <button type="button" ref={place} disabled={disabled} onClick={open} aria-haspopup="dialog" aria-label={`Model: ${value.provider}/${value.model}. Change it`}>
        {plain(value.model || value.provider)} ▾
      </button>
      <span class="budget">{value.maxCostUsd ? `at most ${dollars(Number(value.maxCostUsd))}` : "no limit of cost"}</span>
      {choices && <Picker label="Model" placeholder="Filter models" choices={choices} choose={choose} close={close} note="It answers from now on. State shows why others cannot." />}
      {error !== undefined && <div class="popover"><Failure error={error} /></div>}
    </>
  );
}

export function Composer(props: {
  running: boolean;
  resources: Resource[];
  scope: string[];
  /** What the box begins with, as when a question is edited; a new number takes it over again. */
  given: { text: string; number: number };
  /** Questions before, the newest last. */
  asked: string[];
  /** All resources cannot be asked again in this conversation. */
  cannotWiden: boolean;
  placeholder: string;
  change: (scope: string[]) => void;
  ask: (question: string, scope: string[]) => void;
  stop: () => void;
}) {
  const { running, resources, scope, given, asked, change } = props;
  const [text, setText] = useState(given.text);
  const [picking, setPicking] = useState(false);
  const [recalled, setRecalled] = useState(0);
  const sources = useRef<HTMLButtonElement>(null);
  const latest = useRef(scope); // for what is recognised later
  latest.current = scope;
  const mayAdd = useRight("add");
  const box = () => document.getElementById("question") as HTMLTextAreaElement | null;
  const named = [...new Set([...scope, ...mentioned(text, resources)])];
  useEffect(() => {
    setText(given.text);
    box()?.focus({ preventScroll: true });
  }, [given.number]);
  useEffect(() => {
    const shortcut = (event: KeyboardEvent) => {
      const typing = (event.target as HTMLElement).matches("input, textarea, select");
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !box()?.offsetParent) return;
      if (event.key === "/" && !typing) {
        event.preventDefault();
        box()?.focus();
      } else if (event.key === "n" && !typing) {
        event.preventDefault();
        location.hash = "/ask";
      } else if (event.key === "Escape" && running && !document.querySelector(".source")) {
        props.stop();
      }
    };
    document.addEventListener("keydown", shortcut);
    return () => document.removeEventListener("keydown", shortcut);
  });
  const send = () => {
    const question = text.trim();
    if (!question || running) return;
    props.ask(question, named);
    setText("");
    setRecalled(0);
  };
  const remove = (name: string) => {
    change(scope.filter((one) => one !== name));
    setText((before) => withoutMention(before, name));
    box()?.focus({ preventScroll: true });
  };
  const paste = async (event: ClipboardEvent) => {
    const reference = event.clipboardData?.getData("text").trim() ?? "";
    if (!REFERENCE.test(reference)) return;
    // What no plugin recognises stays a part of the question alone.
    const known = isForTokens ? mayAdd : await api.recognise(reference).catch(() => undefined);
    if (known && !latest.current.includes(reference)) change([...latest.current, reference]);
  };
  const key = (event: KeyboardEvent) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      send();
    } else if (event.key === "ArrowUp" && (text === "" || recalled > 0) && recalled < asked.length) {
      event.preventDefault();
      setText(asked[asked.length - recalled - 1]);
      setRecalled(recalled + 1);
    } else if (event.key === "ArrowDown" && recalled > 0) {
      event.preventDefault();
      setText(recalled > 1 ? asked[asked.length - recalled + 1] : "");
      setRecalled(recalled - 1);
    }
  };
  const choices: Choice[] = [
    ...(props.cannotWiden ? [] : [{ value: "", label: `All ${counted(resources.length, "resource")}`, chosen: named.length === 0 }]),
    ...resources.map(({ name, type }) => ({ value: name, label: name, note: type, chosen: named.includes(name) })),
  ];
  const choose = (name: string) => {
    if (!name) change([]);
    else if (named.includes(name)) remove(name);
    else change([...scope, name]);
    if (!name) setPicking(false);
  };
  const closed = () => {
    setPicking(false);
    sources.current?.focus({ preventScroll: true });
  };
  return (
    <form class="box" onSubmit={(event) => { event.preventDefault(); send(); }}>
      <div class="in">
        <Tokens resources={resources} scope={named} remove={remove} />
        <QuestionText text={text} resources={resources} scope={named} placeholder={props.placeholder}
          change={(next) => { setText(next); setRecalled(0); }} paste={paste} pressed={key} />
        <div class="row">
          <button type="button" ref={sources} aria-haspopup="dialog" aria-expanded={picking} onClick={() => setPicking(!picking)}>@ Sources</button>
          {!isForTokens && <ModelButton disabled={running} />}
          <span class="space" />
          {running
            ? <button type="button" class="send" aria-label="Stop" title="Stop (Esc)" onClick={props.stop}><Icon name="stop" /></button>
            : <button type="submit" class="send" aria-label="Ask" title="Ask (Enter)" disabled={!text.trim()}><Icon name="send" /></button>}
        </div>
      </div>
      {picking && (
        <Picker label="Sources" placeholder="Filter resources" choices={choices} choose={choose} close={closed}
          note={props.cannotWiden ? `A conversation is widened to at most ${MOST_SCOPE} resources; a new one asks all.` : undefined} />
      )}
    </form>
  );
}
