// Questions that a reader may ask, made from the headings and names of what is asked.

import { useEffect, useState } from "preact/hooks";

import { api, Hit } from "./api";
import { useRight } from "./caller";
import { plain } from "./parts";
import { QuestionState } from "./question";

const MOST = 3;
/** Headings of every project, about which nobody asks. */
const COMMON = new RegExp(
  "^(licen[cs]e|contribut|credits|acknowledg|authors?|change ?log|unreleased|table of contents|contents|references|see also|index|" +
  "overview|introduction|summary|notes?|misc|todo|status|badges|links|added|fixed|changed|removed|v?\\d)", "i");
const LONGEST = 60;
const PLAIN_PATH = /^[\p{L}\p{N}@._/ +-]+$/u;

/** A heading in the words of a question. */
export function questionAbout(heading: string): string | undefined {
  const text = heading.replace(/^#+\s*/, "").replace(/[`*_]|\s*#+$/g, "").replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/^[\d.]+\s+/, "").trim();
  if (text.length < 4 || text.length > LONGEST || COMMON.test(text) || /[<>{}|\\]/.test(text)) return undefined;
  if (text.endsWith("?")) return text;
  const how = /^how (to|do I|does it) (.*)/i.exec(text);
  if (how) return `How do I ${how[2]}?`;
  const lower = /^[A-Z][a-z]+(\s|$)/.test(text) ? text[0].toLowerCase() + text.slice(1) : text;
  if (/^\w+ing\b/i.test(text)) return `How does ${lower} work?`;
  return `What should I know about ${lower}?`;
}

function questionsFrom(headings: string[], asked: string[]): string[] {
  const known = asked.join("\n").toLowerCase();
  const found: string[] = [];
  for (const heading of headings) {
    const question = questionAbout(heading);
    const word = question?.replace(/^.* (about|does|do I) /, "").replace(/( work)?\?$/, "").toLowerCase();
    if (question && word && !known.includes(word) && !found.includes(question)) found.push(question);
  }
  return found;
}

/** Some of `all`, from different places of it. */
function spread(all: string[]): string[] {
  const step = Math.max(1, Math.floor(all.length / MOST));
  return all.filter((_, i) => i % step === 0).slice(0, MOST);
}

const nameOf = (hit: Hit) => (hit.heading ?? "").replace(/^\w+ /, "");
const textOf = (hit: Hit) => hit.text.split("\n").find((line) => line.startsWith("#")) ?? "";

function Suggested({ questions, ask }: { questions: string[]; ask: (question: string) => void }) {
  return (
    <div class="asks">
      {questions.map((one) => <button type="button" key={one} onClick={() => ask(one)}>{plain(one)}</button>)}
    </div>
  );
}

const MOST_READ = 3; // resources, since one that is not here yet is fetched for it

/** From the first of `resources`, which are names or references. */
export function FirstQuestions({ resources, ask }: { resources: string[]; ask: (question: string) => void }) {
  const [questions, setQuestions] = useState<string[]>([]);
  const mayRead = useRight("read");
  useEffect(() => {
    if (!mayRead || resources.length === 0) return;
    const closed = new AbortController();
    const scope = { resources: resources.slice(0, MOST_READ) };
    const load = async () => {
      const hits = await api.find("grep", { pattern: "^#{2,3} \\w", include: "*.md", limit: 60, ...scope }, closed.signal);
      let found = questionsFrom(hits.map(textOf), []);
      if (found.length === 0) {
        const defined = await api.find("search", { query: "main entry point usage", limit: 6, ...scope }, closed.signal);
        const names = defined.map(({ path }) => path.slice(path.lastIndexOf("/") + 1));
        found = [...new Set(names)].map((name) => `What is in ${name}?`);
      }
      setQuestions(spread(found));
    };
    load().catch(() => {}); // without them nothing is lost
    return () => closed.abort();
  }, [resources.slice(0, MOST_READ).join("\n")]);
  return <Suggested questions={questions} ask={ask} />;
}

/** Questions about what stands beside the cited lines. */
export function NextQuestions({ state, ask }: { state: QuestionState; ask: (question: string) => void }) {
  const [questions, setQuestions] = useState<string[]>([]);
  const mayRead = useRight("read");
  useEffect(() => {
    if (!mayRead) return;
    const closed = new AbortController();
    const load = async () => {
      const files = [...new Set(state.citations.filter((one) => one.verified).map((one) => `${one.resource}/${one.path}`))]
        .filter((path) => PLAIN_PATH.test(path)).slice(0, 2);
      const found: string[] = [];
      for (const path of files) {
        const hits = await api.find("symbols", { path, limit: 40 }, closed.signal);
        const headings = hits.filter((hit) => hit.text.startsWith("#")).map(textOf).slice(1);
        const names = hits.filter((hit) => !hit.text.startsWith("#")).map(nameOf).filter((name) => /^\w{4,40}$/.test(name));
        found.push(...questionsFrom(headings, [state.question]));
        found.push(...names.filter((name) => !state.text.includes(name) && !state.question.includes(name)).map((name) => `What does ${name} do?`));
      }
      setQuestions([...new Set(found)].slice(0, MOST));
    };
    load().catch(() => {});
    return () => closed.abort();
  }, [state.id]);
  return questions.length > 0 ? <Suggested questions={questions} ask={ask} /> : null;
}
