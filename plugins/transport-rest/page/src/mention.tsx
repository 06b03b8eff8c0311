// Names of resources in a question: "@name" limits it, and is completed while it is typed.

import { useLayoutEffect, useRef, useState } from "preact/hooks";

import { Resource } from "./api";
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

/** The text of a question, with a list of the resources that a begun "@name" may mean. */
export function QuestionText(props: {
  text: string;
  resources: Resource[];
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
  const offered = part === undefined ? [] : completions(part, resources);
  const at = Math.min(selected, offered.length - 1);

  useLayoutEffect(() => {
    if (caretAfter.current === undefined) return;
    box.current?.setSelectionRange(caretAfter.current, caretAfter.current);
    caretAfter.current = undefined;
  }, [text]);
  useLayoutEffect(() => list.current?.scrollIntoView({ block: "nearest" }), [offered.length]);
  const look = () => {
    const area = box.current!;
    setPart(area.selectionStart === area.selectionEnd ? begun(area.value, area.selectionEnd) : undefined);
    setSelected(0);
  };
  const take = (name: string) => {
    const caret = box.current!.selectionEnd;
    const from = caret - part!.length;
    caretAfter.current = from + name.length + 1;
    props.change(`${text.slice(0, from)}${name} ${text.slice(caret)}`);
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
    <div class="question">
      <label class="hidden" for="question">Question</label>
      <textarea id="question" ref={box} rows={3} maxLength={100_000} value={text}
        placeholder="Ask about your resources. @name limits the question; paste a URL, npm:name or a folder to add it."
        aria-autocomplete="list" aria-haspopup="listbox" aria-controls={offered.length > 0 ? "mentions" : undefined}
        aria-activedescendant={offered.length > 0 ? `mention-${at}` : undefined}
        onInput={(event) => { props.change(event.currentTarget.value); look(); }}
        onKeyDown={key} onKeyUp={leave} onClick={look} onBlur={() => setPart(undefined)} onPaste={props.paste} />
      {offered.length > 0 && (
        <ul id="mentions" ref={list} role="listbox" aria-label="Resources">
          {offered.map((name, i) => (
            <li id={`mention-${i}`} role="option" aria-selected={i === at}
              onPointerDown={(event) => { event.preventDefault(); take(name); }}>
              {plain(name)}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
