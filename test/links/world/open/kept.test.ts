/**
 * What PEs of an open world have made together: it ends well when it is freed, and goes on when it is kept, whoever
 * returns first.
 */
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../../src/ground/base/package-file.ts";
import { eachMpi, mpirun, runLine } from "../../../machine/mpi/launchers.ts";
import { inTurn } from "../../../nodes/some-of.ts";
import { PARTS } from "./kept.program.ts";

interface Said {
  readonly runs: number;
  readonly failed: readonly string[];
}

const program = fileURLToPath(sibling("./kept-node.program.js", import.meta.url));
const DEADLINE_MS = 180_000;
const test = suite("open worlds, what is freed or kept");

async function check(line: readonly string[], processes: number, env: NodeJS.ProcessEnv): Promise<void> {
  const { code, said, text } = await runLine<Said>(line, env, DEADLINE_MS);
  assert.is(code, 0, text);
  assert.is(said.length, processes, text);
  for (const { runs, failed } of said) {
    assert.equal(failed, []);
    assert.is(runs, 3 * PARTS.length);
  }
}

test("one node of three PEs", () => check([process.execPath, program, "3"], 1, {}));

// nodes that do not map each other's heaps: what goes between them goes by MPI
eachMpi(
  test,
  "two nodes of two PEs",
  (kind) => check([...mpirun(kind, 2), process.execPath, program, "2"], 2, { TUNDISH_MAP_NODES: "off" }),
  inTurn(0, "messages"),
);
test.run();
