/**
 * The schedule of the discipline `static` as a graph of the graphology library: bipartite, senders on one side and
 * receivers on the other, an edge for each chunk with the round in which it is sent.
 *
 * Example: chunks 0→1, 0→2, 1→2, 2→1: nodes s0, s1, s2, r0, r1, r2; edges s0→r1 and s1→r2 in round 0, s0→r2 and s2→r1
 * in round 1.
 */
import type { MultiDirectedGraph } from "graphology";
import { UsageError } from "../../ground/base/errors.ts";
import { graphology } from "../../ground/base/graphology.ts";
import { checkOptions, optionsOf, whole } from "../../ground/base/options.ts";
import { shortText } from "../../ground/base/short-text.ts";
import { roundsFor } from "../../route/disciplines/edge-colouring.ts";
import { CHUNK_BYTES, MAX_CHUNK_BYTES } from "../../route/disciplines/options.ts";

/** Attributes of a node: a PE as a sender, or as a receiver. */
export type ScheduleNode = {
  pe: number;
  side: "sender" | "receiver";
};

/** Attributes of an edge: a chunk. */
export type ScheduleEdge = {
  /** When it is sent, from 0 on. */
  round: number;
  /** Number of the chunk among those of its sender for its receiver, from 0 on. */
  chunk: number;
};

/** Attributes of the graph. */
export type ScheduleFacts = {
  pes: number;
  /** Number of rounds: the largest number of chunks that one PE sends, or receives. */
  rounds: number;
  chunkBytes: number;
};

const OPTIONS = optionsOf<{ readonly chunkBytes?: number | undefined }>({
  chunkBytes: whole(1, MAX_CHUNK_BYTES),
});

/** A schedule as a bipartite graph of graphology: senders have the keys `s0`, `s1`, …, receivers `r0`, `r1`, …. */
export type ScheduleGraph = MultiDirectedGraph<ScheduleNode, ScheduleEdge, ScheduleFacts>;

/**
 * Makes the schedule of an exchange by the discipline `static`: in each round a PE sends to at most one other, and
 * receives from at most one. What a PE sends to itself needs no round.
 * @param bytes by sender, by receiver: the bytes of one block; 0 for none. N rows of N
 * @param options chunkBytes: bytes that a PE sends in one round, at most. @default 65536
 * @throws UsageError
 */
export function scheduleGraph(
  bytes: readonly ArrayLike<number>[],
  options: { readonly chunkBytes?: number | undefined } = {},
): ScheduleGraph {
  checkOptions("scheduleGraph", OPTIONS, options);
  const { chunkBytes = CHUNK_BYTES } = options;
  checkSizes(bytes);
  const pes = bytes.length;
  const counts = bytes.map((row, from) =>
    Array.from(row, (size, to) => (to === from ? 0 : Math.ceil(size / chunkBytes))),
  );
  const rounds = roundsFor(counts);
  const graph: ScheduleGraph = new (graphology().MultiDirectedGraph)<ScheduleNode, ScheduleEdge, ScheduleFacts>();
  graph.replaceAttributes({ pes, rounds: rounds.length, chunkBytes });
  for (let pe = 0; pe < pes; pe++) graph.addNode(`s${pe}`, { pe, side: "sender" });
  for (let pe = 0; pe < pes; pe++) graph.addNode(`r${pe}`, { pe, side: "receiver" });
  const sent = counts.map(() => new Int32Array(pes));
  for (const [round, receivers] of rounds.entries()) {
    for (const [from, to] of receivers.entries()) {
      if (to < 0) continue;
      const chunk = sent[from][to]++;
      graph.addDirectedEdgeWithKey(`s${from}->r${to}#${chunk}`, `s${from}`, `r${to}`, { round, chunk });
    }
  }
  return graph;
}

function checkSizes(bytes: readonly ArrayLike<number>[]): void {
  if (!Array.isArray(bytes)) {
    throw new UsageError(`scheduleGraph: expected a list of rows, one for each PE, got ${shortText(bytes)}`);
  }
  for (const [from, row] of bytes.entries()) {
    const sizes: unknown = row;
    const isList = Array.isArray(sizes) || ArrayBuffer.isView(sizes);
    const numbers = isList ? Array.from(sizes as ArrayLike<unknown>) : null;
    const isRow =
      numbers !== null &&
      numbers.length === bytes.length &&
      numbers.every((size) => Number.isSafeInteger(size) && (size as number) >= 0);
    if (isRow) continue;
    throw new UsageError(
      `scheduleGraph: expected ${bytes.length} numbers of bytes for sender ${from}, got ${shortText(row)}`,
    );
  }
}
