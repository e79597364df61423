/**
 * The key exchange of J. Dinan, M. Flajslik, "One-Sided Append: A New Communication Paradigm For PGAS Models" (2014),
 * in the simulator: each of 16 PEs, one on each node, appends to the buffers of all others in turn.
 *
 * The baseline adds to the owner's counter, waits for the answer, and puts its data there; a push is its data alone, as
 * the owner keeps the counter. Messages below {@link BUFFERED} are buffered in the network: the call returns at once.
 * Of larger ones, of both kinds, the first message is a header; the owner reads the data by a request of its own, and
 * acknowledges them, and only then the call returns. So both are as listings 4 and 5, sections 3 and 4, and the
 * implementation that the paper measured: Portals 4 on InfiniBand puts small data into the header, and reads others by
 * RDMA (append_init_data and post_tgt_rdma in src/ib of its sources).
 *
 * Limits: the network does what the paper's Portals layer did in software; {@link APPEND_ASSUMED} has what is assumed.
 */
import { bytesText, percentText, ratioText } from "../../../../src/ground/base/units.ts";
import { bytes as bytesOf } from "../../../../src/ground/item/item-type.ts";
import { simulate } from "../../../../src/running/simulate/simulate.ts";
import { type Claim, NEAR } from "../claims/claim.ts";
import { NETWORKS } from "./conveyors.ts";

/** One size of a message; bandwidths are GB/s of a PE. */
export interface AppendRate {
  readonly bytes: number;
  readonly push: number;
  readonly baseline: number;
  /** Push by baseline: figure 3. */
  readonly factor: number;
}

const PES = 16;
const ROUNDS = 4;
/** Bytes from which on a call waits for its completion: section 4. */
const BUFFERED = 1024;
const SIZES = [8, 64, 256, 512, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576];
const QUICK = [8, 512, 1024, 1_048_576];
/** Kinds of active messages: to the owner, and its answers. */
const [ADD, HEADER, PLACE, READ, TAKEN] = [0, 1, 2, 3, 4];

/** Assumptions where the paper gives nothing. */
export const APPEND_ASSUMED: Readonly<Record<string, string>> = {
  network: `FDR InfiniBand as in figure 6 of the paper on conveyors, latency 1.5 us, 300 ns of a node for each message it receives: the paper says "InfiniBand" only`,
  exchange: `${ROUNDS} exchanges, one after another; a PE leaves itself out`,
};

/** Simulates each size. */
export const appendPaper = (quick = false): AppendRate[] =>
  (quick ? QUICK : SIZES).map((bytes) => {
    const [push, baseline] = [false, true].map(
      (isBaseline) => (ROUNDS * (PES - 1) * bytes) / exchange(bytes, isBaseline),
    );
    return { bytes, push, baseline, factor: push / baseline };
  });

/** ns until the last PE has all. */
function exchange(bytes: number, isBaseline: boolean): number {
  const { network } = NETWORKS[6];
  const options = { pes: PES, nodes: PES, network, memoryBytes: 2 ** 26 + 4 * PES * PES * bytes };
  const data = new Uint8Array(bytes);
  const { results } = simulate(options, function* (pe) {
    let isWaiting = false;
    let end = 0;
    let pulled = 0;
    const port = pe.activeMessages((from, [kind]) => {
      if (kind === ADD) {
        port.send(from, [PLACE, end]);
        end += bytes;
      } else if (kind === HEADER) port.send(from, [READ]);
      else isWaiting = false;
    });
    const c = pe.conveyor(bytesOf(bytes), { hops: 1, bufferBytes: bytes, buffersPerLink: 2 });
    yield* c.begin();
    const began = pe.now;
    function* look() {
      yield* c.advance();
      while (c.pull()) {
        pulled++;
        if (bytes >= BUFFERED) port.send(c.from, [TAKEN]);
      }
    }
    function* ask(dest: number, kind: number) {
      isWaiting = true;
      port.send(dest, [kind]);
      while (isWaiting) yield* look();
    }
    for (let i = 0; i < ROUNDS * (PES - 1); i++) {
      const dest = (pe.rank + 1 + (i % (PES - 1))) % PES;
      if (isBaseline) yield* ask(dest, ADD);
      if (bytes >= BUFFERED) yield* ask(dest, HEADER);
      while (!c.push(dest, data)) yield* look();
      c.flush(dest);
      isWaiting = bytes >= BUFFERED;
      while (isWaiting) yield* look();
    }
    while (pulled < ROUNDS * (PES - 1)) yield* look();
    const time = pe.now - began;
    while (yield* c.advance(true));
    yield* c.reset();
    return time;
  });
  return Math.max(...results);
}

/** Times as fast: "more than 5 x"; "about 60 %", which may be off by so much; and what has tapered off. */
const MORE = 5;
const ABOUT = [1.6, 0.2] as const;
const TAPERED = 1.1;

/** The statements of section 4. */
export function appendClaims(rates: readonly AppendRate[]): Claim[] {
  const small = rates.filter(({ bytes }) => bytes < BUFFERED);
  const large = rates.filter(({ bytes }) => bytes >= BUFFERED);
  const [at, last] = [large[0].factor, large[large.length - 1].factor];
  const listed = (of: readonly AppendRate[]) =>
    of.map(({ bytes, factor }) => `${ratioText(factor)} at ${bytesText(bytes)}`).join(", ");
  return [
    {
      place: "4, figure 3",
      claim: "small messages, which are buffered, are pushed more than 5 x as fast",
      agrees: small.every(({ factor }) => factor > MORE),
      numbers: listed(small),
    },
    {
      place: "4, figure 3",
      claim: "messages of 1 KiB are pushed about 60 % faster",
      agrees: Math.abs(at - ABOUT[0]) <= ABOUT[1],
      numbers: `${percentText(at - 1)} faster`,
    },
    {
      place: "4, figure 3",
      claim: "this tapers off for very large messages",
      agrees: last < TAPERED && large.every(({ factor }, i) => i === 0 || factor <= large[i - 1].factor * (1 + NEAR)),
      numbers: listed(large),
    },
  ];
}
