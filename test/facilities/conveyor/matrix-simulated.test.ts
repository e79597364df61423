/** Every type of conveyor on virtual PEs: the same cases as on threads, and states seen from outside. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { storedBytes } from "../../../src/route/geometry/conveyor-choice.ts";
import type { SimulationResult } from "../../../src/running/simulate/simulate.ts";
import { LONG, rounds } from "../../support/long.ts";
import { drawn } from "../../support/sample.ts";
import {
  ALL_SIZES,
  BUFFER_BYTES,
  type Case,
  casesWith,
  isBrief,
  nameOf,
  playCase,
  tensorsIn,
} from "./support/cases.ts";
import { mix } from "./support/payloads.ts";
import { watcher } from "./support/scenario.ts";
import { playVirtually } from "./support/seats.ts";

const PES = [1, 2, 3, 4, 5, 8, 12, 24];

const matrix = suite("conveyors on virtual PEs");
for (const buffers of [1, 2, 4] as const) {
  for (const [number, one] of casesWith(buffers).entries()) {
    if (!LONG && buffers !== 2 && isBrief(one)) continue;
    matrix(nameOf(one), () => {
      // a plain run has each type with each number of buffers, and then one or two numbers of PEs, which are drawn
      const turn = [1, 2, 4].indexOf(buffers) + drawn(5, "matrix", number);
      const some = PES.filter((_, i) => LONG || (i + turn) % 5 === 0);
      for (const pes of some) {
        const seed = mix(pes, buffers);
        const jitter = seed % 3;
        const nodes = pes % 4 === 0 ? 2 : 1;
        const watch = watcher(pes);
        // all sizes of items on few PEs, other sizes in each case on more
        const few = pes === 3 ? ALL_SIZES : pes <= 8 ? 3 : 1;
        const budget = { count: pes > 8 ? 30 : 60, sessions: rounds(few, ALL_SIZES) };
        playVirtually({ pes, nodes, seed, jitter, timeout: 60_000 }, (pe) => playCase(pe, one, budget, seed, watch));
      }
    });
  }
}

/** Meshes of odd sizes. */
const SHAPES: readonly (readonly number[])[] = [
  [3, 5, 7],
  [2, 3, 4],
  [2, 2, 2, 2],
  [5, 3],
  [7, 2],
];

/** Checks that a conveyor in a mesh had no more buffers than one for each neighbour and one for the PE itself, times those of a link. */
function checkBuffers({ conveyors }: SimulationResult, mesh: readonly number[], { options }: Case): void {
  // the greatest dimension first; an item for the PE itself takes the last hop
  const links = mesh.map((size, dim) => size - (dim > 0 ? 1 : 0)).reverse();
  // a tally has one hop
  const inMesh = conveyors.filter(({ hops }) => hops.length > 1);
  assert.ok(inMesh.length > 0);
  for (const { hops } of inMesh) {
    assert.is(hops.length, mesh.length);
    for (const [hop, { peakBuffers, peakBufferBytes }] of hops.entries()) {
      const most = links[hop] * (options.buffersPerLink as number);
      assert.ok(peakBuffers <= most, `${peakBuffers} buffers at hop ${hop}, at most ${most}`);
      assert.is(peakBufferBytes, peakBuffers * storedBytes(BUFFER_BYTES));
    }
  }
}

for (const [shape, mesh] of SHAPES.entries()) {
  const pes = mesh.reduce((all, one) => all * one, 1);
  /** By front: the sessions before. */
  const before: Record<string, number> = {};
  for (const [i, one] of tensorsIn(mesh).entries()) {
    // one more of many PEs, as there are seven rigid ones and eight sizes
    const few = pes > 50 && i > 0 ? 1 : 2;
    const first = before[one.front] ?? shape;
    before[one.front] = first + few;
    // a plain run has each kind in about half of the meshes, with one number of buffers: which is drawn
    for (const [which, buffersPerLink] of ([1, 2, 4] as const).entries()) {
      if (!LONG && (which !== (i + shape) % 3 || drawn(2, "mesh", shape, i) === 0)) continue;
      const own: Case = { ...one, options: { ...one.options, buffersPerLink } };
      matrix(`${nameOf(own)}, ${pes} PEs`, () => {
        const seed = mix(pes, buffersPerLink, i);
        const jitter = seed % 3;
        const nodes = i % 2 === 0 ? 1 : (mesh.at(-1) as number);
        const volume = { count: pes > 50 ? rounds(6, 20) : 30, sessions: rounds(few, ALL_SIZES), first };
        const watch = watcher(pes);
        const result = playVirtually({ pes, nodes, seed, jitter, timeout: 60_000 }, (pe) =>
          playCase(pe, own, volume, seed, watch),
        );
        checkBuffers(result, mesh, own);
      });
    }
  }
}
matrix.run();
