// A list to choose from, with a filter, over what is below it.

import { useEffect, useRef, useState } from "preact/hooks";

import { plain } from "./parts";

export interface Choice {
  value: string;
  label: string;
  note?: string;
  chosen?: boolean;
}

const MOST_SHOWN = 200;

export function Picker(props: {
  label: string;
  placeholder: string;
  choices: Choice[];
  note?: string;
  choose: (value: string) => void;
  close: () => void;
}) {
  const { label, placeholder, choices, note, choose, close } = props;
  const [wanted, setWanted] = useState("");
  const [selected, setSelected] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => input.current?.focus({ preventScroll: true }), []);
  const words = wanted.toLowerCase().split(/\s+/);
  const shown = choices.filter(({ label: name, note: more = "" }) => words.every((word) => `${name} ${more}`.toLowerCase().includes(word))).slice(0, MOST_SHOWN);
  const at = Math.min(selected, shown.length - 1);
  useEffect(() => list.current?.children[at]?.scrollIntoView({ block: "nearest" }), [at]);
  const key = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && shown.length > 0) setSelected((at + step + shown.length) % shown.length);
    else if (event.key === "Enter" && at >= 0) choose(shown[at].value);
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const left = (event: FocusEvent) => {
    if (!(event.currentTarget as HTMLElement).contains(event.relatedTarget as Node | null)) close();
  };
  return (
    <div class="popover" role="dialog" aria-label={label} onFocusOut={left}>
      <input ref={input} role="combobox" aria-label={label} aria-expanded="true" aria-controls="choices" aria-autocomplete="list"
        aria-activedescendant={at >= 0 ? `choice-${at}` : undefined} placeholder={placeholder} value={wanted} autocomplete="off" spellcheck={false}
        onInput={(event) => { setWanted(event.currentTarget.value); setSelected(0); }} onKeyDown={key} />
      <ul id="choices" ref={list} role="listbox" aria-label={label} aria-multiselectable="true">
        {shown.map((one, i) => (
          <li id={`choice-${i}`} role="option" aria-selected={i === at} key={one.value}
            onPointerDown={(event) => { event.preventDefault(); choose(one.value); }}>
            <span class="tick" aria-hidden="true">{one.chosen ? "✓" : ""}</span>
            <span>{plain(one.label)}{one.chosen && <span class="hidden"> (chosen)</span>}</span>
            {one.note && <small>{plain(one.note)}</small>}
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p class="note quiet">Nothing is named so.</p>}
      {note && <p class="note quiet">{note}</p>}
    </div>
  );
}
