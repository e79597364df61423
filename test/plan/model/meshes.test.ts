/** The meshes that plans try: their sizes, and where there are none. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { meshesOf } from "../../../src/plan/model/meshes.ts";

const test = suite("meshes to try");

const over = (nodes: number, nodeSize: number, domains: readonly number[] = []) =>
  meshesOf({ pes: nodes * nodeSize, nodes, nodeSize }, domains);

test("nodes by up to 5, as few dimensions as possible; a node whole and in two parts, also by its domains", () => {
  const table: [nodes: number, nodeSize: number, domains: number[], meshes: number[][]][] = [
    [64, 32, [32, 8], [[32, 4, 4, 4], [4, 8, 4, 4, 4], [8, 4, 4, 4, 4]]],
    [1, 32, [], [[4, 8]]],
    [1, 32, [8], [[4, 8], [8, 4]]],
    [8, 1, [], [[2, 4]]],
    [30, 2, [], [[2, 2, 3, 5]]],
    // primes beyond 5 stay whole, also in a node
    [98, 7, [], [[7, 2, 7, 7]]],
    [5, 4, [4, 2], [[4, 5], [2, 2, 5]]],
  ]; // biome-ignore format: a line each
  for (const [nodes, nodeSize, domains, meshes] of table)
    assert.equal(over(nodes, nodeSize, domains), meshes, `${nodes} x ${nodeSize}`);
});

test("none of one dimension, of nodes that differ, nor of more PEs than a table of ways in a first cache has", () => {
  assert.equal([over(1, 7), over(3, 1), over(1, 1)], [[], [], []]);
  assert.equal(meshesOf({ pes: 6, nodes: 2, nodeSize: 4 }, [4]), []);
  assert.equal([over(128, 32).length, over(128, 64).length], [2, 0]);
});

test.run();
