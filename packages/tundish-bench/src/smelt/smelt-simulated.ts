/**
 * Trees on other machines, by their matrices: the same as smelt-trees.ts, in the simulator, by the library's own
 * collectives and channels in virtual time (src/running/virtual). One PE for each core, as in the paper.
 *
 * Every operation begins at the same virtual time at all PEs. It is done twice for each leaf, and the second one
 * counts, as only then everything that is made at the first use is there.
 *
 * Limits: the simulator has the costs of the very model that predicts, so this shows how far the library does what the
 * model says, polling, room in channels and order of receives included; it does not show that a machine behaves like
 * its matrix.
 */

import { setImmediate } from "node:timers/promises";
import type { Progress } from "../../../../microbench/pairs/profiled.ts";
import { casesOf, type TreeCase } from "../../../../microbench/trees/tree-cases.ts";
import { type Group, type PE, u32 } from "../../../../src/index.ts";
import type { MachineModel } from "../../../../src/machine/model/machine-model.ts";
import { selectPEs } from "../../../../src/machine/model/select.ts";
import { channel, type ItemChannel } from "../../../../src/messages.ts";
import { simulateAsync } from "../../../../src/running/virtual/simulate-async.ts";
import { figure10Machines, onePerCore, tenMachines } from "./fixtures.ts";
import { groupsOn } from "./group-members.ts";
import type { SmeltOptions } from "./smelt-options.ts";
import { figureOf } from "./smelt-trees.ts";
import { type MemberGroup, rankingsOf, type TreeFigure, type TreesTable } from "./tree-tables.ts";

/** The simulator's clock for models in cycles: docs/simulate.md. */
const CYCLES_PER_NS = 2.5;
/** A PE's own work costs nothing: it is not in the model. */
const NO_COSTS = { push: 0, pull: 0, advance: 0, byte: 0 };
/** Operations are so far apart, in ns, that one is over before the next. */
const APART_NS = 1e6;
/** Changes that our search tries, with `quick`. */
const QUICK_MOVES = 2000;
/** Virtual machines are for tens of PEs: the leaves of thousands would take hours. */
const MOST_PES = 256;

/** Part simulated: all cores of each machine. */
export async function smeltSimulated(options: SmeltOptions): Promise<TreesTable[]> {
  const machines = (options.machines ?? (await tenMachines())).map(onePerCore);
  const all = machines.map((machine): Work => {
    const members = machine.pes.map((_, pe) => pe);
    return { machine, group: { placement: null, members, domains: groupsOn(machine).domains } };
  });
  return await tablesOf(all, options);
}

/** Part groups: growing groups on each machine. */
export async function simulatedGroups(options: SmeltOptions): Promise<TreesTable[]> {
  const machines = (options.machines ?? (await figure10Machines())).map(onePerCore);
  const all = machines.flatMap((machine) => {
    const { groups } = groupsOn(machine);
    return (options.quick ? groups.slice(-1) : groups).map((group): Work => ({ machine, group }));
  });
  return await tablesOf(all, options);
}

interface Work {
  readonly machine: MachineModel;
  readonly group: MemberGroup;
}

async function tablesOf(
  all: readonly Work[],
  { quick = false, onProgress, signal }: SmeltOptions,
): Promise<TreesTable[]> {
  const tables: TreesTable[] = [];
  for (const [done, { machine, group }] of all.entries()) {
    const size = group.members.length;
    if (size < 2 || size > MOST_PES) continue;
    const stage = `simulated: ${machine.name}, ${size} PEs`;
    onProgress?.({ stage, done: done / all.length } satisfies Progress);
    // a search and a simulation run without a break
    await setImmediate();
    signal?.throwIfAborted();
    const figures = await figuresOf(selectPEs(machine, group.members), quick ? QUICK_MOVES : undefined);
    tables.push({
      machine: machine.name,
      model: machine.measured,
      pes: size,
      ...group,
      mode: null,
      figures,
      rankings: rankingsOf(figures),
    });
  }
  return tables;
}

async function figuresOf(machine: MachineModel, moves: number | undefined): Promise<TreeFigure[]> {
  const cases = casesOf(machine, moves);
  const toNs = machine.unit === "cycles" ? 1 / CYCLES_PER_NS : 1;
  // a world for each algorithm: what it has made is freed
  const all: TreeFigure[] = [];
  for (const trees of new Set(cases.map((one) => one.trees))) {
    const own = cases.filter((one) => one.trees === trees);
    const { results } = await simulateAsync(
      { pes: machine.pes.length, machine, costs: NO_COSTS, trees, timeout: 1e7 },
      (pe: PE) => playAll(pe, own),
    );
    for (const [index, one] of own.entries()) {
      const leaves = (results as Played[][])[one.root][index].answered;
      const ns = Math.max(...leaves);
      const completed = Math.max(...(results as Played[][]).map((own) => own[index].completed));
      const figure = figureOf(one);
      all.push({
        ...figure,
        predicted: figure.predicted * toNs,
        ns,
        low: ns,
        high: ns,
        completed,
        lastLeaf: one.leaves.length === 0 ? null : one.leaves[leaves.indexOf(ns)],
      });
    }
  }
  return all;
}

/** A PE's times of a case, ns. */
interface Played {
  /** By leaf, until it had the message: at the root, 0 at the others. */
  readonly answered: readonly number[];
  /** Until it had completed the operation. */
  readonly completed: number;
}

async function playAll(pe: PE, cases: readonly TreeCase[]): Promise<Played[]> {
  const replies = new Map<number, ItemChannel<typeof u32>>();
  const reply = (peer: number) => {
    const known = replies.get(peer) ?? channel(pe, peer, { item: u32 });
    replies.set(peer, known);
    return known;
  };
  let start = 0;
  const all: Played[] = [];
  for (const { operation, root, leaves } of cases) {
    const answered: number[] = [];
    let completed = 0;
    for (const leaf of leaves.length === 0 ? [root] : leaves) {
      let took = 0;
      for (let round = 0; round < 2; round++) {
        start += APART_NS;
        pe.work(Math.max(0, start - pe.now));
        await operations[operation](pe, root);
        completed = pe.now - start;
        if (pe.rank === leaf && leaf !== root) await reply(root).sendAsync(round);
        if (pe.rank === root && leaf !== root) await reply(leaf).receiveAsync();
        took = pe.rank === root ? pe.now - start : 0;
      }
      answered.push(took);
    }
    all.push({ answered, completed });
  }
  return all;
}

const operations: Readonly<Record<TreeCase["operation"], (pe: Group, root: number) => Promise<unknown>>> = {
  broadcast: (pe, root) => pe.broadcastAsync(1, root),
  reduce: (pe, root) => pe.reduceAsync(1, "sum", root),
  barrier: (pe) => pe.barrierAsync(),
};
