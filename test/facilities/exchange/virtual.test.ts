/** Exchanges of virtual PEs that await: the programs of real ones, in virtual time. */

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { exchange } from "../../../src/exchange.ts";
import { UsageError } from "../../../src/ground/base/errors.ts";
import type { PE } from "../../../src/pe/pe.ts";
import { DISCIPLINES, type DisciplineName } from "../../../src/route/disciplines/options.ts";
import type { SimulationOptions } from "../../../src/running/simulate/options.ts";
import { simulateAsync } from "../../../src/running/virtual/simulate-async.ts";
import { rounds } from "../../support/long.ts";
import program from "./programs/exchange.program.ts";

const run = <T>(program: (pe: PE) => Promise<T>, options: Partial<SimulationOptions> = {}) =>
  simulateAsync({ pes: 4, nodes: 2, timeout: 10_000, ...options }, program);

const test = suite("exchanges of virtual PEs");

test("every discipline", async () => {
  for (let seed = 1; seed <= rounds(3, 500); seed++) {
    const nodes = [1, 2, 4][seed % 3];
    const args = { part: "async", seed, most: 3000 } as const;
    const { results } = await simulateAsync({ pes: 4, nodes, seed, jitter: seed % 2, args, timeout: 10_000 }, program);
    assert.equal(results, [10, 10, 10, 10]);
  }
});

test("calls that block are refused", async () => {
  await run(async (pe) => {
    const x = exchange(pe);
    for (const [call, instead] of [
      [() => x.serviceQueue(() => {}), /serviceQueue: .* await serviceQueueAsync\(\)/],
      [() => x.finish(() => {}), /finish: .* await finishAsync\(\)/],
      [() => x.all([]), /all: .* await allAsync\(\)/],
    ] as const) {
      assert.throws(call, (error: Error) => error instanceof UsageError && instead.test(error.message));
    }
    const got = await x.allAsync(Array.from({ length: pe.size }, (_, to) => Uint16Array.of(pe.rank, to)));
    assert.equal(
      got.map(([from, to]) => [from, to]),
      Array.from({ length: pe.size }, (_, from) => [from, pe.rank]),
    );
    x.free();
  });
});

/** PE 0 waits in a barrier for all others, whose data needs its tokens, answers or votes. */
const behind = (discipline: DisciplineName) => async (pe: PE) => {
  const x = exchange(pe, { discipline, chunkBytes: 1000 });
  let came = 0;
  const take = ({ bytes }: { readonly bytes: Uint8Array }) => {
    came += bytes.length;
  };
  const to = pe.rank === pe.size - 1 ? 1 : pe.rank + 1;
  if (pe.rank > 0) x.schedule(to, new Uint8Array(5000));
  else await x.serviceQueueAsync(take);
  while (pe.rank > 0 && came < 5000) await x.serviceQueueAsync(take);
  await pe.barrierAsync();
  await x.finishAsync(take);
  return came;
};

for (const discipline of DISCIPLINES) {
  // its lists are known only when all are closed
  if (discipline === "static") continue;
  test(`${discipline}: what others need goes on while a PE waits elsewhere`, async () => {
    const { results } = await run(behind(discipline));
    assert.equal(results, [0, 5000, 5000, 5000]);
  });
}

test.run();
