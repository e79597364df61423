/**
 * Stealing from the nearest victim first, by the machine model, beside stealing from victims in random order: the
 * library's own loops on virtual PEs, one for each row of a real machine's matrix.
 *
 * The simulator knows no caches, so what depends on distance is charged here, by the matrix:
 *
 * - a look at the range of a victim: a cache line from there (send + receive), unless it is as this PE saw it last; who
 *   has lost its line to a thief gets it back the same way with its next chunk;
 * - an iteration that another PE runs than the one whose block it is in: its data, which lie with that one, line by
 *   line, OVERLAP of them at a time.
 *
 * Limits: a line costs the same however many are on their way. Where links between packages are full, stealing from far
 * costs more than here.
 *
 * Source: Blumofe and Leiserson, 1999 (random victims); Guo and others, SLAW, IPDPS 2010 (victims that are near).
 */
import type { Progress } from "../../../../microbench/pairs/profiled.ts";
import { areaOf, type LoopArea } from "../../../../src/facilities/loop/chunks/area.ts";
import { LAST, TURN } from "../../../../src/facilities/loop/chunks/layout.ts";
import type { LoopKernels } from "../../../../src/facilities/loop/kernels/kernels.ts";
import { median } from "../../../../src/ground/base/math.ts";
import { randomNumbers } from "../../../../src/ground/base/random.ts";
import type { PE } from "../../../../src/index.ts";
import { forEachAsync } from "../../../../src/loop.ts";
import type { MachineModel } from "../../../../src/machine/model/machine-model.ts";
import { seatOf } from "../../../../src/pe/seat-of.ts";
import { simulateAsync } from "../../../../src/running/virtual/simulate-async.ts";
import { STEALING_WORKS, type StealingWork } from "./stealing-works.ts";

/** In which order a thief looks at its victims. */
type Order = "nearest" | "random";

/** Of a loop: medians over seeds. */
export interface Stealing {
  /** Virtual time from its begin to its end, us. */
  readonly us: number;
  /** Steals, and those from another package. */
  readonly steals: number;
  readonly far: number;
  /** Data of iterations that were run in another package than their block is in. */
  readonly bytes: number;
}

export interface StealingCase {
  readonly machine: string;
  readonly pes: number;
  readonly packages: number;
  readonly work: string;
  /** With each PE's share of the work, and nothing else, us. */
  readonly ideal: number;
  readonly nearest: Stealing;
  readonly random: Stealing;
}

export interface StealingOptions {
  readonly machines: readonly MachineModel[];
  readonly quick?: boolean | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Iterations of a PE, bytes of data of one, lines that a core gets at a time. */
const EACH = 64;
const BYTES = 1024;
const LINE = 64;
const OVERLAP = 8;
const CHUNK = 2;
const SEEDS = 5;
const JITTER = 0.05;
/** The simulator's clock for models in cycles: docs/simulate.md. */
const CYCLES_PER_NS = 2.5;
/** A look at a line that nobody has changed since, ns. */
const CACHED_NS = 2;

/** Runs one case after another. */
export async function simulateStealing({
  machines,
  quick = false,
  onProgress,
  signal,
}: StealingOptions): Promise<StealingCase[]> {
  const seeds = quick ? 1 : SEEDS;
  const works = quick ? STEALING_WORKS.slice(0, 1) : STEALING_WORKS;
  const cases = machines.flatMap((machine) => works.map((work) => ({ machine, work })));
  const results: StealingCase[] = [];
  for (const [i, { machine, work }] of cases.entries()) {
    onProgress?.({ stage: `case ${i + 1} of ${cases.length}`, done: i / cases.length });
    const of = async (order: Order): Promise<Stealing> => {
      const runs: Stealing[] = [];
      for (let seed = 1; seed <= seeds; seed++) runs.push(await run(machine, work, order, seed));
      const mid = (field: keyof Stealing) => median(runs.map((one) => one[field]).toSorted((a, b) => a - b));
      return { us: mid("us"), steals: mid("steals"), far: mid("far"), bytes: mid("bytes") };
    };
    const pes = machine.pes.length;
    const ideal = work.costs(pes * EACH).reduce((sum, ns) => sum + ns, 0) / pes / 1000;
    const packages = new Set(machine.pes.map((pe) => pe.package)).size;
    const orders = { nearest: await of("nearest"), random: await of("random") };
    results.push({ machine: machine.name, pes, packages, work: work.name, ideal, ...orders });
    signal?.throwIfAborted();
  }
  return results;
}

async function run(machine: MachineModel, work: StealingWork, order: Order, seed: number): Promise<Stealing> {
  const pes = machine.pes.length;
  const costs = work.costs(pes * EACH);
  const traffic = new Traffic(machine);
  const { results } = await simulateAsync({ pes, machine, seed, jitter: JITTER, memoryBytes: 2 ** 28 }, async (pe) => {
    const area = areaOf(seatOf(pe, "bench stealing"));
    const random = randomNumbers(1000 * seed + pe.rank);
    Object.assign(area, { kernels: traffic.around(pe, area, order === "random" ? random : null) });
    await pe.barrierAsync();
    const begun = pe.now;
    const body = (i: number) => pe.work((costs[i] as number) + traffic.dataOf(Math.floor(i / EACH), pe.rank));
    await forEachAsync(pe, costs.length, body, { schedule: "steal", chunk: CHUNK });
    return [begun, pe.now] as const;
  });
  const times = results as (readonly [number, number])[];
  const us = (Math.max(...times.map(([, end]) => end)) - Math.min(...times.map(([begin]) => begin))) / 1000;
  return { us, ...traffic.counts };
}

/** Cache lines between the PEs of a run. */
class Traffic {
  readonly counts = { steals: 0, far: 0, bytes: 0 };
  readonly #machine: MachineModel;
  /** By PE: who has had the line of its range last. */
  readonly #holders: number[];

  constructor(machine: MachineModel) {
    this.#machine = machine;
    this.#holders = machine.pes.map((_, pe) => pe);
  }

  /** ns for a line. */
  #line(from: number, to: number): number {
    const { send, receive, unit } = this.#machine;
    const both = (send[from]?.[to] as number) + (receive[from]?.[to] as number);
    return unit === "cycles" ? both / CYCLES_PER_NS : both;
  }

  #isFar(a: number, b: number): boolean {
    const { pes } = this.#machine;
    return pes[a]?.package !== pes[b]?.package;
  }

  /** ns for the data of an iteration. */
  dataOf(home: number, at: number): number {
    if (home === at) return 0;
    if (this.#isFar(home, at)) this.counts.bytes += BYTES;
    return (BYTES / LINE / OVERLAP) * this.#line(home, at);
  }

  /** The kernels of a PE, whose looks at other lines take their time. @param random for another order at each steal */
  around(pe: PE, { kernels, heap, victims, pes }: LoopArea, random: (() => number) | null): LoopKernels {
    const { i32 } = heap;
    const own = pe.rank;
    const victimsThere = i32.subarray(victims / 4, victims / 4 + pes - 1);
    const seen = new Int32Array(2 * pes).fill(-2);
    // a range is two words, at the beginning of its PE's line
    const at = (control: number, victim: number) => (control + 128 * (1 + victim)) / 4;
    const rangesIn = (control: number) =>
      Array.from({ length: pes }, (_, victim) => i32.slice(at(control, victim), at(control, victim) + 2));
    const differs = (range: Int32Array, control: number, victim: number) =>
      range.some((word, i) => word !== i32[at(control, victim) + i]);
    const look = (victim: number, range: Int32Array): number => {
      const isSeen = range.every((word, i) => word === seen[2 * victim + i]);
      seen.set(range, 2 * victim);
      if (isSeen) return CACHED_NS;
      this.#holders[victim] = own;
      return this.#line(victim, own);
    };
    return {
      takeOwn: (control, ...rest) => {
        const holder = this.#holders[own] as number;
        if (holder !== own) pe.work(this.#line(holder, own));
        this.#holders[own] = own;
        return kernels.takeOwn(control, ...rest);
      },
      steal: (control, ...rest) => {
        if (random !== null) shuffle(victimsThere, random);
        const order = scanned(victimsThere, i32[at(control, own) + TURN / 4] as number);
        const before = rangesIn(control);
        const taken = kernels.steal(control, ...rest);
        const hit = order.findIndex((victim) => differs(before[victim] as Int32Array, control, victim));
        const looks = taken === 0 ? order.length : hit + 1;
        for (const victim of order.slice(0, looks)) pe.work(look(victim, before[victim] as Int32Array));
        if (taken !== 0) {
          this.counts.steals++;
          if (this.#isFar(order[hit] as number, own)) this.counts.far++;
        }
        return taken;
      },
      takeShare: kernels.takeShare,
      give: kernels.give,
      put: kernels.put,
    };
  }
}

/** The victims in the order in which a steal looks at them: facilities/loop/kernels/assembly. */
function scanned(victims: Int32Array, turn: number): number[] {
  const order: number[] = [];
  for (let begin = 0, end = 1; begin < victims.length; begin = end++) {
    while ((victims[end - 1] as number) >= 0) end++;
    for (let i = 0; i < end - begin; i++) {
      order.push((victims[begin + ((turn + i) % (end - begin))] as number) & ~LAST);
    }
  }
  return order;
}

/** All of them in any order, as if they were equally near. Source: Fisher and Yates. */
function shuffle(all: Int32Array, random: () => number): void {
  for (let i = all.length - 1; i >= 0; i--) {
    const j = Math.floor((i + 1) * random());
    [all[i], all[j]] = [(all[j] as number) & ~LAST, (all[i] as number) & ~LAST];
  }
  all[all.length - 1] = (all.at(-1) as number) | LAST;
}
