// What questions cost: a plot of the days, and tables by model and resource.

import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";

import { api, UsageRow } from "./api";
import { dollars, plain, useLoaded, Waiting } from "./parts";

const HEIGHT = 180;

function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function Plot({ rows }: { rows: UsageRow[] }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = place.current!;
    const days = [...rows].sort((a, b) => a.key.localeCompare(b.key));
    const axis = { stroke: colour("--quiet"), grid: { stroke: colour("--line") }, ticks: { stroke: colour("--line") } };
    const plot = new uPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        legend: { show: false },
        cursor: { show: false },
        scales: { y: { range: (_, __, most) => [0, most || 1] } },
        axes: [axis, { ...axis, values: (_, values) => values.map(dollars), size: 60 }],
        series: [{}, { stroke: colour("--accent"), fill: colour("--soft"), paths: uPlot.paths.bars!({ size: [0.6, 40] }) }],
      },
      [days.map((row) => Date.parse(row.key) / 1000), days.map((row) => row.costUsd)],
      element,
    );
    const resized = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    resized.observe(element);
    return () => {
      resized.disconnect();
      plot.destroy();
    };
  }, [rows]);
  return <div class="plot" ref={place} role="img" aria-label="Costs of each day; the table below has the numbers." />;
}

function Table({ rows, title }: { rows: UsageRow[]; title: string }) {
  return (
    <div class="wide" tabIndex={0} role="region" aria-label={title}>
      <table>
        <thead><tr><th>{title}</th><th class="align-right">questions</th><th class="align-right">tokens</th><th class="align-right">cost</th></tr></thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              <td>{plain(row.key)}</td>
              <td class="align-right">{row.questions.toLocaleString()}</td>
              <td class="align-right">{(row.inputTokens + row.outputTokens).toLocaleString()}</td>
              <td class="align-right">{dollars(row.costUsd)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Section({ by, title, since }: { by: string; title: string; since: string }) {
  const rows = useLoaded(() => api.usage(by, since), [by, since]);
  return (
    <section aria-label={`by ${title}`}>
      <h2>By {title}</h2>
      <Waiting loaded={rows}>
        {(all) => all.length === 0 ? <p>Nothing was used.</p> : (
          <>
            {by === "day" && <Plot rows={all} />}
            <Table rows={all} title={title} />
          </>
        )}
      </Waiting>
    </section>
  );
}

export function Costs() {
  const [since, setSince] = useState("30d");
  return (
    <>
      <h1>Costs</h1>
      <div class="field">
        <label for="since">of the last</label>
        <select id="since" value={since} onChange={(event) => setSince(event.currentTarget.value)}>
          <option value="24h">day</option>
          <option value="7d">week</option>
          <option value="30d">30 days</option>
          <option value="365d">year</option>
        </select>
      </div>
      <Section by="day" title="day" since={since} />
      <Section by="model" title="model" since={since} />
      <Section by="resource" title="resource" since={since} />
    </>
  );
}
