/** A launched PE joins other worlds, leaves them, and then its own. */
import * as assert from "uvu/assert";
import * as tundish from "../../src/index.ts";
import { createGroup, join, type PE, type Spmd, spmd } from "../../src/index.ts";
import { readBinding } from "../../src/machine/affinity.ts";
import { type Told, tell } from "../collectives/failing.program.ts";

/** What every kind of call of a PE, of its group and of its thread says. */
async function callAll(pe: PE, group: tundish.Group): Promise<Told[]> {
  const told: Told[] = [];
  for (const call of [
    () => pe.barrier(),
    () => pe.allreduce(1, "sum"),
    () => pe.broadcast({ a: 1 }),
    () => pe.gatherAsync(1),
    () => pe.alloc(Int8Array, 1),
    () => pe.group([pe.rank]),
    () => group.barrier(),
    () => group.scanAsync(1, "sum"),
  ]) {
    try {
      await call();
      told.push({ name: "nothing", message: String(call) });
    } catch (error) {
      told.push(tell(error));
    }
  }
  return told;
}

const program: Spmd = spmd(async (launched) => {
  const told: Told[] = [];
  const before = readBinding();
  for (const order of [
    [0, 1],
    [1, 0],
  ]) {
    using a = await createGroup({ pes: 1 });
    using b = await createGroup({ pes: 1 });
    const pes = [await join(a.ticket(0)), await join(b.ticket(0))];
    const groups = pes.map((pe) => pe.group([0]));
    const underWay = pes.map((pe) => pe.allreduceAsync(3, "sum"));
    assert.is(tundish.allgather(1).length, 1);
    for (const i of order) {
      pes[i].leave();
      pes[i].leave();
      told.push(...(await callAll(pes[i], groups[i])));
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
  told.push(...(await callAll(launched, group)));
  for (const call of [() => tundish.barrier(), () => tundish.broadcastAsync(1)]) {
    try {
      await call();
      told.push({ name: "nothing", message: String(call) });
    } catch (error) {
      told.push(tell(error));
    }
  }
  return told;
});

export default program;
