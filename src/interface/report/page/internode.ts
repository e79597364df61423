/** The costs of messages between nodes: time by size, and the line that plans use. */
import { bytesText, countText, percentText } from "../../../ground/base/units.ts";
import type { Internode, InternodePEs } from "../../../machine/model/internode.ts";
import type { ReportDocument } from "../document.ts";
import { bars } from "./charts/bars.ts";
import { type Curve, curves } from "./charts/curves.ts";
import { figure } from "./charts/figure.ts";
import { legendOf } from "./charts/series.ts";
import { nodesFigures } from "./nodes.ts";
import { columns, facts, given, sectionOf } from "./section.ts";
import { pesText, shortDuration, shortNumber } from "./words.ts";

export function internodeSection({ machine: { internode, unit }, nodes }: ReportDocument): string {
  return sectionOf({
    id: "nodes",
    title: "Between nodes",
    intro:
      "A message of m bytes to another node takes alpha + beta m, after LogP and LogGP. Plans and trees over nodes use that line, or pieces of it where one line fits badly.",
    content: [
      internode === undefined ? "" : internodeFigures(internode),
      given(nodes, (there) => nodesFigures(there, unit)),
    ].join(""),
  });
}

function internodeFigures(internode: Internode): string {
  const {
    alpha,
    beta,
    nodes,
    machines,
    library,
    sizes = [],
    pes = [],
    incast = [],
    collectives,
    noisy = [],
  } = internode;
  const lines = facts([
    ["alpha", shortDuration(alpha)],
    ["beta", beta > 0 ? `${shortNumber(beta)} ns for a byte: ${shortNumber(1 / beta)} GB/s` : "0 ns for a byte"],
    ...(nodes === undefined ? [] : [["Measured on", countText(nodes, "node")] as const]),
    ...(machines === undefined ? [] : [["Machines", String(machines)] as const]),
    ...(library === undefined ? [] : [["Library", library.split("\n")[0] as string] as const]),
    ...(noisy.length === 0 ? [] : [["Not planned with", noisy.join("; ")] as const]),
  ]);
  const drawn = [
    latencyFigure(internode, sizes, pes),
    ...(pes.length > 0 && sizes.length > 0 ? [streamFigure(sizes, pes)] : []),
    ...(incast.length > 0 ? [incastFigure(incast)] : []),
    ...(collectives === undefined ? [] : [collectiveFigure(collectives)]),
  ];
  const slots = new Map(pes.map((one, i) => [`${pesText(one.pes)} of each node`, i]));
  return lines + (pes.length > 1 ? legendOf(slots) : "") + columns(drawn);
}

/** From a byte on: a logarithmic axis has no 0. */
const shown = (sizes: readonly number[], values: readonly number[]) =>
  sizes.flatMap((x, i) => {
    const y = values[i];
    return x > 0 && y !== undefined && y > 0 ? [{ x, y }] : [];
  });

function latencyFigure({ alpha, beta }: Internode, sizes: readonly number[], pes: readonly InternodePEs[]): string {
  const usual = Array.from({ length: 18 }, (_, i) => 2 ** (i + 3));
  const places = sizes.filter((size) => size > 0).length > 1 ? sizes.filter((size) => size > 0) : usual;
  const fit: Curve = {
    slot: pes.length === 0 ? 0 : 6,
    isFit: pes.length > 0,
    points: places.map((x) => ({ x, y: Math.max(alpha + beta * x, 1e-3) })),
  };
  const measured = pes.map((one, i): Curve => ({ slot: i, points: shown(sizes, one.latency) }));
  const residual = pes[0]?.residual;
  return figure({
    id: "internode-time",
    title: "A message by size",
    caption:
      residual === undefined
        ? "alpha + beta m, as given by the model."
        : `Half of a round trip; dashed: alpha + beta m, ${percentText(residual.median)} off in the median, ${percentText(residual.worst)} at worst.`,
    drawing: curves(
      [...measured.filter(({ points }) => points.length > 0), fit],
      { name: "bytes", textOf: bytesText },
      { name: "time", textOf: shortDuration },
    ),
    table:
      pes.length === 0
        ? { head: ["bytes", "line, ns"], rows: fit.points.map(({ x, y }) => [x, y.toFixed(0)]) }
        : {
            head: ["bytes", "line, ns", ...pes.map((one) => `${pesText(one.pes)}, ns`)],
            rows: sizes.map((size, i) => [
              size,
              (alpha + beta * size).toFixed(0),
              ...pes.map(({ latency }) => (latency[i] ?? 0).toFixed(0)),
            ]),
          },
  });
}

function streamFigure(sizes: readonly number[], pes: readonly InternodePEs[]): string {
  return figure({
    id: "internode-stream",
    title: "A message of a long stream",
    caption: "Time between two messages at each of the PEs, when there is always a next one.",
    drawing: curves(
      pes.map((one, i) => ({ slot: i, points: shown(sizes, one.stream) })).filter(({ points }) => points.length > 0),
      { name: "bytes", textOf: bytesText },
      { name: "time", textOf: shortDuration },
    ),
    table: {
      head: ["bytes", ...pes.map((one) => `${pesText(one.pes)}, ns`)],
      rows: sizes.map((size, i) => [size, ...pes.map(({ stream }) => (stream[i] ?? 0).toFixed(0))]),
    },
  });
}

function incastFigure(incast: NonNullable<Internode["incast"]>): string {
  return figure({
    id: "internode-incast",
    title: "Several senders, one receiver",
    caption: "Time between messages of the smallest size; dark: the receiver was busy.",
    drawing: bars(
      incast.map(({ senders, time, busy }) => ({
        name: countText(senders, "sender"),
        value: time,
        text: shortDuration(time),
        isOurs: true,
        parts: [Math.min(busy, time), Math.max(0, time - busy)],
      })),
    ),
    table: {
      head: ["senders", "between messages, ns", "busy, ns"],
      rows: incast.map(({ senders, time, busy }) => [senders, time.toFixed(0), busy.toFixed(0)]),
    },
  });
}

function collectiveFigure({ nodes, barrier, broadcast, allreduce }: NonNullable<Internode["collectives"]>): string {
  const all = Object.entries({ barrier, broadcast, allreduce });
  return figure({
    id: "internode-collectives",
    title: `Collectives of ${countText(nodes, "node")}`,
    caption: "By our messages, and by the MPI library's own call.",
    drawing: bars(
      all.flatMap(([name, time]) => [
        { name: `${name}, messages`, value: time.messages, text: shortDuration(time.messages), isOurs: true },
        { name: `${name}, MPI`, value: time.mpi, text: shortDuration(time.mpi), isOurs: false },
      ]),
    ),
    table: {
      head: ["call", "messages, ns", "MPI, ns", "used"],
      rows: all.map(([name, time]) => [name, time.messages.toFixed(0), time.mpi.toFixed(0), time.faster]),
    },
  });
}
