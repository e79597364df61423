/**
 * The cost of aggregation in the simulator: PEs make items at a rate, for PEs that are drawn at random, and send them
 * in buffers of so many.
 *
 * The cost of an item is that of its messages, alpha for each, and kappa times its added delay: the time from when it
 * is made until it is pulled, less that of an item that is sent by itself by messages that cost nothing, which is what
 * the next look at the inbox takes.
 *
 * A message takes alpha / 2 of its sender, and alpha / 2 of its receiver, who gives the buffer back by a message. All
 * PEs are on one node.
 */
import { bytes, f64, struct } from "../../../../src/ground/item/item-type.ts";
import type { MachineModel } from "../../../../src/machine/model/machine-model.ts";
import type { SimulationOptions } from "../../../../src/running/simulate/options.ts";
import { simulate } from "../../../../src/running/simulate/simulate.ts";

/** A machine, a rate, and what a delay costs. */
export interface AggregationCase {
  readonly pes: number;
  readonly hops: 1 | 2;
  /** Links of a PE on each hop. */
  readonly links: number;
  /** The cost of a message, ns; and of each byte on its way, ns. */
  readonly alpha: number;
  readonly beta: number;
  /** Items per second of a PE. */
  readonly rate: number;
  readonly itemBytes: number;
  readonly kappa: number;
  readonly seed: number;
}

/** Of an item, means over all. */
export interface SimulatedCost {
  /** Messages, over all hops. */
  readonly messages: number;
  /** From when it is made until it is pulled, ns. */
  readonly delay: number;
}

/** Bytes of a time. */
const STAMP = 8;
/** A PE looks at its inbox and pushes for next to nothing: alpha is all that counts. */
const COSTS = { push: 1, pull: 1, advance: 1 };
/** Parts of the work between two items. */
const PARTS = 4;
/** ms of virtual time */
const TIMEOUT = 1e9;

/** The virtual machine. @param alpha of a message */
export const simulationOf = (
  { pes, beta, seed }: AggregationCase,
  alpha: number,
): SimulationOptions & { readonly pes: number } => ({
  pes,
  seed,
  machine: machineOf(pes, alpha / 2),
  costs: { ...COSTS, byte: beta },
  timeout: TIMEOUT,
});

/** @param items of a buffer @param fills times that each buffer becomes full @param alpha of a message */
export function runAggregation(
  of: AggregationCase,
  items: number,
  fills: number,
  alpha: number = of.alpha,
): SimulatedCost {
  const { pes, hops, links, rate, itemBytes } = of;
  const load = Math.max(100 * links, Math.ceil(fills * items * links));
  const [gap, rest] = [1e9 / rate, new Uint8Array(Math.max(1, itemBytes - STAMP))];
  const item = struct({ made: f64, rest: bytes(rest.length) });
  const choice = { hops, groupSize: links, bufferBytes: items * itemBytes, buffersPerLink: 4 } as const;
  const { results, conveyors } = simulate(simulationOf(of, alpha), function* (pe) {
    const c = pe.conveyor(item, choice);
    let delay = 0;
    // each advance brings one buffer
    function* look() {
      yield* c.advance();
      while (c.pull()) delay += pe.now - c.item.made;
    }
    yield* c.begin();
    const start = pe.now + pe.random() * gap;
    for (let i = 0; i < load; i++) {
      const made = start + i * gap;
      // work in parts, as what arrives meanwhile is to be seen; an item that could not be made in time is late
      while (pe.now < made) {
        pe.work(Math.min(made - pe.now, gap / PARTS));
        yield* look();
      }
      const dest = Math.floor(pe.random() * pe.size);
      while (!c.push(dest, made, rest)) yield* look();
      yield* look();
    }
    while (yield* c.advance(true)) while (c.pull()) delay += pe.now - c.item.made;
    yield* c.reset();
    return delay;
  });
  const all = pes * load;
  return {
    messages: (conveyors[0]?.hops ?? []).reduce((sum, hop) => sum + hop.messages, 0) / all,
    delay: results.reduce((sum, one) => sum + one, 0) / all,
  };
}

/** PEs whose messages all cost the same. @param send ns of a sender @param source of the model */
export function machineOf(pes: number, send: number, source = "bench plan --aggregation"): MachineModel {
  const row = new Array<number>(pes).fill(send);
  return {
    schema: "tundish/machine@1",
    name: "messages that cost the same",
    source,
    unit: "ns",
    measured: "nothing",
    pes: row.map((_, cpu) => ({ cpu, core: cpu, numa: 0, package: 0 })),
    send: row.map(() => row),
    receive: row.map(() => new Array<number>(pes).fill(0)),
  };
}
