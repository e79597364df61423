/**
 * Edge colouring of a bipartite multigraph: senders on one side, receivers on the other, an edge for each chunk. Edges
 * of one colour have no end in common, so each colour is a round in which no two PEs send to one, and none sends to
 * two. The number of rounds is the largest number of chunks of one PE, sent or received, which no schedule can beat.
 *
 * Each edge takes a colour that is free at its sender, `a`, and one that is free at its receiver, `b`. If no colour is
 * free at both, the path of edges with a and b in turn that begins at the receiver does not reach the sender: they swap
 * colours, and a is free at both.
 *
 * Source: D. König, "Über Graphen und ihre Anwendung auf Determinantentheorie und Mengenlehre", 1916.
 *
 * Example: chunks 0→1, 0→2, 1→2, 2→1 take two rounds: {0→1, 1→2} and {0→2, 2→1}.
 */

/** @param counts chunks by sender, by receiver; N x N @returns by round, by sender: the receiver; -1 for none */
export function roundsFor(counts: readonly ArrayLike<number>[]): Int32Array[] {
  const size = counts.length;
  const degree = degreeOf(counts);
  const rounds = Array.from({ length: degree }, () => new Int32Array(size).fill(-1));
  // by round, by receiver: the sender
  const senders = Array.from({ length: degree }, () => new Int32Array(size).fill(-1));
  const freeAt = (side: readonly Int32Array[], pe: number) => side.findIndex((round) => round[pe] < 0);
  for (let from = 0; from < size; from++) {
    for (let to = 0; to < size; to++) {
      for (let left = counts[from][to]; left > 0; left--) {
        const a = freeAt(rounds, from);
        const b = freeAt(senders, to);
        if (senders[a][to] >= 0) swap(rounds, senders, to, a, b);
        rounds[a][from] = to;
        senders[a][to] = from;
      }
    }
  }
  return rounds;
}

/** The largest number of chunks that one PE sends, or receives. */
function degreeOf(counts: readonly ArrayLike<number>[]): number {
  const size = counts.length;
  let degree = 0;
  for (let pe = 0; pe < size; pe++) {
    let sends = 0;
    let receives = 0;
    for (let other = 0; other < size; other++) {
      sends += counts[pe][other];
      receives += counts[other][pe];
    }
    degree = Math.max(degree, sends, receives);
  }
  return degree;
}

/** Swaps two colours along the path that begins at a receiver with an edge of colour `a`. */
function swap(
  rounds: readonly Int32Array[],
  senders: readonly Int32Array[],
  receiver: number,
  a: number,
  b: number,
): void {
  const path: [from: number, to: number, colour: number][] = [];
  let to = receiver;
  for (;;) {
    const from = senders[a][to];
    if (from < 0) break;
    path.push([from, to, a]);
    const next = rounds[b][from];
    if (next < 0) break;
    path.push([from, next, b]);
    to = next;
  }
  for (const [from, end, colour] of path) {
    rounds[colour][from] = -1;
    senders[colour][end] = -1;
  }
  for (const [from, end, colour] of path) {
    const other = colour === a ? b : a;
    rounds[other][from] = end;
    senders[other][end] = from;
  }
}
