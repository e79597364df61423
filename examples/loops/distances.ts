// Edit distances of all pairs of sequences, as a condensed matrix, on all PEs.
// The loop is the one that datagrok-ai/public describes in its pull request 1999: a triangle of pairs, each with a table.
import { isEntry, launch, type PE, type Spmd, spmd } from "tundish";
import { forEach } from "tundish/loop";
import { randomAt } from "../support/input.ts";
import { argumentsOf, turnsOf } from "./turns.ts";

/** Sequences of amino acids, from 20 to 220 of them. */
function sequencesOf(count: number): Uint8Array[] {
  return Array.from({ length: count }, (_, s) =>
    Uint8Array.from({ length: 20 + Math.floor(200 * randomAt(1, s)) }, (_, i) => 20 * randomAt(2 + s, i)),
  );
}

const LONGEST = 220;
const row = new Uint16Array(LONGEST + 1);

/** The least number of insertions, deletions and substitutions that make b of a (Levenshtein), by rows of the table. */
function distance(a: Uint8Array, b: Uint8Array): number {
  for (let j = 0; j <= b.length; j++) row[j] = j;
  for (let i = 1; i <= a.length; i++) {
    const letter = a[i - 1];
    let diagonal = i - 1;
    row[0] = i;
    for (let j = 1; j <= b.length; j++) {
      const above = row[j];
      const substituted = letter === b[j - 1] ? diagonal : diagonal + 1;
      row[j] = Math.min(substituted, above + 1, row[j - 1] + 1);
      diagonal = above;
    }
  }
  return row[b.length];
}

/** That of sequences i and j < i is at i (i - 1) / 2 + j. */
function distancesOf(pe: PE, sequences: readonly Uint8Array[], distances: Float32Array): Float32Array {
  forEach(pe, sequences.length, (i) => {
    const start = (i * (i - 1)) / 2;
    for (let j = 0; j < i; j++) {
      const longer = Math.max(sequences[i].length, sequences[j].length);
      distances[start + j] = distance(sequences[i], sequences[j]) / longer;
    }
  });
  return distances;
}

const program: Spmd = spmd((pe, args) => {
  const { size, turns } = argumentsOf(args as string[], 400);
  const sequences = sequencesOf(size);
  const distances = pe.allocShared(Float32Array, (size * (size - 1)) / 2);
  return turnsOf(turns, () => distancesOf(pe, sequences, distances));
});

export default program;
if (isEntry(import.meta))
  console.log(JSON.stringify((await launch(import.meta.url, { args: process.argv.slice(2) }))[0]));
