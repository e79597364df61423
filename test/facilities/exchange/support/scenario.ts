/** A run of an exchange in the simulator, drawn or given, with all its promises checked. */
import * as fc from "fast-check";
import * as assert from "uvu/assert";
import { decideExchange } from "../../../../src/facilities/exchange/decide.ts";
import { type ExchangeStats, Phases } from "../../../../src/facilities/exchange/phases.ts";
import type { Porter, SitePlan } from "../../../../src/links/transport/contract.ts";
import type { SimulatedNetwork } from "../../../../src/plan/network/network.ts";
import { DISCIPLINES, type DisciplineName, type ExchangeOptions } from "../../../../src/route/disciplines/options.ts";
import { newSimulatedExchange, type SimulatedExchange } from "../../../../src/running/simulate/exchange.ts";
import { VirtualMachine } from "../../../../src/running/simulate/machine.ts";
import { type SimulatedFault, settle } from "../../../../src/running/simulate/options.ts";
import { ConveyorRoom } from "../../../../src/running/simulate/room.ts";
import { blocksOf, dataOf, PATTERNS, Receipt, type Traffic } from "./blocks.ts";
import { Observer, type Promised } from "./observer.ts";

export interface Scenario {
  readonly options: ExchangeOptions & { readonly discipline: DisciplineName; readonly chunkBytes: number };
  readonly pes: number;
  readonly nodes: number;
  readonly seed: number;
  readonly jitter: number;
  readonly faults: readonly SimulatedFault[];
  readonly network: SimulatedNetwork;
  readonly phases: readonly Traffic[];
  /** Share of blocks after which a PE looks for what came; the others are scheduled at once. */
  readonly busy: number;
}

const NOTHING: Promised = { oneSender: false, oneReceiver: false, tokens: false };
const ONE: Promised = { oneSender: true, oneReceiver: true, tokens: false };

export const PROMISED: Readonly<Record<DisciplineName, Promised>> = {
  eager: NOTHING,
  interleaved: NOTHING,
  random: NOTHING,
  "cyclic-shift": { ...NOTHING, oneReceiver: true },
  barrier: ONE,
  token: { ...ONE, tokens: true },
  "request-token": ONE,
  dynamic: ONE,
  static: ONE,
  "iterative-matching": ONE,
};

/** What a run has shown. */
export interface Played {
  readonly observer: Observer;
  readonly stats: readonly ExchangeStats[];
  /** ns */
  readonly time: number;
}

/** Of virtual time: some disciplines take many rounds of many votes, over a slow network. */
const TIMEOUT_MS = 1e7;

/** Plays a scenario. @throws AssertionError, and the error that ended the world */
export function play({ options, pes, nodes, phases, busy, ...world }: Scenario): Played {
  const { seed, jitter, faults, network } = world;
  const machine = new VirtualMachine(settle({ pes, nodes, seed, jitter, faults, network, timeout: TIMEOUT_MS }));
  const room = new ConveyorRoom(machine, []);
  const observer = new Observer(pes, options.chunkBytes, PROMISED[options.discipline]);
  const exchangeOf = (rank: number): SimulatedExchange => {
    const context = room.sites(rank);
    const views = () => machine.memory.views;
    const wraps = [
      (porter: Porter) => observer.data(rank, porter, views),
      (porter: Porter) => observer.control(rank, porter, views),
    ];
    const site = (plan: SitePlan, maxBytes: number) => context.site({ ...plan, wrap: wraps.shift() }, maxBytes);
    return newSimulatedExchange(new Phases({ rank, size: context.size, site }, decideExchange(context, options)));
  };
  machine.run(function* ({ rank }): Generator<void, ExchangeStats, void> {
    const x = exchangeOf(rank);
    for (const [number, traffic] of phases.entries()) {
      observer.begin(rank, number);
      const receipt = new Receipt(traffic, rank, pes);
      for (const [at, block] of blocksOf(traffic, rank, pes).entries()) {
        x.schedule(block.dest, dataOf(rank, block), block.tag);
        if (((at * 7 + rank) % 10) / 10 < busy) yield* x.serviceQueue((chunk) => receipt.take(chunk));
      }
      yield* x.finish((chunk) => receipt.take(chunk));
      receipt.close();
    }
    const stats = x.stats();
    x.free();
    return stats;
  });
  machine.memory.leave();
  assert.equal(observer.broken, []);
  return { observer, stats: machine.pes.map(({ result }) => result as ExchangeStats), time: machine.time };
}

/** Bytes of the largest block of a phase. */
const BYTES = fc.oneof(fc.nat(200), fc.nat(4000));
const network: fc.Arbitrary<SimulatedNetwork> = fc.constantFrom<SimulatedNetwork>(
  {},
  { alpha: 50_000, beta: 1 },
  { injection: { byte: 1 }, ejection: { message: 500, byte: 2 }, queue: 2, packetBytes: 256 },
  { injection: { byte: 2 }, ejection: { byte: 3 }, queue: 1, packetBytes: 100, interleaved: true },
  { injection: { byte: 1 }, ejection: { byte: 2 }, queue: 2, packetBytes: 256, processor: true, control: true },
);

/**
 * Drawn scenarios of a discipline.
 * @param every rounds from barrier to barrier, to draw from
 * @param most bytes of the largest block of a phase
 */
export const scenarios = (
  discipline: DisciplineName,
  every: readonly (number | undefined)[] = [undefined],
  most: fc.Arbitrary<number> = BYTES,
): fc.Arbitrary<Scenario> =>
  fc.tuple(fc.integer({ min: 1, max: 9 }), fc.boolean()).chain(([pes, isOnNodes]) =>
    fc.record({
      options: fc.record({
        discipline: fc.constant(discipline),
        chunkBytes: fc.constantFrom(1000, 64, 256, 5000),
        packetBytes: fc.constantFrom(1000, 96, 2000),
        buffersPerLink: fc.constantFrom(2 as const, 1 as const, 4 as const),
        window: discipline === "dynamic" ? fc.constantFrom(8, 1, 2, 31) : fc.constant(undefined),
        barrierEvery: fc.constantFrom(...every),
        pace: fc.constantFrom(undefined, undefined, undefined, 1e8),
      }),
      pes: fc.constant(pes),
      nodes: fc.constant(isOnNodes ? pes : pes % 2 === 0 ? 2 : 1),
      seed: fc.nat(),
      jitter: fc.constantFrom(0, 0.5, 5),
      faults: fc.array(
        fc.record({
          pe: fc.nat(pes - 1),
          at: fc.nat(200_000),
          kind: fc.constant("stall" as const),
          lasting: fc.nat(200_000),
        }),
        { maxLength: 3 },
      ),
      network,
      phases: fc.array(
        fc.record({
          pattern: fc.constantFrom(...PATTERNS),
          seed: fc.nat(1000),
          blocks: fc.nat(12),
          most,
        }),
        { minLength: 1, maxLength: 3 },
      ),
      busy: fc.constantFrom(0, 0.3, 1),
    }),
  );

export { DISCIPLINES };
