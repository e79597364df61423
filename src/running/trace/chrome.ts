/**
 * A trace in the format of chrome://tracing and ui.perfetto.dev: sessions as slices of their PE, buffers as short
 * slices where they are sent and received, with an arrow in between, chunks of exchanges as slices from their first
 * packet to the last. A process of the trace is a node. Times are those of its machine's clock, and arrows have the
 * same names at both nodes: traces of the nodes of a machine can be joined.
 *
 * Source: "Trace Event Format" of the Chromium project.
 */
import type { PETrace, TraceEvent } from "./collect.ts";

/** One entry of the format; times in µs. */
interface Entry {
  readonly ph: "X" | "M" | "s" | "f";
  readonly name: string;
  readonly cat?: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts?: number;
  readonly dur?: number;
  readonly id?: string;
  readonly bp?: "e";
  readonly args?: object;
}

/** Displayed length of a buffer's slice, µs. */
const MARK_US = 1;

const us = (ms: number): number => Math.round(ms * 1000);

/** The document of one node as JSON. */
export function chromeTrace(traces: readonly PETrace[], node: number): string {
  const named = (name: string, tid: number, text: string): Entry => {
    return { ph: "M", name, pid: node, tid, args: { name: text } };
  };
  const names = [
    named("process_name", 0, `node ${node}`),
    ...traces.map(({ rank }) => named("thread_name", rank, `PE ${rank}`)),
  ];
  const entries = traces.flatMap(({ rank, events }) => {
    // the n-th buffer of a link at its sender is the n-th at its receiver
    const counts = new Map<string, number>();
    const arrow = (conveyor: string, hop: number, from: number, to: number, way: string): string => {
      const link = `${conveyor} ${hop} ${from} ${to}`;
      const number = (counts.get(way + link) ?? 0) + 1;
      counts.set(way + link, number);
      return `${link} ${number}`;
    };
    return events.flatMap((event) => entriesOf(event, { pid: node, tid: rank }, arrow));
  });
  const dropped = traces.reduce((sum, trace) => sum + trace.dropped, 0);
  return JSON.stringify({
    displayTimeUnit: "ns",
    otherData: { dropped },
    traceEvents: [...names, ...entries],
  });
}

function entriesOf(
  event: TraceEvent,
  at: { readonly pid: number; readonly tid: number },
  arrow: (conveyor: string, hop: number, from: number, to: number, way: string) => string,
): Entry[] {
  if (event.kind === "chunk") {
    const { exchange, to, bytes, began, ended } = event;
    const [ts, dur] = [us(began), us(ended) - us(began)];
    return [{ ph: "X", name: `to ${to}`, cat: "exchange", ...at, ts, dur, args: { exchange, to, bytes } }];
  }
  const { conveyor } = event;
  if (event.kind === "session") {
    const { began, ended, counts } = event;
    const [ts, dur] = [us(began), us(ended) - us(began)];
    return [{ ph: "X", name: `session of ${conveyor}`, cat: "session", ...at, ts, dur, args: counts }];
  }
  if (event.kind === "sent") {
    const { hop, to, items, bytes, fill, opened, sent, rank } = event;
    const ts = us(sent);
    const args = { conveyor, hop, to, items, bytes, fill, filledFor: us(sent) - us(opened) };
    return [
      { ph: "X", name: `to ${to}`, cat: "sent", ...at, ts, dur: MARK_US, args },
      { ph: "s", name: "buffer", cat: "buffer", ...at, ts, id: arrow(conveyor, hop, rank, to, "s") },
    ];
  }
  const { hop, from, bytes, received, latency, rank } = event;
  const ts = us(received);
  const args = { conveyor, hop, from, bytes, ...(latency < 0 ? {} : { latency: us(latency) }) };
  return [
    { ph: "X", name: `from ${from}`, cat: "received", ...at, ts, dur: MARK_US, args },
    { ph: "f", bp: "e", name: "buffer", cat: "buffer", ...at, ts, id: arrow(conveyor, hop, from, rank, "f") },
  ];
}
