/** The state of the machine while it was measured: probes over time, and how they are spread. */
import { countText, percentText } from "../../../ground/base/units.ts";
import type { Noise } from "../../../machine/model/machine-model.ts";
import type { Conditions, Probe, ReportDocument } from "../document.ts";
import { COLUMN, type Drawing, figure } from "./charts/figure.ts";
import { letters, n, widthOf } from "./charts/html.ts";
import { columns, facts, given, sectionOf } from "./section.ts";
import { medianOf, shortDuration, shortNumber } from "./words.ts";

export function conditionsSection(report: ReportDocument): string {
  const { conditions, machine } = report;
  return sectionOf({
    id: "conditions",
    title: "How quiet the machine was",
    intro:
      "A cache line goes there and back between two CPUs before and after each measurement. Two CPUs of a virtual machine may be near to each other or far, and this may change: figures of two modes must not be compared.",
    content: [
      "<details><summary>What was probed, and how far the passes of the profile differ</summary>",
      given(conditions, conditionFigures),
      machine.noise === undefined ? "" : noiseOf(machine.noise),
      "</details>",
    ].join(""),
  });
}

/** Of a stable machine each figure is of one mode, also where others were seen between them. */
function stateOf(modes: number, stable: boolean): string {
  if (!stable) return "changed while it was measured";
  return modes < 2 ? "one mode throughout" : `${modes} modes, each figure measured in one of them`;
}

function conditionFigures({ probes, modes, stable }: Conditions): string {
  const modesText = modes.map(({ mode, probes }) => `${shortDuration(mode)} (${countText(probes, "probe")})`);
  const kept = facts([
    ["State", stateOf(modes.length, stable)],
    ["Round trip by mode", modesText.join(", ") || "not measured"],
    ["Probes", String(probes.length)],
  ]);
  if (probes.length === 0) return kept;
  const ns = probes.map((probe) => probe.ns);
  return `${kept}${columns([
    figure({
      id: "probes",
      title: "Probes over time",
      caption: "Round trip of a cache line, ns, by seconds since the first measurement.",
      description: `${probes.length} probes from ${shortDuration(Math.min(...ns))} to ${shortDuration(Math.max(...ns))}.`,
      drawing: overTime(
        probes,
        modes.map(({ mode }) => mode),
      ),
      table: {
        head: ["second", "part", "round trip, ns"],
        rows: probes.map(({ at, ns, part }) => [at.toFixed(1), part, ns.toFixed(1)]),
      },
    }),
    figure({
      id: "probe-spread",
      title: "How they are spread",
      caption: `Number of probes by round trip, ns. Median ${shortDuration(medianOf(ns))}.`,
      drawing: spread(ns),
      table: {
        head: ["round trip, ns", "probes"],
        rows: binsOf(ns).map(({ from, to, count }) => [`${shortNumber(from)} to ${shortNumber(to)}`, count]),
      },
    }),
  ])}`;
}

/** Models of a file may have no mode. */
function noiseOf({ spread, passes, stable, probe, mode }: Omit<Noise, "mode"> & Partial<Noise>): string {
  const facts_ = facts([
    ["Spread between passes of the profile", percentText(spread)],
    ["Passes over all pairs", String(passes)],
    ["Mode of the profile", mode === undefined ? "not known" : shortDuration(mode)],
    ["Passes agree", stable ? "yes" : "no: measure again on an idle machine"],
  ]);
  if (probe.length < 2) return `<h3>While the model was measured</h3>${facts_}`;
  return `<h3>While the model was measured</h3>${facts_}${columns([
    figure({
      id: "profile-probes",
      title: "Probes of the profile",
      caption: "Round trip of a cache line before and after each pass, ns.",
      drawing: overTime(
        probe.map((ns, at) => ({ at, ns, part: "profile" })),
        mode === undefined ? [] : [mode],
        "probe",
      ),
      table: {
        head: ["probe", "round trip, ns"],
        rows: probe.map((ns, i) => [i + 1, ns.toFixed(1)]),
      },
    }),
  ])}`;
}

const [HEIGHT, LEFT, TOP, BOTTOM] = [180, 44, 22, 36];

/** From a little below the least to a little above the greatest, with round ends. */
function rulesOf(values: readonly number[]): number[] {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const span = Math.max(high - low, high * 0.1, 1e-9);
  const rough = span / 3;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
  const from = Math.max(0, Math.floor((low - span * 0.1) / step));
  const to = Math.max(from + 1, Math.ceil((high + span * 0.1) / step));
  return Array.from({ length: to - from + 1 }, (_, i) => (from + i) * step);
}

function overTime(probes: readonly Probe[], modes: readonly number[], unit = "s"): Drawing {
  const rules = rulesOf(probes.map(({ ns }) => ns));
  const [low, high] = [rules[0] as number, rules.at(-1) as number];
  const last = Math.max(...probes.map(({ at }) => at)) || 1;
  const x = (at: number) => LEFT + 6 + (at / last) * (COLUMN - LEFT - 12);
  const y = (ns: number) => HEIGHT - BOTTOM - ((ns - low) / (high - low)) * (HEIGHT - TOP - BOTTOM);
  const bands = modes
    .filter((mode) => mode >= low && mode <= high)
    .map((mode) => {
      // probes of one mode differ by less than that
      const [from, to] = [Math.min(high, mode * 1.08), Math.max(low, mode * 0.92)];
      return `<rect class="band" x="${LEFT}" y="${n(y(from))}" width="${COLUMN - LEFT}" height="${n(y(to) - y(from))}"/>`;
    });
  const end = unit === "s" ? `${Math.round(last)} s` : `${unit} ${last + 1}`;
  const content = [
    letters(0, 11, "ns", { class: "muted" }),
    ...bands,
    ...rules.flatMap((rule) => [
      `<path class="rule" d="M${LEFT},${n(y(rule))}H${COLUMN}"/>`,
      letters(LEFT - 8, y(rule) + 4, rule, { class: "muted", anchor: "end" }),
    ]),
    letters(LEFT, HEIGHT - 14, unit === "s" ? "0 s" : `${unit} 1`, { class: "muted" }),
    letters(COLUMN, HEIGHT - 14, end, { class: "muted", anchor: "end" }),
    ...probes.map(({ at, ns }) => `<circle class="dot" cx="${n(x(at))}" cy="${n(y(ns))}" r="2.5"/>`),
  ];
  return { width: COLUMN, height: HEIGHT, content: content.join("") };
}

const BINS = 28;

/** Numbers of values in equal ranges. */
function binsOf(values: readonly number[]): { from: number; to: number; count: number }[] {
  const rules = rulesOf(values);
  const [low, high] = [rules[0] as number, rules.at(-1) as number];
  const width = (high - low) / BINS;
  return Array.from({ length: BINS }, (_, bin) => {
    const [from, to] = [low + bin * width, low + (bin + 1) * width];
    return { from, to, count: values.filter((value) => value >= from && value < to).length };
  });
}

function spread(values: readonly number[]): Drawing {
  const rules = rulesOf(values);
  const [low, high] = [rules[0] as number, rules.at(-1) as number];
  const bins = binsOf(values).map(({ count }) => count);
  const most = Math.max(...bins);
  const step = COLUMN / BINS;
  const room = HEIGHT - TOP - BOTTOM;
  const content = [
    ...bins.flatMap((bin, i) =>
      bin === 0
        ? []
        : [
            `<rect class="dot" x="${n(i * step + 0.75)}" y="${n(HEIGHT - BOTTOM - (bin / most) * room)}" width="${n(step - 1.5)}" height="${n((bin / most) * room)}"/>`,
          ],
    ),
    `<path class="rule" d="M0,${HEIGHT - BOTTOM}H${COLUMN}"/>`,
    ...rules.map((rule) => {
      const half = widthOf(String(rule), 11) / 2;
      const x = ((rule - low) / (high - low)) * COLUMN;
      return letters(Math.min(COLUMN - half, Math.max(half, x)), HEIGHT - BOTTOM + 18, rule, {
        class: "muted",
        anchor: "middle",
      });
    }),
    letters(0, 11, `${most} at most`, { class: "muted" }),
  ];
  return { width: COLUMN, height: HEIGHT, content: content.join("") };
}
