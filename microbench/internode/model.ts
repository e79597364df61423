/** Converts the measurements between nodes to the `internode` field of a machine model. */

import { median } from "../../src/ground/base/math.ts";
import type { Internode, InternodePEs } from "../../src/machine/model/internode.ts";
import { fitLine, fitPieces } from "./fit.ts";
import type { Outcome } from "./slices.ts";
import { SIZES, type Stage } from "./tasks.ts";

/** A stage and its result. */
export interface Found extends Outcome {
  readonly stage: Stage;
}

/** Further data of the model. */
export interface JobFacts {
  readonly nodes: number;
  readonly machines: number;
  readonly library: string;
}

type OfPairs = Extract<Stage, { pes: number }>;
const isOfPairs = (stage: Stage): stage is OfPairs => "pes" in stage;

const round = (value: number): number => Math.round(value * 100) / 100;

/** The model of all stages of a job. */
export function modelOf(found: readonly Found[], { nodes, machines, library }: JobFacts): Internode {
  const sizes = sizesOf(found);
  const pes = pesOf(found, sizes);
  const incast = found.flatMap(({ stage, value, busy }) =>
    stage.kind === "incast" ? [{ senders: stage.senders, time: round(value), busy: round(busy) }] : [],
  );
  const bulk = found.flatMap(({ stage, value }) =>
    stage.kind === "bulk" ? [{ senders: stage.senders, bytes: stage.bytes, time: round(value) }] : [],
  );
  const [{ alpha, beta }] = pes;
  return {
    alpha,
    beta,
    unit: "ns",
    nodes,
    machines,
    library,
    sizes,
    pes,
    incast,
    bulk,
    receiver: receiverOf(incast),
    spread: Number(median(found.map(({ spread }) => spread)).toFixed(4)),
  };
}

/** Those that were measured with every number of PEs: on a slow link not the largest. */
function sizesOf(found: readonly Found[]): number[] {
  const counts = SIZES.map((bytes) => found.filter(({ stage }) => isOfPairs(stage) && stage.bytes === bytes).length);
  return SIZES.filter((_, i) => counts[i] === counts[0]);
}

function pesOf(found: readonly Found[], sizes: readonly number[]): InternodePEs[] {
  const counts = new Set(found.flatMap(({ stage }) => (isOfPairs(stage) ? [stage.pes] : [])));
  return [...counts].map((pes) => {
    const of = (kind: OfPairs["kind"]) =>
      found.filter(
        ({ stage }) => isOfPairs(stage) && stage.kind === kind && stage.pes === pes && sizes.includes(stage.bytes),
      );
    const latency = of("latency").map(({ value }) => round(value));
    const streams = of("stream");
    const stream = streams.map(({ value }) => round(value));
    const pieces = fitPieces(sizes, latency);
    const { alpha: message, beta: byte, residual } = fitLine(sizes, stream);
    return {
      pes,
      ...fitLine(sizes, latency),
      ...(pieces && { pieces }),
      latency,
      stream,
      gap: { message, byte, residual },
      overhead: round(streams[0].busy),
    };
  });
}

/**
 * The work of a receiver that gets one message from each of k senders, as a line over k. It is the work and not the
 * time between messages, which includes waiting if there is a single sender.
 */
function receiverOf(incast: NonNullable<Internode["incast"]>): NonNullable<Internode["receiver"]> {
  // one point gives no line: all of it counts as the senders' part, as more senders mean more work
  if (incast.length === 1) return { fixed: 0, sender: incast[0].busy, residual: { median: 0, worst: 0 } };
  const {
    alpha: fixed,
    beta: sender,
    residual,
  } = fitLine(
    incast.map(({ senders }) => senders),
    incast.map(({ senders, busy }) => senders * busy),
  );
  return { fixed, sender, residual };
}
