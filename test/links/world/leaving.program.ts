/** A launched PE joins other worlds, leaves them, and then its own. */
import * as assert from "uvu/assert";
import * as tundish from "../../../src/index.ts";
import { createWorld, join, type PE, type Spmd, spmd } from "../../../src/index.ts";
import { readBinding } from "../../../src/machine/topology/affinity.ts";
import { type Told, tell } from "../../collectives/programs/failing.program.ts";

/** What each call says, one after the other. */
async function callEach(calls: readonly (() => unknown)[]): Promise<Told[]> {
  const told: Told[] = [];
  for (const call of calls) {
    try {
      await call();
      told.push({ name: "nothing", message: String(call) });
    } catch (error) {
      told.push(tell(error));
    }
  }
  return told;
}

/** Every kind of call of a PE and of its group. */
const callsOf = (pe: PE, group: tundish.Group): (() => unknown)[] => [
  () => pe.barrier(),
  () => pe.allreduce(1, "sum"),
  () => pe.broadcast({ a: 1 }),
  () => pe.gatherAsync(1),
  () => pe.alloc(Int8Array, 1),
  () => pe.group([pe.rank]),
  () => group.barrier(),
  () => group.scanAsync(1, "sum"),
];

const program: Spmd = spmd(async (launched) => {
  const told: Told[] = [];
  const before = readBinding();
  for (const order of [
    [0, 1],
    [1, 0],
  ]) {
    using a = await createWorld({ pes: 1 });
    using b = await createWorld({ pes: 1 });
    const pes = [await join(a.ticket(0)), await join(b.ticket(0))];
    const groups = pes.map((pe) => pe.group([0]));
    const underWay = pes.map((pe) => pe.allreduceAsync(3, "sum"));
    assert.is(tundish.allgather(1).length, 1);
    for (const i of order) {
      pes[i].leave();
      pes[i].leave();
      told.push(...(await callEach(callsOf(pes[i], groups[i]))));
      // its memory goes back all the same
      groups[i].leave();
    }
    assert.equal(await Promise.all(underWay), [3, 3]);
    assert.is(tundish.allreduce(1, "sum"), launched.size);
    assert.equal(readBinding(), before);
  }
  const group = launched.group([launched.rank]);
  launched.barrier();
  launched.leave();
  const ofThread = [() => tundish.barrier(), () => tundish.broadcastAsync(1)];
  told.push(...(await callEach([...callsOf(launched, group), ...ofThread])));
  return told;
});

export default program;
