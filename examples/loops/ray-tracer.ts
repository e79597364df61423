// A path tracer of spheres, on all PEs.
// The loop is the one that pe8ter/ray-tracer describes, after "Ray Tracing in One Weekend": rows, pixels, samples, bounces.
import { isEntry, launch, type PE, type Spmd, spmd } from "tundish";
import { forEach } from "tundish/loop";
import { randomAt } from "../support/input.ts";
import { argumentsOf, turnsOf } from "./turns.ts";

type Vector = readonly [number, number, number];
type Sphere = { centre: Vector; radius: number; colour: Vector; fuzz: number | null };

const add = (a: Vector, b: Vector, t = 1): Vector => [a[0] + t * b[0], a[1] + t * b[1], a[2] + t * b[2]];
const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const times = (a: Vector, b: Vector): Vector => [a[0] * b[0], a[1] * b[1], a[2] * b[2]];
const unit = (a: Vector): Vector => add([0, 0, 0], a, 1 / Math.sqrt(dot(a, a)));

/** The ground, and spheres on it: matt ones (fuzz is null), and mirrors. */
const scene: readonly Sphere[] = [
  { centre: [0, -1000, 0], radius: 1000, colour: [0.5, 0.5, 0.5], fuzz: null },
  ...Array.from({ length: 40 }, (_, s): Sphere => {
    const [x, z, r, g, b] = [0, 1, 2, 3, 4].map((k) => randomAt(s, k));
    const radius = 0.2 + 0.3 * r;
    return { centre: [8 * x - 4, radius, 6 * z - 6], radius, colour: [r, g, b], fuzz: s % 3 === 0 ? 0.3 * g : null };
  }),
];

let seed = 0;
/** Numbers from 0 to 1 (mulberry32). */
function random(): number {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), seed | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
}

function randomUnit(): Vector {
  for (;;) {
    const v: Vector = [2 * random() - 1, 2 * random() - 1, 2 * random() - 1];
    if (dot(v, v) <= 1) return unit(v);
  }
}

/** Where a ray first hits a sphere, as a multiple of its direction; Infinity if it does not. */
function hit(from: Vector, direction: Vector, { centre, radius }: Sphere): number {
  const towards = add(centre, from, -1);
  const half = dot(direction, towards);
  const square = half * half - dot(towards, towards) + radius * radius;
  if (square < 0) return Number.POSITIVE_INFINITY;
  const root = Math.sqrt(square);
  const [near, far] = [half - root, half + root];
  return near > 1e-3 ? near : far > 1e-3 ? far : Number.POSITIVE_INFINITY;
}

/** The light that comes along a ray of length 1. */
function light(from: Vector, direction: Vector, bounces: number): Vector {
  if (bounces === 0) return [0, 0, 0];
  let nearest = Number.POSITIVE_INFINITY;
  let sphere = scene[0];
  for (const one of scene) {
    const at = hit(from, direction, one);
    if (at < nearest) [nearest, sphere] = [at, one];
  }
  if (nearest === Number.POSITIVE_INFINITY) return add([1, 1, 1], [-0.5, -0.3, 0], (direction[1] + 1) / 2);
  const point = add(from, direction, nearest);
  const normal = unit(add(point, sphere.centre, -1));
  const mirrored = add(direction, normal, -2 * dot(direction, normal));
  const next = sphere.fuzz === null ? add(normal, randomUnit()) : add(mirrored, randomUnit(), sphere.fuzz);
  return times(sphere.colour, light(point, unit(next), bounces - 1));
}

const SAMPLES = 8;
const BOUNCES = 8;

/** An image of 3 : 2, three bytes for each pixel. Each row has random numbers of its own. */
function render(pe: PE, height: number, pixels: Uint8Array): Uint8Array {
  const width = (height * 3) / 2;
  forEach(pe, height, (y) => {
    seed = y;
    for (let x = 0; x < width; x++) {
      let colour: Vector = [0, 0, 0];
      for (let s = 0; s < SAMPLES; s++) {
        const [u, v] = [(x + random()) / width - 0.5, 0.5 - (y + random()) / height];
        colour = add(colour, light([0, 1.5, 4], unit([3 * u, 2 * v - 0.4, -2]), BOUNCES), 1 / SAMPLES);
      }
      for (let k = 0; k < 3; k++) pixels[3 * (y * width + x) + k] = 255.9 * Math.sqrt(colour[k]);
    }
  });
  return pixels;
}

const program: Spmd = spmd((pe, args) => {
  const { size, turns } = argumentsOf(args as string[], 200);
  const pixels = pe.allocShared(Uint8Array, 4.5 * size * size);
  return turnsOf(turns, () => render(pe, size, pixels));
});

export default program;
if (isEntry(import.meta))
  console.log(JSON.stringify((await launch(import.meta.url, { args: process.argv.slice(2) }))[0]));
