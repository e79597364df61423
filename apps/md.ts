/**
 * The physics of lean-md, without any communication: the box and its cells, forces between two lists of atoms, a step, and a
 * reference that knows no cells.
 *
 * Lengths are in Å, times in fs; masses are 1, as forces and energies are those per mass. Source of the constants: LeanMD of Charm++.
 */
import { randomBelow } from "./common.ts";

/** The potential is A / r^12 - B / r^6: 1.1328e-133 J m^12 and 2.23224e-76 J m^6, for a mass of 1.67e-24 g. */
const A = 6783.2;
const B = 13.3667;
/** Distance of atoms in the lattice of the start. */
const GAP = 3;
/** The side of a cell is the cutoff and this. So atoms of cells that are no neighbours do not meet before they have gone half of it. */
export const MARGIN = 4;
/** Largest part of a velocity at the start. */
const SPEED = 0.05;

/** Forces and energies are whole multiples of 1 / FORCE and 1 / ENERGY. */
export const FORCE: number = 2 ** 40;
export const ENERGY: number = 2 ** 32;

/** A periodic cube of cells. */
export interface Box {
  /** In each direction. */
  readonly cells: number;
  readonly perDim: number;
  readonly side: number;
  readonly length: number;
  readonly cutoff: number;
  readonly atoms: number;
}

/** @param perDim atoms of a cell at the start, in each direction */
export function boxOf(cells: number, perDim: number): Box {
  const side = perDim * GAP;
  return { cells, perDim, side, length: cells * side, cutoff: side - MARGIN, atoms: (cells * perDim) ** 3 };
}

/** The number of the cell at these coordinates, which may be outside by one box. */
export function cellAt({ cells }: Box, x: number, y: number, z: number): number {
  const within = (i: number) => (i + cells) % cells;
  return (within(z) * cells + within(y)) * cells + within(x);
}

/** All pairs of a cell with itself or a neighbour, each once: 14 for each cell. */
export function pairsOf(box: Box): (readonly [number, number])[] {
  const { cells } = box;
  const pairs: (readonly [number, number])[] = [];
  // the half of the neighbours that come after it
  const half = Array.from({ length: 27 }, (_, i) => i).filter((i) => i >= 13);
  for (let z = 0; z < cells; z++) {
    for (let y = 0; y < cells; y++) {
      for (let x = 0; x < cells; x++) {
        for (const i of half) {
          const other = cellAt(box, x + (i % 3) - 1, y + (Math.floor(i / 3) % 3) - 1, z + Math.floor(i / 9) - 1);
          pairs.push([cellAt(box, x, y, z), other]);
        }
      }
    }
  }
  return pairs;
}

/** Atoms, by three numbers each: positions, velocities, forces. */
export class Atoms {
  readonly ids: number[] = [];
  readonly x: number[] = [];
  readonly v: number[] = [];
  readonly f: number[] = [];

  add(id: number, x: readonly number[], v: readonly number[]): void {
    this.ids.push(id);
    this.x.push(...x);
    this.v.push(...v);
    this.f.push(0, 0, 0);
  }

  /** Takes out number k; the last one gets its number. */
  remove(k: number): void {
    const last = this.ids.length - 1;
    this.ids[k] = this.ids[last];
    this.ids.pop();
    for (const list of [this.x, this.v, this.f]) {
      for (let axis = 0; axis < 3; axis++) list[3 * k + axis] = list[3 * last + axis];
      list.length = 3 * last;
    }
  }

  /** Changes velocities by half a step of the forces. */
  kick(dt: number): void {
    for (let i = 0; i < this.v.length; i++) this.v[i] += ((this.f[i] / FORCE) * dt) / 2;
  }

  /** Moves the atoms by a step, and into the box again. @returns how far the fastest went */
  drift({ length }: Box, dt: number): number {
    let most = 0;
    for (let i = 0; i < this.x.length; i++) {
      const x = this.x[i] + this.v[i] * dt;
      this.x[i] = x - length * Math.floor(x / length);
      most = Math.max(most, Math.abs(this.v[i]));
    }
    return Math.sqrt(3) * most * dt;
  }

  /** In units of {@link ENERGY}. */
  kinetic(): number {
    let sum = 0;
    for (const v of this.v) sum += Math.trunc((v * v * ENERGY) / 2);
    return sum;
  }
}

/** The atoms of a cell at the start, in a lattice. */
export function atomsOf(box: Box, cell: number, seed: number): Atoms {
  const { cells, perDim, side } = box;
  const atoms = new Atoms();
  const corner = [cell % cells, Math.floor(cell / cells) % cells, Math.floor(cell / cells ** 2)];
  for (let k = 0; k < perDim ** 3; k++) {
    const id = cell * perDim ** 3 + k;
    const place = [k % perDim, Math.floor(k / perDim) % perDim, Math.floor(k / perDim ** 2)];
    const x = corner.map((at, axis) => at * side + (place[axis] + 0.5) * GAP);
    const v = x.map((_, axis) => (randomBelow(2 ** 20, seed, 3 * id + axis) / 2 ** 19 - 1) * SPEED);
    atoms.add(id, x, v);
  }
  return atoms;
}

/**
 * Adds the forces that atoms at `a` and `b` have on each other to `fa` and `fb`, in units of {@link FORCE}. If both are one list,
 * each pair counts once.
 * @returns their potential energy in units of {@link ENERGY}
 */
export function forcesBetween(box: Box, a: Float64Array, b: Float64Array, fa: Float64Array, fb: Float64Array): number {
  const { length, cutoff } = box;
  const atCutoff = 12 * A * cutoff ** -13 - 6 * B * cutoff ** -7;
  const shift = A * cutoff ** -12 - B * cutoff ** -6;
  let energy = 0;
  for (let i = 0; i < a.length; i += 3) {
    for (let j = a === b ? i + 3 : 0; j < b.length; j += 3) {
      let dx = a[i] - b[j];
      let dy = a[i + 1] - b[j + 1];
      let dz = a[i + 2] - b[j + 2];
      dx -= length * Math.round(dx / length);
      dy -= length * Math.round(dy / length);
      dz -= length * Math.round(dz / length);
      const rr = dx * dx + dy * dy + dz * dz;
      if (rr >= cutoff * cutoff) continue;
      const r = Math.sqrt(rr);
      const r6 = 1 / (rr * rr * rr);
      const force = ((12 * A * r6 - 6 * B) * r6) / rr - atCutoff / r;
      energy += Math.trunc(((A * r6 - B) * r6 - shift + (r - cutoff) * atCutoff) * ENERGY);
      // trunc, as round(-x) is not always -round(x)
      const fx = Math.trunc(force * dx * FORCE);
      const fy = Math.trunc(force * dy * FORCE);
      const fz = Math.trunc(force * dz * FORCE);
      fa[i] += fx;
      fa[i + 1] += fy;
      fa[i + 2] += fz;
      fb[j] -= fx;
      fb[j + 1] -= fy;
      fb[j + 2] -= fz;
    }
  }
  return energy;
}

/** The positions of all atoms, by id, after so many steps: forces between all pairs, no cells. */
export function reference(box: Box, seed: number, steps: number, dt: number): readonly number[] {
  const all = new Atoms();
  for (let cell = 0; cell < box.cells ** 3; cell++) {
    const { ids, x, v } = atomsOf(box, cell, seed);
    for (const [k, id] of ids.entries()) all.add(id, x.slice(3 * k, 3 * k + 3), v.slice(3 * k, 3 * k + 3));
  }
  for (let step = 0; step <= steps; step++) {
    if (step > 0) {
      all.kick(dt);
      all.drift(box, dt);
    }
    const x = Float64Array.from(all.x);
    const f = new Float64Array(x.length);
    forcesBetween(box, x, x, f, f);
    for (let i = 0; i < f.length; i++) all.f[i] = f[i];
    if (step > 0) all.kick(dt);
  }
  return all.x;
}
