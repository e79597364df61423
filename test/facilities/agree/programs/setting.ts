/** What random runs of agreement on virtual PEs have in common: PEs, nodes, faults, and histories in virtual time. All of it follows from the seed. */
import * as assert from "uvu/assert";
import { type PE, RankLostError } from "../../../../src/index.ts";
import type { SimulatedFault, SimulationOptions } from "../../../../src/running/simulate/options.ts";
import { simulateAsync } from "../../../../src/running/virtual/simulate-async.ts";
import type { Operation } from "../support/history.ts";
import { Random } from "../support/network.ts";

/** A world in which some PEs are members of what is tested, or replicas. */
export interface Setting {
  readonly seed: number;
  readonly pes: number;
  readonly nodes: number;
  /** Their ranks, in the order of their places. */
  readonly members: readonly number[];
  /** ms */
  readonly suspectAfter: number;
  readonly jitter: number;
  /** When all PEs have opened what is tested, and faults begin, ns. */
  readonly base: number;
  readonly faults: readonly SimulatedFault[];
  /** How long the faults last, at most, ns. */
  readonly calm: number;
  /** PEs that crash. */
  readonly crashes: ReadonlySet<number>;
}

/** @param others how many PEs are no members, at most */
export function settingOf(random: Random, seed: number, others: number): Setting {
  const count = random.pick([3, 3, 4, 5]);
  const pes = count + random.whole(0, others);
  const nodes = random.pick([1, 2, 3, 4, 5, 6, 7, 8].filter((n) => pes % n === 0));
  const ranks = Array.from({ length: pes }, (_, rank) => rank);
  const members: number[] = [];
  for (let i = 0; i < count; i++) members.push(...ranks.splice(random.whole(0, ranks.length - 1), 1));
  const suspectAfter = random.pick([0.05, 0.2, 1]);
  const span = 1e6 * suspectAfter * random.pick([0.2, 2, 10]);
  // a minority, and now and then more
  const losses = random.chance(0.1) ? random.whole(0, count - 1) : random.whole(0, Math.floor((count - 1) / 2));
  const crashes = new Set<number>();
  for (let i = 0; i < losses; i++) crashes.add(random.pick(members));
  if (ranks.length > 0 && random.chance(0.2)) crashes.add(random.pick(ranks));
  // a message takes a fraction of that
  const jitter = random.pick([0, 1, 20 * suspectAfter, 100 * suspectAfter]);
  // all is open by then
  const base = 30_000 * (1 + jitter);
  const faults: SimulatedFault[] = [...crashes].map((pe) => ({
    ...{ pe, at: base + span * random.next(), kind: "crash" },
  }));
  for (let i = random.pick([0, 0, 1, 3, 6]); i > 0; i--) {
    const lasting = 1e6 * suspectAfter * random.pick([0.5, 2, 6]) * random.next();
    faults.push({ pe: random.whole(0, pes - 1), at: base + span * random.next(), kind: "stall", lasting });
  }
  const calm = base + span + Math.max(0, ...faults.map(({ lasting = 0 }) => lasting));
  return { seed, pes, nodes, members, suspectAfter, jitter, base, faults, calm, crashes };
}

/** Runs a program in a setting. @returns what each PE has given; a RankLostError of one that has crashed */
export async function runIn<Result>(
  setting: Setting,
  program: (pe: PE) => Promise<Result>,
): Promise<{ readonly results: readonly Result[]; readonly events: number }> {
  const { pes, nodes, seed, jitter, faults, crashes } = setting;
  const options: SimulationOptions = {
    ...{ pes, nodes, seed, jitter, faults, onLoss: "continue", memoryBytes: 2 ** 26, timeout: 10_000 },
  };
  const thrown: unknown[] = [];
  const { results, events } = await simulateAsync(options, (pe: PE) =>
    program(pe).catch((error: unknown) => {
      thrown.push(error);
      throw error;
    }),
  ).catch((error: unknown) => {
    throw thrown[0] ?? error;
  });
  if (thrown.length > 0) throw thrown[0];
  for (const [rank, result] of results.entries()) {
    if (result instanceof RankLostError && !crashes.has(rank)) throw result;
  }
  return { results, events };
}

/** A PE was lost before all had opened what is tested: there is nothing to see. */
class NotOpened extends Error {}

/** Makes what a PE is to be a member of. */
export function opened<T>(open: () => T): T {
  try {
    return open();
  } catch (error) {
    if (error instanceof RankLostError) throw new NotOpened(error.message);
    throw error;
  }
}

/** Runs one of a seed; errors tell what it was. @returns null if a PE was lost too early */
export async function named<T>(what: string, seed: number, run: () => Promise<T>): Promise<T | null> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof NotOpened) return null;
    throw new Error(`${what}(${seed}): ${(error as Error).message}`, { cause: error });
  }
}

/** What concurrent callers asked and were told, with the virtual times of both. */
export class TimedHistory<Op, Result> {
  readonly operations: Operation<Op, Result>[] = [];

  /** Notes an invocation. @returns a function that notes its result; one that is never called leaves the outcome unknown */
  invoke(pe: PE, op: Op): (result: Result) => void {
    const at = this.operations.length;
    const call = { client: pe.rank, op, invoke: pe.now };
    this.operations.push({ ...call, returned: Number.POSITIVE_INFINITY, result: undefined });
    return (result) => {
      this.operations[at] = { ...call, returned: pe.now, result };
    };
  }

  get unknown(): number {
    return this.operations.filter(({ returned }) => returned === Number.POSITIVE_INFINITY).length;
  }
}

/** Each list is the begin of the longest one. @returns it */
export function checkPrefixes<T extends string | number>(lists: readonly (readonly T[])[]): readonly T[] {
  const longest = lists.reduce((most, one) => (one.length > most.length ? one : most), []);
  for (const [place, list] of lists.entries()) {
    for (const [i, one] of list.entries()) {
      if (one !== longest[i]) assert.unreachable(`place ${place} has ${one} at ${i} instead of ${longest[i]}`);
    }
  }
  return longest;
}

/** What comes of each number's sender, in order and each once: `number` counts up for each sender. */
export function checkOwnOrder(list: readonly number[], senderOf: (one: number) => number): void {
  const last = new Map<number, number>();
  for (const one of list) {
    const sender = senderOf(one);
    assert.ok(one > (last.get(sender) ?? -1), `${one} of ${sender} is there after ${last.get(sender)}`);
    last.set(sender, one);
  }
}

/** Lets a PE work until the faults begin. */
export function workUntil(pe: PE, { base }: Setting): void {
  pe.work(Math.max(0, base - pe.now));
}

/** Draws of one PE. */
export const drawsOf = (seed: number, rank: number): Random => new Random(seed * 16 + rank);
