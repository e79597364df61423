/**
 * LeanMD: molecular dynamics of atoms with the Lennard-Jones potential, in a periodic box of cells.
 *
 *     tundish run lean-md.js -n 4 -- --cells 3 --per-dim 4 --steps 25
 *
 * In a step each cell sends the positions of its atoms to a compute for each pair of it and a neighbour, or itself; a compute sends
 * the forces to both of its cells; the cells move their atoms (velocity Verlet). Every `--migrate` steps, atoms that have left their
 * cell are sent to their new one. Cells are spread over all PEs by blocks, computes in turn. The physics is in md.ts.
 *
 * Forces and energies are whole multiples of a small unit, so their sums are exact in whatever order messages arrive: the run
 * is the same, bit by bit, with any number of PEs. Source: LeanMD of Charm++ (constants, cells, margin), in TRAM's thesis, 5.5; here the
 * potential is shifted so that it and its force are 0 at the cutoff. Checked: in each step the sum of all forces is 0, and the energy
 * that of the start; momentum; atoms; and all positions, against a loop over all pairs of atoms, without cells (`--reference`:
 * auto, for up to 2000 atoms).
 */

import { f64, type PE, type Spmd, struct, u32 } from "tundish";
import { type Conveyor, conveyor, type ElasticConveyor, elasticConveyor } from "tundish/conveyor";
import { type Atoms, atomsOf, type Box, boxOf, cellAt, forcesBetween, MARGIN, pairsOf, reference } from "./md.ts";
import { oneOf, real, type Values, whole } from "./options.ts";
import { app, type Common, timed } from "./runner.ts";

const OPTIONS = {
  cells: whole(3, 3, 64),
  perDim: whole(4, 2, 16),
  steps: whole(25, 0, 2 ** 20),
  migrate: whole(5, 1, 2 ** 20),
  /** Time of a step, fs. */
  dt: real(0.1, 0, 10),
  /** Part of the energy by which it may differ from that of the start: grows as the square of dt. */
  tolerance: real(1e-4, 0, 1e6),
  reference: oneOf("auto", "on", "off"),
  /** Virtual time of a PE for a message that it makes, and for one that it takes, ns. */
  messageNs: real(0, 0, 1e6),
};
type Told = Values<typeof OPTIONS> & Common;

/** Atoms up to which `--reference auto` is on. */
const MOST_AUTO = 2000;
/** Virtual time for a pair of atoms, ns. */
const PAIR_NS = 3;
/** An atom that goes to another cell. */
const MOVING = struct({ cell: u32, id: u32, x: f64, y: f64, z: f64, vx: f64, vy: f64, vz: f64 });

interface Message {
  readonly dest: number;
  readonly bytes: Uint8Array;
}

/** A message: the number of what it is about, and three numbers for each atom. */
function message(dest: number, head: number, list: ArrayLike<number>): Message {
  const numbers = new Float64Array(1 + list.length);
  numbers[0] = head;
  numbers.set(list, 1);
  return { dest, bytes: new Uint8Array(numbers.buffer) };
}

/** A session in which messages are sent. @param handled so many more were made or taken @returns their bytes */
async function exchange(
  c: ElasticConveyor,
  messages: readonly Message[],
  take: (head: number, list: Float64Array) => void,
  handled: (messages: number) => void,
): Promise<number> {
  await c.beginAsync();
  let [i, taken, before] = [0, 0, 0];
  do {
    for (; i < messages.length && c.push(messages[i].dest, messages[i].bytes); i++);
    while (c.pull()) {
      const numbers = new Float64Array(Uint8Array.from(c.bytes).buffer);
      take(numbers[0], numbers.subarray(1));
      taken++;
    }
    handled(i + taken - before);
    before = i + taken;
  } while (await c.advanceAsync(i === messages.length));
  c.reset();
  return messages.reduce((sum, { bytes }) => sum + bytes.length, 0);
}

/** The cells and computes of one PE. */
class Part {
  /** The atoms of its cells. */
  readonly cells = new Map<number, Atoms>();
  /** Bytes sent. */
  bytes = 0;
  readonly #pe: PE;
  readonly #handled: (messages: number) => void;
  readonly #box: Box;
  /** The cells of each compute. Compute p is at PE p mod P; what its two cells send it is called 2 p and 2 p + 1. */
  readonly #pairs: readonly (readonly [number, number])[];
  /** What its cells send in each step: their own number, and that of the message. */
  readonly #sides: readonly (readonly [number, number])[];
  readonly #positions: ElasticConveyor;
  readonly #forces: ElasticConveyor;
  readonly #migration: Conveyor<typeof MOVING>;

  constructor(pe: PE, box: Box, told: Told) {
    this.#pe = pe;
    this.#handled = (messages) => pe.work(told.messageNs * messages);
    this.#box = box;
    for (let cell = 0; cell < box.cells ** 3; cell++) {
      if (this.#ownerOf(cell) === pe.rank) this.cells.set(cell, atomsOf(box, cell, told.seed));
    }
    this.#pairs = pairsOf(box);
    this.#sides = this.#pairs
      .flatMap(([a, b], p) => (a === b ? [[a, 2 * p] as const] : [[a, 2 * p] as const, [b, 2 * p + 1] as const]))
      .filter(([cell]) => this.cells.has(cell));
    this.#positions = elasticConveyor(pe, told.elastic);
    this.#forces = elasticConveyor(pe, told.elastic);
    this.#migration = conveyor(pe, MOVING, told.rigid);
  }

  #ownerOf(cell: number): number {
    return Math.floor((cell * this.#pe.size) / this.#box.cells ** 3);
  }

  /** Computes the forces on all atoms. @returns the potential energy of this PE's pairs */
  async interact(): Promise<number> {
    const { cells } = this;
    let potential = 0;
    const results: Message[] = [];
    const compute = (pair: number, a: Float64Array, b: Float64Array): void => {
      const fa = new Float64Array(a.length);
      const fb = a === b ? fa : new Float64Array(b.length);
      potential += forcesBetween(this.#box, a, b, fa, fb);
      this.#pe.work((PAIR_NS * a.length * b.length) / 9);
      const [first, second] = this.#pairs[pair];
      results.push(message(this.#ownerOf(first), first, fa));
      if (first !== second) results.push(message(this.#ownerOf(second), second, fb));
    };
    /** Of the computes that have one list. */
    const waiting = new Map<number, Float64Array>();
    const positions = this.#sides.map(([cell, side]) =>
      message((side >> 1) % this.#pe.size, side, cells.get(cell)?.x ?? []),
    );
    const takePositions = (side: number, x: Float64Array): void => {
      const pair = side >> 1;
      const other = waiting.get(pair);
      if (this.#pairs[pair][0] === this.#pairs[pair][1]) compute(pair, x, x);
      else if (other === undefined) waiting.set(pair, x);
      else if (side % 2 === 0) compute(pair, x, other);
      else compute(pair, other, x);
    };
    this.bytes += await exchange(this.#positions, positions, takePositions, this.#handled);
    for (const atoms of cells.values()) atoms.f.fill(0);
    const takeForces = (cell: number, list: Float64Array): void => {
      const f = cells.get(cell)?.f ?? [];
      for (let i = 0; i < list.length; i++) f[i] += list[i];
    };
    this.bytes += await exchange(this.#forces, results, takeForces, this.#handled);
    return potential;
  }

  /** Sends the atoms that have left their cells to their new ones. */
  async migrate(): Promise<void> {
    const moving: (readonly [cell: number, id: number, state: readonly number[]])[] = [];
    for (const [cell, atoms] of this.cells) {
      for (let k = atoms.ids.length - 1; k >= 0; k--) {
        const x = atoms.x.slice(3 * k, 3 * k + 3);
        const [i, j, l] = x.map((at) => Math.floor(at / this.#box.side));
        const to = cellAt(this.#box, i, j, l);
        if (to === cell) continue;
        moving.push([to, atoms.ids[k], [...x, ...atoms.v.slice(3 * k, 3 * k + 3)]]);
        atoms.remove(k);
      }
    }
    const c = this.#migration;
    await c.beginAsync();
    let n = 0;
    do {
      for (; n < moving.length; n++) {
        const [cell, id, [x, y, z, vx, vy, vz]] = moving[n];
        if (!c.push(this.#ownerOf(cell), cell, id, x, y, z, vx, vy, vz)) break;
      }
      while (c.pull()) {
        const { cell, id, x, y, z, vx, vy, vz } = c.item;
        this.cells.get(cell)?.add(id, [x, y, z], [vx, vy, vz]);
      }
    } while (await c.advanceAsync(n === moving.length));
    c.reset();
    this.bytes += moving.length * MOVING.bytes;
  }

  /** The sum of three numbers of each atom, and their number. */
  sum(of: "v" | "f"): number[] {
    const sums = [0, 0, 0, 0];
    for (const atoms of this.cells.values()) {
      sums[3] += atoms.ids.length;
      for (const [i, one] of atoms[of].entries()) sums[i % 3] += one;
    }
    return sums;
  }

  /** Ends the run. @returns messages, buffers, and atoms that have changed their cells */
  free(): readonly [messages: number, buffers: number, moved: number] {
    const all = [this.#positions, this.#forces, this.#migration];
    const counts = all.map((c) => c.stats().cumulative);
    for (const c of all) c.free();
    const sum = (key: "pushes" | "buffers") => counts.reduce((sum, one) => sum + one[key], 0);
    return [sum("pushes"), sum("buffers"), counts[2].pushes];
  }
}

const program: Spmd = app("lean-md", OPTIONS, async (pe, told) => {
  const { steps, dt } = told;
  const box = boxOf(told.cells, told.perDim);
  const part = new Part(pe, box, told);
  const before = part.sum("v");
  /** By step: the sum of the forces in each direction, and the energy. */
  const observed = new Float64Array(4 * (steps + 1));
  const observe = (step: number, potential: number): void => {
    let energy = potential;
    for (const atoms of part.cells.values()) energy += atoms.kinetic();
    observed.set([...part.sum("f").slice(0, 3), energy], 4 * step);
  };

  const seconds = await timed(pe, async () => {
    observe(0, await part.interact());
    let reach = 0;
    for (let step = 1; step <= steps; step++) {
      let farthest = 0;
      for (const atoms of part.cells.values()) {
        atoms.kick(dt);
        farthest = Math.max(farthest, atoms.drift(box, dt));
      }
      reach += farthest;
      if (reach > MARGIN / 2) {
        const allowed = `an atom may go ${MARGIN / 2} Å from the cell that it was sent to`;
        throw new Error(
          `lean-md: ${allowed}, and one may have gone ${reach.toFixed(2)}. Use a smaller --migrate or --dt.`,
        );
      }
      if (step % told.migrate === 0) {
        await part.migrate();
        reach = 0;
      }
      const potential = await part.interact();
      for (const atoms of part.cells.values()) atoms.kick(dt);
      observe(step, potential);
    }
  });
  const [messages, buffers, movedHere] = part.free();
  const moved = await pe.allreduceAsync(movedHere, "sum");

  if (told.spoil && pe.rank === 0) part.cells.get(0)?.remove(0);
  let checksum = 0;
  const final = new Float64Array(3 * box.atoms);
  for (const { ids, x } of part.cells.values()) {
    for (const [i, one] of x.entries()) {
      const at = 3 * ids[Math.floor(i / 3)] + (i % 3);
      final[at] += one;
      checksum = (checksum + (1 + (at % 1000)) * Math.floor(one * 2 ** 20)) % 2 ** 32;
    }
  }
  const momenta = Float64Array.of(...before, ...part.sum("v"));
  await pe.allreduceAsync(observed, "sum");
  await pe.allreduceAsync(momenta, "sum");
  let errors = Math.abs(momenta[7] - box.atoms);
  for (let axis = 0; axis < 3; axis++) {
    if (!(Math.abs(momenta[axis] - momenta[4 + axis]) <= 1e-12 * box.atoms)) errors++;
  }
  let drift = 0;
  for (let step = 0; step <= steps; step++) {
    const [x, y, z, energy] = observed.subarray(4 * step);
    if (x !== 0 || y !== 0 || z !== 0) errors++;
    drift = Math.max(drift, Math.abs(energy / observed[3] - 1));
  }
  if (!(drift <= told.tolerance)) errors++;
  if (told.reference === "on" || (told.reference === "auto" && box.atoms <= MOST_AUTO)) {
    await pe.allreduceAsync(final, "sum");
    const expected = pe.rank === 0 ? reference(box, told.seed, steps, dt) : [];
    errors += expected.filter((one, i) => one !== final[i]).length;
  }
  const more = { atoms: box.atoms, moved, drift: Number(drift.toPrecision(3)) };
  // what all PEs find alike counts once
  return {
    seconds,
    messages,
    bytes: part.bytes,
    buffers,
    checksum,
    errors: pe.rank === 0 ? errors : 0,
    more,
  };
});
export default program;
