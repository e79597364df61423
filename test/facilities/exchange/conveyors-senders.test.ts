/** What disciplines promise, of conveyors in the simulator: who sends to whom now, as seen at the porters behind them. */
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { makeRigid } from "../../../src/facilities/conveyor/front/make-conveyor.ts";
import { u32 } from "../../../src/ground/item/item-type.ts";
import { DONE } from "../../../src/links/status/state.ts";
import type { Porter, SitePlan } from "../../../src/links/transport/contract.ts";
import type { ConveyorDiscipline, ConveyorOptions } from "../../../src/route/geometry/options.ts";
import { newSimulatedConveyor } from "../../../src/running/simulate/conveyors.ts";
import { VirtualMachine } from "../../../src/running/simulate/machine.ts";
import { type SimulationOptions, settle } from "../../../src/running/simulate/options.ts";
import { ConveyorRoom } from "../../../src/running/simulate/room.ts";
import { rounds } from "../../support/long.ts";
import { mix } from "../conveyor/support/payloads.ts";
import { spied } from "./support/observer.ts";

interface Run extends Pick<SimulationOptions, "pes" | "nodes" | "seed" | "jitter"> {
  readonly options: ConveyorOptions;
  /** Items of each PE in each session, and whether all are for one PE. */
  readonly count: number;
  readonly isHot: boolean;
}

/** Links of the hop between nodes, or of the only one. */
class Senders {
  /** Largest number of senders of one receiver, and of receivers of one sender, at once. */
  most = 0;
  mostOfOne = 0;
  readonly #links: { from: number; to: number; isSending: () => boolean }[] = [];

  watch(from: number, plan: SitePlan, porter: Porter, hop: number): Porter {
    if (hop !== Math.min(1, plan.hops.length - 1)) return porter;
    for (const [link, to] of plan.hops[hop].friends.entries()) {
      if (to >= 0 && to !== from) this.#links.push({ from, to, isSending: () => porter.isSending(link) });
    }
    return spied(porter, (link) => this.#sends(from, plan.hops[hop].friends[link]));
  }

  #sends(from: number, to: number): void {
    if (from === to) return;
    // the packet that is about to leave makes one more
    const busy = this.#links.filter((one) => !(one.from === from && one.to === to) && one.isSending());
    this.most = Math.max(this.most, 1 + busy.filter((one) => one.to === to).length);
    this.mostOfOne = Math.max(this.mostOfOne, 1 + busy.filter((one) => one.from === from).length);
  }
}

function run({ options, count, isHot, ...world }: Run): Senders {
  // buffers take a while to leave
  const network = { alpha: 2000, beta: 1, injection: { byte: 20 }, ejection: { byte: 20 } };
  const machine = new VirtualMachine(settle({ ...world, network, timeout: 1e6 }));
  const room = new ConveyorRoom(machine, []);
  const senders = new Senders();
  machine.run(function* ({ rank }) {
    const context = room.sites(rank);
    const site = (plan: SitePlan, maxBytes: number) => {
      if (plan.name.startsWith("control")) return context.site(plan, maxBytes);
      const wrap = (porter: Porter, hop: number): Porter => {
        const seen = senders.watch(rank, plan, porter, hop);
        return plan.wrap?.(seen, hop) ?? seen;
      };
      return context.site({ ...plan, wrap }, maxBytes);
    };
    // the getters of a context are read once
    const own = { ...context, site };
    const c = newSimulatedConveyor(makeRigid(own, u32, { bufferBytes: 64, ...options }));
    for (let session = 0; session < 2; session++) {
      yield* c.begin();
      const got = new Int32Array(c.size);
      for (let i = 0; (yield* c.advance(i === count)) !== DONE; ) {
        for (; i < count && c.push(isHot ? 0 : mix(rank, i) % c.size, i); i++);
        while (c.pull()) {
          assert.ok(c.item >= got[c.from], "in order");
          got[c.from] = c.item + 1;
        }
      }
      yield* c.reset();
    }
    c.free();
  });
  machine.memory.leave();
  return senders;
}

const runs = (discipline: ConveyorDiscipline): fc.Arbitrary<Run> =>
  fc.record({
    options: fc.record({
      discipline: fc.constant(discipline),
      hops: fc.constantFrom(1 as const, 2 as const, 3 as const),
      buffersPerLink: fc.constantFrom(1 as const, 2 as const),
      steady: fc.boolean(),
    }),
    pes: fc.constantFrom(8, 12, 4),
    nodes: fc.constant(4),
    seed: fc.nat(),
    jitter: fc.constantFrom(0, 0.5, 5),
    count: fc.constantFrom(100, 300, 3),
    isHot: fc.boolean(),
  });

const test = suite("senders of conveyors under disciplines");

for (const discipline of ["token", "dynamic", "barrier", "request-token", "iterative-matching"] as const) {
  test(`${discipline}: one sender for each receiver, one receiver for each sender`, () => {
    fc.assert(
      fc.property(runs(discipline), (one) => {
        const { most, mostOfOne } = run(one);
        assert.ok(most <= 1, `${most} senders`);
        assert.ok(mostOfOne <= 1, `${mostOfOne} receivers`);
      }),
      { numRuns: rounds(6, 5000) },
    );
  });
}

test("without, there are more", () => {
  const options = { discipline: "eager", hops: 1 } as const;
  const { most, mostOfOne } = run({
    ...{ options, pes: 8, nodes: 8, seed: 1, jitter: 0.5, count: 300 },
    isHot: false,
  });
  assert.ok(most > 1 && mostOfOne > 1, `${most} senders, ${mostOfOne} receivers`);
});

test.run();
