// What questions cost: totals, one plot of the days by model, and tables.

import { useState } from "preact/hooks";

import { api, Usage, UsageRow } from "./api";
import { counted, dollars, plain, useLoaded, Waiting } from "./parts";

const DAY_MS = 86_400_000;
const MOST_SERIES = 6; // the last is all others
const SPANS = { "7d": ["week", 7], "30d": ["30 days", 30], "365d": ["year", 365] } as const;
type Span = keyof typeof SPANS;

const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

const tokensOf = (row: Omit<UsageRow, "key">) => row.inputTokens + row.outputTokens;

/** A bar: costs of its days by model. */
interface Bar {
  since: string;
  label: string;
  costs: Record<string, number>;
  tokens: Record<string, number>;
  questions: number;
  unpriced: number;
}

interface Report {
  usage: Usage;
  models: UsageRow[];
  resources: UsageRow[];
  bars: Bar[];
}

/** The first days of the bars: each day, or each month of a year. Days are of UTC, as those of the ledger. */
function begins(span: Span, now: number): string[] {
  const days = SPANS[span][1];
  if (days > 31) {
    const date = new Date(now);
    return Array.from({ length: 12 }, (_, i) => new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - 11 + i, 1)).toISOString().slice(0, 10));
  }
  return Array.from({ length: days }, (_, i) => dateOf(now - (days - 1 - i) * DAY_MS));
}

function labelOf(since: string, span: Span): string {
  const given: Intl.DateTimeFormatOptions = span === "365d" ? { month: "short", timeZone: "UTC" } : { day: "numeric", month: "short", timeZone: "UTC" };
  return new Date(`${since}T00:00:00Z`).toLocaleDateString(undefined, given);
}

/** The interface sums up what was used since a day, so a day is the difference of two sums. */
async function load(span: Span): Promise<Report> {
  const starts = begins(span, Date.now());
  const [usage, resources] = await Promise.all([api.usage("day", starts[0]), api.usage("resource", starts[0])]);
  const used = usage.rows.map(({ key }) => key);
  const isUsed = (i: number) => used.some((day) => day >= starts[i] && (i + 1 === starts.length || day < starts[i + 1]));
  const bars: Bar[] = starts.map((since) => ({ since, label: labelOf(since, span), costs: {}, tokens: {}, questions: 0, unpriced: 0 }));
  const wanted = starts.map((_, i) => i).filter(isUsed);
  const sums = await Promise.all(wanted.map((i) => api.usage("model", starts[i])));
  wanted.forEach((i, at) => {
    const after = sums[at + 1];
    for (const row of sums[at].rows) {
      const later = after?.rows.find(({ key }) => key === row.key);
      bars[i].costs[row.key] = Math.max(0, row.costUsd - (later?.costUsd ?? 0));
      bars[i].tokens[row.key] = tokensOf(row) - (later ? tokensOf(later) : 0);
    }
    bars[i].questions = sums[at].total.questions - (after?.total.questions ?? 0);
    bars[i].unpriced = sums[at].unpricedCalls - (after?.unpricedCalls ?? 0);
  });
  return { usage, models: sums[0]?.rows ?? [], resources: resources.rows, bars };
}

/** Nothing was paid for tokens: the price is not known, or there is none. */
function costText(row: Omit<UsageRow, "key">, hasUnpriced: boolean): string {
  if (row.costUsd > 0) return dollars(row.costUsd);
  return hasUnpriced && tokensOf(row) > 0 ? "unknown" : "none";
}

const WIDTH = 800;
const HEIGHT = 200;
const LEFT = 56;
const BOTTOM = 24;
const TOP = 8;

/** A round number at or above `most`, and the step of its lines. */
function scaleOf(most: number): { top: number; step: number } {
  if (most <= 0) return { top: 1, step: 1 };
  const power = 10 ** Math.floor(Math.log10(most / 3));
  const step = power * [1, 2, 5, 10].find((one) => most / (one * power) <= 4)!;
  return { top: Math.ceil(most / step - 1e-9) * step, step };
}

function money(amount: number, step: number): string {
  if (amount === 0) return "$0";
  return `$${amount.toFixed(Math.max(0, Math.min(6, -Math.floor(Math.log10(step)))))}`;
}

const compact = (count: number) => count.toLocaleString(undefined, { notation: "compact" });

/** Of money, or of tokens where no price is known. */
function Plot({ bars, names, isOfMoney }: { bars: Bar[]; names: string[]; isOfMoney: boolean }) {
  const [pointed, setPointed] = useState(-1);
  const amounts = (bar: Bar) => (isOfMoney ? bar.costs : bar.tokens);
  const others = (bar: Bar) => Object.entries(amounts(bar)).reduce((sum, [key, cost]) => (names.includes(key) ? sum : sum + cost), 0);
  const parts = bars.map((bar) => [...names.map((name) => amounts(bar)[name] ?? 0), others(bar)]);
  const sums = parts.map((all) => all.reduce((sum, one) => sum + one, 0));
  const { top, step } = scaleOf(Math.max(...sums));
  const height = HEIGHT - TOP - BOTTOM;
  const width = (WIDTH - LEFT) / bars.length;
  const y = (amount: number) => TOP + height * (1 - amount / top);
  const every = Math.ceil(bars.length / 8);
  const shown = pointed >= 0 ? pointed : bars.length - 1;
  return (
    <div class="plot">
      <p class="facts" aria-live="off">
        <strong>{bars[shown].label}</strong>
        <span>{!isOfMoney ? counted(sums[shown], "token") : sums[shown] > 0 ? dollars(sums[shown]) : bars[shown].unpriced > 0 ? "price unknown" : "nothing paid"}</span>
        <span>{counted(bars[shown].questions, "question")}</span>
        {bars[shown].unpriced > 0 && <span class="warn">{counted(bars[shown].unpriced, "call")} without a price</span>}
      </p>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`${isOfMoney ? "Costs" : "Tokens"} over time; the tables below have the numbers.`} onMouseLeave={() => setPointed(-1)}>
        {Array.from({ length: Math.round(top / step) + 1 }, (_, i) => i * step).map((amount) => (
          <>
            <line class="grid" x1={LEFT} x2={WIDTH} y1={y(amount)} y2={y(amount)} />
            <text x={LEFT - 8} y={y(amount) + 4} text-anchor="end">{isOfMoney ? money(amount, step) : compact(amount)}</text>
          </>
        ))}
        {bars.map((bar, i) => {
          let at = 0;
          const x = LEFT + i * width;
          return (
            <g class="day" onMouseEnter={() => setPointed(i)}>
              <rect class="behind" x={x} y={TOP} width={width} height={height} opacity=".6" />
              {parts[i].map((amount, series) => {
                if (amount <= 0) return null;
                const from = y(at);
                at += amount;
                const thin = Math.min(width * 0.7, 44);
                return <rect class={`c${series + 1}`} x={x + (width - thin) / 2} width={thin} y={y(at)} height={Math.max(1.5, from - y(at))} rx="1.5" />;
              })}
              {(bars.length - 1 - i) % every === 0 && <text class={((bars.length - 1 - i) / every) % 2 ? "between" : undefined} x={i === bars.length - 1 && width < 44 ? WIDTH : x + width / 2} y={HEIGHT - 6} text-anchor={i === bars.length - 1 && width < 44 ? "end" : "middle"}>{bar.label}</text>}
            </g>
          );
        })}
      </svg>
      <ul class="legend">
        {names.map((name, i) => <li><span class={`swatch c${i + 1}`} /> {plain(name)}</li>)}
        {bars.some((bar) => others(bar) > 0) && <li><span class={`swatch c${names.length + 1}`} /> others</li>}
      </ul>
    </div>
  );
}

function Table({ rows, title, hasUnpriced }: { rows: UsageRow[]; title: string; hasUnpriced: boolean }) {
  if (rows.length === 0) return null;
  return (
    <section aria-label={`by ${title}`}>
      <h2>By {title}</h2>
      <div class="wide" tabIndex={0} role="region" aria-label={`costs by ${title}`}>
        <table>
          <thead><tr><th>{title}</th><th class="align-right">questions</th><th class="align-right">tokens</th><th class="align-right">cost</th></tr></thead>
          <tbody>
            {rows.map((row) => (
              <tr>
                <td>{plain(row.key)}</td>
                <td class="align-right">{row.questions.toLocaleString()}</td>
                <td class="align-right">{tokensOf(row).toLocaleString()}</td>
                <td class="align-right">{costText(row, hasUnpriced)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** What is left of the month's budget, which no chosen span changes. */
function Budget({ budget }: { budget: number }) {
  const month = useLoaded(() => api.usage("model", `${dateOf(Date.now()).slice(0, 7)}-01`));
  const spent = month.value?.total.costUsd;
  if (spent === undefined) return null;
  const end = new Date();
  end.setUTCMonth(end.getUTCMonth() + 1, 1);
  return (
    <p class={spent >= budget ? "month spent" : "month"}>
      <label>
        <span><strong>{dollars(spent)}</strong> of {dollars(budget)} this month</span>
        <span class="quiet">{spent >= budget ? "nothing is left" : `${dollars(budget - spent)} left`}, until {dateOf(end.getTime()).slice(0, 7)}-01 UTC</span>
        <progress max={budget} value={Math.min(spent, budget)} />
      </label>
    </p>
  );
}

function Figures({ report: { usage }, limit }: { report: Report; limit?: string }) {
  const { total, unpricedCalls } = usage;
  const paid = total.costUsd > 0 ? dollars(total.costUsd) : unpricedCalls > 0 ? "unknown" : "nothing";
  return (
    <dl class="totals">
      <div>
        <dt>Paid</dt><dd>{unpricedCalls > 0 && total.costUsd > 0 && "over "}{paid}</dd>
        <dd class="quiet"><small>
          {unpricedCalls > 0 ? <span class="warn">{counted(unpricedCalls, "call")} without a known price</span>
            : limit ? `at most ${dollars(Number(limit))} a question` : "no limit of a question's cost"}
        </small></dd>
      </div>
      <div><dt>Questions</dt><dd>{total.questions.toLocaleString()}</dd><dd class="quiet"><small>{counted(total.calls, "call")} of models</small></dd></div>
      <div>
        <dt>Tokens</dt><dd>{tokensOf(total).toLocaleString()}</dd>
        <dd class="quiet"><small>{total.inputTokens.toLocaleString()} in, {total.outputTokens.toLocaleString()} out</small></dd>
      </div>
    </dl>
  );
}

export function Costs() {
  const [span, setSpan] = useState<Span>("30d");
  const report = useLoaded(() => load(span), [span]);
  const config = useLoaded(api.config);
  return (
    <>
      <div class="titled">
        <h1>Costs</h1>
        <label>
          <span class="hidden">of the last</span>
          <select id="since" value={span} onChange={(event) => setSpan(event.currentTarget.value as Span)}>
            {Object.entries(SPANS).map(([value, [name]]) => <option value={value}>Last {name}</option>)}
          </select>
        </label>
      </div>
      <Waiting loaded={report}>
        {(value) => {
          const hasUnpriced = value.usage.unpricedCalls > 0;
          const isOfMoney = value.usage.total.costUsd > 0;
          const amount = (row: UsageRow) => (isOfMoney ? row.costUsd : tokensOf(row));
          const names = value.models.filter((row) => amount(row) > 0).sort((a, b) => amount(b) - amount(a)).slice(0, MOST_SERIES - 1).map(({ key }) => key);
          return (
            <>
              <Figures report={value} limit={config.value?.maxCostUsd} />
              {config.value?.monthlyBudgetUsd && <Budget budget={Number(config.value.monthlyBudgetUsd)} />}
              {value.usage.total.questions === 0
                ? <p>No question was asked in this time.</p>
                : <Plot bars={value.bars} names={names} isOfMoney={isOfMoney} />}
              <div class="tables">
                <Table rows={value.models} title="model" hasUnpriced={hasUnpriced} />
                <Table rows={value.resources} title="resource" hasUnpriced={hasUnpriced} />
              </div>
              <section aria-label="by day">
                {value.usage.rows.length > 0 && (
                  <details><summary>Numbers of each day</summary><Table rows={value.usage.rows} title="day" hasUnpriced={hasUnpriced} /></details>
                )}
              </section>
            </>
          );
        }}
      </Waiting>
    </>
  );
}
