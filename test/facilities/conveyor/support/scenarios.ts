/** Scenarios that are drawn: options, PEs, sessions, and what goes wrong meanwhile. */
import * as fc from "fast-check";
import { type Case, meshOf } from "./cases.ts";
import { PATTERNS } from "./payloads.ts";
import type { Scenario } from "./scenario.ts";

/** PEs, in groups, on nodes. */
export interface World {
  readonly pes: number;
  readonly groupSize: number;
  readonly nodes: number;
}

const session = fc.record({
  pattern: fc.constantFrom(...PATTERNS),
  count: fc.oneof({ weight: 4, arbitrary: fc.nat(30) }, fc.nat(150)),
  seed: fc.nat(),
  reject: fc.constantFrom(0, 0.1, 0.5),
  low: fc.boolean(),
  burst: fc.constantFrom(1000, 1, 3, 20),
  lazy: fc.constantFrom(0, 0.3, 0.8),
});

/** Groups and numbers of PEs that go together. */
const worlds: fc.Arbitrary<World> = fc
  .tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 4 }))
  .chain(([rows, groupSize]) =>
    fc.record({
      pes: fc.constant(rows * groupSize),
      groupSize: fc.constant(groupSize),
      nodes: fc.constantFrom(1, rows),
    }),
  );

/** Scenarios of one kind. @param among the PEs that are drawn */
export function scenarios(front: Case["front"], among: fc.Arbitrary<World> = worlds): fc.Arbitrary<Scenario> {
  const type = fc.constantFrom(
    "tensor",
    "tensor",
    "tensor",
    "simple",
    ...(front.startsWith("elastic") ? [] : ["trivial"]),
  );
  return fc
    .tuple(
      among,
      fc.record({
        type,
        hops: fc.constantFrom(1, 2, 3),
        isMesh: fc.boolean(),
        buffersPerLink: fc.constantFrom(1, 2, 4),
        steady: fc.boolean(),
        compress: fc.boolean(),
        bufferBytes: fc.constantFrom(24, 64, 130, 256, 1000),
      }),
      fc.record({
        seed: fc.nat(),
        jitter: fc.constantFrom(0, 0.5, 5, 50),
        stalls: fc.array(
          fc.record({
            pe: fc.nat(),
            at: fc.nat(200_000),
            lasting: fc.constantFrom(1000, 100_000, 5_000_000),
          }),
          { maxLength: 3 },
        ),
        itemBytes: fc.constantFrom(1, 2, 3, 7, 8, 24),
        window: fc.constantFrom(2, 3, 50, 8192),
        sessions: fc.array(session, { minLength: 1, maxLength: 3 }),
      }),
    )
    .map(([{ pes, groupSize, nodes }, { type, hops, isMesh, steady, compress, ...rest }, more]) => {
      const isTensor = type === "tensor";
      const mesh = hops === 1 ? [pes] : hops === 2 ? [groupSize, pes / groupSize] : meshOf(pes, 4);
      const options = {
        type,
        ...rest,
        // a token goes with each
        ...(front === "bi" ? { bufferBytes: Math.max(rest.bufferBytes, 32) } : { steady }),
        ...(isTensor ? (isMesh ? { mesh } : { hops, ...(hops > 1 ? { groupSize } : {}) }) : {}),
        ...(isTensor && compress ? { compress } : {}),
      } as Scenario["options"];
      if (front === "elastic bi") delete (options as { steady?: boolean }).steady;
      return {
        front,
        options,
        pes,
        nodes,
        ...more,
        stalls: more.stalls.map((stall) => ({ ...stall, pe: stall.pe % pes })),
      };
    });
}
