/** Over nodes all PEs know the domains of all nodes, also where the nodes have other models. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../src/ground/base/package-file.ts";
import { matrixOf } from "../facilities/conveyor/support/near-and-far.ts";
import { eachMpi, mpirun, runLine } from "../machine/mpi/launchers.ts";
import { root } from "../support/paths.ts";
import { inTurn } from "./some-of.ts";

const tundish = [process.execPath, join(root, "dist/lib/main.js")];
const folder = mkdtempSync(join(tmpdir(), "tundish-nodes-domains-"));
const program = sibling("./programs/domains.program.js", import.meta.url).pathname;
const PES = 4;

const test = suite("domains over nodes");
/** Models of two NUMA nodes: CPUs alternate; and of one. */
const files = [2, 1].map((numa) => join(folder, `${numa}.json`));
test.before(() => {
  for (const [i, file] of files.entries()) {
    const all = Array.from({ length: 256 }, (_, cpu) => cpu);
    const pes = all.map((cpu) => ({ cpu, core: null, numa: i === 0 ? cpu % 2 : 0, package: null }));
    writeFileSync(file, JSON.stringify({ ...matrixOf(256, () => 0), pes }));
  }
});
test.after(() => rmSync(folder, { recursive: true }));

interface Said {
  readonly rank: number;
  readonly node: number;
  readonly cpu: number;
  readonly told: string;
  readonly sent: readonly (readonly number[])[];
}

eachMpi(
  test,
  "groups and orders are those of both nodes' models, at all PEs",
  async (kind) => {
    const number = kind === "MPICH" ? "$PMI_RANK" : "$OMPI_COMM_WORLD_RANK";
    const pick = `if [ ${number} = 0 ]; then export TUNDISH_MACHINE=${files[0]}; else export TUNDISH_MACHINE=${files[1]}; fi; exec "$@"`;
    const command = ["sh", "-c", pick, "sh", ...tundish, "run", program, "-n", String(PES)];
    const { code, text, said } = await runLine<Said>([...mpirun(kind, 2), ...command]);
    assert.is(code, 0, text);
    assert.is(said.length, 2 * PES, text);
    const byRank = [...said].sort((a, b) => a.rank - b.rank);
    // the second node has no domains
    const numaOf = ({ node, cpu }: Said) => (node === 0 ? cpu % 2 : 0);
    const near = [...byRank]
      .sort((a, b) => a.node - b.node || numaOf(a) - numaOf(b) || a.rank - b.rank)
      .map(({ rank }) => rank);
    assert.ok(new Set(byRank.slice(0, PES).map(numaOf)).size > 1, "this machine has two CPUs at least");
    for (const { rank, told, sent } of byRank) {
      assert.match(told, /^tensor, 2 hops in groups of 2/);
      assert.match(
        told,
        /\n {2}links: after its own, in the order of the domains\n {4}2 of 4 PEs\n {4}3 of 2 to 4 PEs$/,
      );
      const place = near.indexOf(rank);
      const after = near.map((_, i) => near[(place + 1 + i) % near.length]).slice(0, -1);
      assert.equal(sent, [after], `PE ${rank}`);
    }
  },
  inTurn(0, "domains"),
);

test.run();
