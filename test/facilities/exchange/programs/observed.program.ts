/**
 * Who sends to whom at the same time, as seen from outside: the events of all chunks, collected at PE 0.
 *
 * All PEs send to PE 0 and to each other, in chunks of more packets than a lane has buffers; PE 0 takes nothing before all others
 * have had a chance to begin.
 */

import { subscribe, unsubscribe } from "node:diagnostics_channel";
import * as assert from "uvu/assert";
import { type ChunkSent, exchange as exchangeOf } from "../../../../src/exchange.ts";
import { type PE, type Spmd, spmd } from "../../../../src/index.ts";
import { DISCIPLINES, type DisciplineName } from "../../../../src/route/disciplines/options.ts";

/** Those that have one sender at each receiver. */
const ALONE: readonly DisciplineName[] = [
  "barrier",
  "token",
  "request-token",
  "dynamic",
  "static",
  "iterative-matching",
];
const CHUNK = 65_536;
/** To PE 0, and to each other one. */
const CHUNKS = [4, 2] as const;
/** What the clocks of two PEs may differ by, ms. */
const CLOCKS = 0.2;

function eventsOf(pe: PE, discipline: DisciplineName): ChunkSent[] {
  const events: ChunkSent[] = [];
  const listener = (event: unknown) => {
    events.push(event as ChunkSent);
  };
  subscribe("tundish:exchange:sent", listener);
  const x = exchangeOf(pe, { name: "seen", discipline, chunkBytes: CHUNK, packetBytes: 4096 });
  const sent: number[] = [];
  for (let to = 0; to < pe.size; to++) {
    if (to === pe.rank) continue;
    for (let chunk = 0; chunk < CHUNKS[Math.min(to, 1)]; chunk++) {
      x.schedule(to, new Uint8Array(CHUNK - chunk));
      sent.push(to * CHUNK + CHUNK - chunk);
    }
  }
  const take = () => {};
  if (pe.rank > 0) x.serviceQueue(take);
  pe.barrier();
  x.finish(take);
  x.free();
  unsubscribe("tundish:exchange:sent", listener);
  for (const { exchange, rank, began, ended } of events) {
    assert.equal([exchange, rank], ["exchange seen", pe.rank]);
    assert.ok(began > 0 && ended >= began);
  }
  assert.equal(events.map(({ to, bytes }) => to * CHUNK + bytes).sort(), sent.sort(), "each chunk once");
  return events;
}

/** ms for which two PEs have sent to one at the same time, at most. */
function overlapOf(events: readonly ChunkSent[], size: number): number {
  let most = 0;
  for (let receiver = 0; receiver < size; receiver++) {
    const all = events.filter(({ to }) => to === receiver).sort((a, b) => a.began - b.began);
    for (const [i, { rank, ended }] of all.entries()) {
      for (const next of all.slice(i + 1)) {
        if (next.rank !== rank) most = Math.max(most, Math.min(ended, next.ended) - next.began);
      }
    }
  }
  return most;
}

/** The number of disciplines that were seen, at each PE. */
const main: Spmd = spmd((pe) => {
  for (const discipline of DISCIPLINES) {
    const all = pe.gather(eventsOf(pe, discipline), 0);
    if (all === undefined) continue;
    const overlap = overlapOf(all.flat() as ChunkSent[], pe.size);
    if (ALONE.includes(discipline)) {
      assert.ok(overlap <= CLOCKS, `${discipline}: two senders at once for ${overlap} ms`);
    } else if (discipline === "eager") {
      assert.ok(overlap > CLOCKS, `eager: two senders at once for ${overlap} ms only`);
    }
  }
  return DISCIPLINES.length;
});
export default main;
