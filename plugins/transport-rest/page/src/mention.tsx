// Names in a question: "@name" limits it to a resource, and is completed while it is typed, as are files and symbols.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

import { api, Resource } from "./api";
import { useRight } from "./caller";
import { plain } from "./parts";

const MOST_OFFERED = 8;

const withoutAt = (name: string) => name.replace(/^@/, "");

/** The names after '@' in a question that are resources, in the words of the resources. */
export function mentioned(text: string, resources: Resource[]): string[] {
  const names = [...text.matchAll(/(?:^|\s)@([\w@./-]*[\w])/g)].map((match) => match[1].toLowerCase());
  return resources.map((one) => one.name).filter((name) => names.includes(withoutAt(name).toLowerCase()));
}

/** The part of a name between an '@' and the caret; undefined if the caret is elsewhere. */
function begun(text: string, caret: number): string | undefined {
  return /(?:^|\s)@([\w@./-]*)$/.exec(text.slice(0, caret))?.[1];
}

/** Names that `part` may become: those that begin with it, then those that contain it; none if it is one already. */
function completions(part: string, resources: Resource[]): string[] {
  const wanted = part.toLowerCase();
  const names = resources.map(({ name }) => withoutAt(name));
  if (names.some((name) => name.toLowerCase() === wanted)) return [];
  const place = (name: string) => name.toLowerCase().indexOf(wanted);
  return names
    .filter((name) => place(name) >= 0)
    .sort((one, other) => Math.min(place(one), 1) - Math.min(place(other), 1) || one.localeCompare(other))
    .slice(0, MOST_OFFERED);
}

/** What a begun "@name" may become. */
interface Offer {
  name: string;
  kind: string;
  /** In the place of "@name". */
  text: string;
}

const SHORTEST = 2; // characters by which files and symbols are looked up

/** Files and definitions whose names have `part` in them. */
async function found(part: string, scope: string[], signal: AbortSignal): Promise<Offer[]> {
  const within = scope.length > 0 ? { resources: scope } : {};
  const [files, symbols] = await Promise.all([
    api.list({ glob: `**/*${part}*`, limit: 5, ...within }, signal).catch(() => []),
    /^\w+$/.test(part) ? api.find("symbols", { name: `${part}*`, limit: 5, ...within }, signal).catch(() => []) : [],
  ]);
  return [
    ...files.filter(({ kind }) => kind === "file").map(({ path }) => ({ name: path, kind: "file", text: `\`${path}\` ` })),
    ...symbols.map(({ heading = "", path }) => {
      const [kind, ...name] = heading.split(" ");
      return { name: name.join(" "), kind: `${kind}, ${path}`, text: `\`${name.join(" ")}\` ` };
    }),
  ];
}

/** Taken out of a text that names it with "@". */
export function withoutMention(text: string, name: string): string {
  const bare = withoutAt(name).toLowerCase();
  return text.replace(/(^|\s)@([\w@./-]*\w)/g, (all, space, mention) => (mention.toLowerCase() === bare ? space : all));
}

/** The text of a question, with a list of the resources that a begun "@name" may mean. */
export function QuestionText(props: {
  text: string;
  resources: Resource[];
  /** Names that are asked, in which files and symbols are looked up. */
  scope: string[];
  placeholder: string;
  change: (text: string) => void;
  paste: (event: ClipboardEvent) => void;
  /** A key that the list does not take. */
  pressed: (event: KeyboardEvent) => void;
}) {
  const { text, resources } = props;
  const box = useRef<HTMLTextAreaElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const [part, setPart] = useState<string | undefined>(undefined); // before the caret
  const [selected, setSelected] = useState(0);
  const caretAfter = useRef<number | undefined>(undefined); // where a completed name puts it
  const [more, setMore] = useState<Offer[]>([]);
  const mayRead = useRight("read");
  const names: Offer[] = part === undefined ? [] : completions(part, resources).map((name) => ({ name, kind: "", text: `@${name} ` }));
  const isName = part !== undefined && resources.some(({ name }) => withoutAt(name).toLowerCase() === part.toLowerCase());
  const offered = part === undefined || isName ? [] : [...names, ...more];
  const at = Math.min(selected, offered.length - 1);

  useLayoutEffect(() => {
    if (caretAfter.current === undefined) return;
    box.current?.setSelectionRange(caretAfter.current, caretAfter.current);
    caretAfter.current = undefined;
  }, [text]);
  useEffect(() => {
    setMore([]);
    if (part === undefined || part.length < SHORTEST || isName || !mayRead) return;
    const closed = new AbortController();
    const timer = setTimeout(() => found(part, props.scope, closed.signal).then(setMore, () => {}), 120);
    return () => {
      clearTimeout(timer);
      closed.abort();
    };
  }, [part]);
  useLayoutEffect(() => {
    const { style } = box.current!;
    style.height = "auto";
    style.height = `${box.current!.scrollHeight}px`;
  }, [text]);
  const look = () => {
    const area = box.current!;
    setPart(area.selectionStart === area.selectionEnd ? begun(area.value, area.selectionEnd) : undefined);
    setSelected(0);
  };
  const take = (offer: Offer) => {
    const caret = box.current!.selectionEnd;
    const from = caret - part!.length - 1;
    caretAfter.current = from + offer.text.length;
    props.change(text.slice(0, from) + offer.text + text.slice(caret));
    setPart(undefined);
    box.current!.focus();
  };
  const key = (event: KeyboardEvent) => {
    if (offered.length === 0 || event.isComposing) return props.pressed(event);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setSelected((at + step + offered.length) % offered.length);
    else if (event.key === "Tab" || (event.key === "Enter" && !event.shiftKey)) take(offered[at]);
    else if (event.key === "Escape") setPart(undefined);
    else return props.pressed(event);
    event.preventDefault();
  };
  const leave = (event: KeyboardEvent) => /^(Arrow(Left|Right)|Home|End)$/.test(event.key) && look();
  return (
    <div>
      <label class="hidden" for="question">Question</label>
      <textarea id="question" ref={box} rows={1} maxLength={100_000} value={text} placeholder={props.placeholder}
        aria-autocomplete="list" aria-haspopup="listbox" aria-controls={offered.length > 0 ? "mentions" : undefined}
        aria-activedescendant={offered.length > 0 ? `mention-${at}` : undefined}
        onInput={(event) => { props.change(event.currentTarget.value); look(); }}
        onKeyDown={key} onKeyUp={leave} onClick={look} onBlur={() => setPart(undefined)} onPaste={props.paste} />
      {offered.length > 0 && (
        <div class="popover">
          <ul id="mentions" ref={list} role="listbox" aria-label="Resources, files and symbols">
            {offered.map((offer, i) => (
              <li id={`mention-${i}`} role="option" aria-selected={i === at} key={`${offer.kind} ${offer.name}`}
                onPointerDown={(event) => { event.preventDefault(); take(offer); }}>
                <span class="name">{plain(offer.name)}</span>{offer.kind && <small>{plain(offer.kind)}</small>}
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}
