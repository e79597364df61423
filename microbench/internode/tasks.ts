/**
 * The tasks of a job's PEs during one stage: plain data, posted to the threads.
 *
 *     latency, stream     node 0 ─> node 1    node 2 ─> node 3    …    the PEs that take part, each to its counterpart
 *     incast, bulk        PE 0 of node 0 <─ PE 0 of nodes 1, 2, …, then PE 1 of them, …
 *
 * A message is identified by its process and its tag, which contains a PE: the receiver for data, the sender for
 * answers.
 */
import { countText } from "../../src/ground/base/units.ts";

/** Sizes of messages, bytes: 8, and the powers of four from 64 to 1 MiB. */
export const SIZES: readonly number[] = [8, ...Array.from({ length: 8 }, (_, i) => 64 * 4 ** i)];
export const SMALLEST: number = SIZES[0] as number;
/** Size of the messages of several senders of bulk data: that of an exchange's packets. */
export const BULK = 32_768;

/** Tags of data and of answers; the main threads have others. */
const DATA = 1000;
const BACK = 11_000;
/** Largest number of PEs of a node, by the tags; MPI guarantees tags up to 32767. */
export const MOST_PES = 10_000;

/** One thing to measure, by all nodes at the same time. */
export type Stage =
  | { readonly kind: "latency" | "stream"; readonly pes: number; readonly bytes: number }
  | { readonly kind: "incast"; readonly senders: number; readonly bytes: number }
  | { readonly kind: "bulk"; readonly senders: number; readonly bytes: number };

/** It, for people. */
export const wordsOf = (stage: Stage): string =>
  stage.kind === "incast" || stage.kind === "bulk"
    ? `one receiver: ${countText(stage.senders, "sender")} of ${stage.bytes} bytes`
    : `${stage.kind} with ${countText(stage.pes, "PE")} a node: ${stage.bytes} bytes`;

/** The task of one PE. `peer` is a process. */
export type Task =
  | ({ readonly kind: "ping" | "pong"; readonly peer: number } & Traffic)
  | ({
      readonly kind: "source";
      readonly peer: number;
      readonly index: number;
      readonly timed: boolean;
    } & Traffic)
  | ({
      readonly kind: "sink";
      readonly self: number;
      readonly sources: readonly Source[];
      readonly timed: boolean;
      /** Whether they are large messages of several senders, which come in bursts. */
      readonly isBulk: boolean;
    } & Traffic);

/** The task of a measuring thread: one of the messages, or the collectives with all other nodes. */
export type ThreadTask = Task | { readonly kind: "collectives" };

/** Parameters of the messages. */
interface Traffic {
  readonly bytes: number;
  /** Tags of data and of answers. */
  readonly tag: number;
  readonly back: number;
  /** Number of messages that a sender may be ahead; even. */
  readonly ahead: number;
  /** Target time, ns. */
  readonly windowNs: number;
}

/** The destination of a sink's answers: a process, and the tag of its PE. */
export interface Source {
  readonly peer: number;
  readonly back: number;
}

/** Nodes, and PEs on each. */
export interface JobSize {
  readonly nodes: number;
  readonly pes: number;
}

/** 1, 2, 4, … and `most`. */
export function doubling(most: number): number[] {
  const counts: number[] = [];
  for (let count = 1; count < most; count *= 2) counts.push(count);
  return [...counts, most];
}

/** All stages, in order. */
export function stages({ nodes, pes }: JobSize): Stage[] {
  return [
    ...doubling(pes).flatMap((count) =>
      (["latency", "stream"] as const).flatMap((kind) => SIZES.map((bytes): Stage => ({ kind, pes: count, bytes }))),
    ),
    ...doubling((nodes - 1) * pes).map((senders): Stage => ({ kind: "incast", senders, bytes: SMALLEST })),
    ...doubling((nodes - 1) * pes).map((senders): Stage => ({ kind: "bulk", senders, bytes: BULK })),
  ];
}

/** Limits of a sender's messages in flight: bytes, for the memory of thousands of PEs; and their number. */
const AHEAD_BYTES = 4 * 1024 * 1024;
const MOST_AHEAD = 32;
const AHEAD_INCAST = 8;
/** As an eager exchange has buffers for each lane: others would overflow the queue of a link sooner, or later. */
const AHEAD_BULK = 2;

/** The tasks of a node's PEs in a stage: one for each of the first PEs. */
export function tasksOf(stage: Stage, node: number, size: JobSize, windowNs: number): Task[] {
  const { bytes } = stage;
  if (stage.kind === "incast" || stage.kind === "bulk") return incast(stage, node, size, windowNs);
  const peer = node ^ 1;
  if (peer >= size.nodes) return [];
  const isFirst = node < peer;
  const ahead = Math.max(4, Math.min(MOST_AHEAD, AHEAD_BYTES / bytes));
  return Array.from({ length: stage.pes }, (_, pe): Task => {
    const way = { bytes, windowNs, ahead, tag: DATA + pe, back: BACK + pe };
    if (stage.kind === "latency") return { kind: isFirst ? "ping" : "pong", peer, ...way };
    if (isFirst) return { kind: "source", peer, index: 0, timed: true, ...way };
    return {
      kind: "sink",
      self: node,
      sources: [{ peer, back: way.back }],
      timed: false,
      isBulk: false,
      ...way,
    };
  });
}

function incast(
  { kind, senders, bytes }: Extract<Stage, { senders: number }>,
  node: number,
  { nodes }: JobSize,
  windowNs: number,
): Task[] {
  const isBulk = kind === "bulk";
  const way = { bytes, windowNs, ahead: isBulk ? AHEAD_BULK : AHEAD_INCAST, tag: DATA };
  const placeOf = (index: number) => ({
    peer: 1 + (index % (nodes - 1)),
    pe: Math.floor(index / (nodes - 1)),
  });
  const indices = Array.from({ length: senders }, (_, index) => index);
  if (node === 0) {
    const sources = indices.map(placeOf).map(({ peer, pe }): Source => ({ peer, back: BACK + pe }));
    return [{ kind: "sink", self: 0, sources, timed: true, isBulk, back: BACK, ...way }];
  }
  return indices
    .filter((index) => placeOf(index).peer === node)
    .map((index): Task => {
      const back = BACK + placeOf(index).pe;
      return { kind: "source", peer: 0, index, timed: false, back, ...way };
    });
}
