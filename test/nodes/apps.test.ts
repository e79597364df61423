/** The programs in apps/ over nodes, as a user starts them: verified, with the result that one node has. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Report } from "../../apps/common.ts";
import type { AppReport } from "../../apps/runner.ts";
import { CHECKSUM_S, EXCHANGES } from "../apps/support/is.ts";
import { type HostsOptions, makeHosts, whyNoHosts } from "../machine/mpi/hosts.ts";
import { startJob } from "../machine/mpi/job.ts";
import { launchOver } from "../machine/mpi/launch-over.ts";
import { eachMpi, KINDS, type Kind, mpirun, runLine, WORDS, whyNoMpi } from "../machine/mpi/launchers.ts";
import { LONG } from "../support/long.ts";
import { root } from "../support/paths.ts";
import { covering, drawn } from "../support/sample.ts";
import { testUnless } from "../support/skip.ts";
import { launchPooled } from "../support/thread-pool.ts";
import { inTurn } from "./some-of.ts";

const app = (name: string): string => join(root, "dist/apps", `${name}.js`);
const APPS = ["histogram", "index-gather", "index-gather-pair"] as const;
const ITEMS = 20_000;
const ARGS = ["--items", `${ITEMS}`, "--table", "5003"];
/** What each process of the job is. */
const command = (name: string, pes: number, ...args: string[]): string[] => {
  const tundish = [process.execPath, join(root, "dist/lib/main.js")];
  return [...tundish, "run", app(name), "-n", `${pes}`, "--", ...ARGS, ...args];
};
const WAYS = [[], ["--hops", "2"], ["--type", "simple"]];

/** By program: the checksum of its result, whatever the PEs. */
const checksums = new Map<string, number>();
for (const name of APPS) {
  const [report] = await launchPooled(pathToFileURL(app(name)), { pes: 2, args: ARGS });
  checksums.set(name, (report as Report).checksum);
}

/** One report, of PE 0 of the world, which says that all is right. */
function check(name: string, pes: number, text: string): void {
  const reports = text.split("\n").filter((line) => line.includes("app: "));
  assert.is(reports.length, 1, text);
  const report = reports[0] as string;
  for (const part of [`0: { app: '${name}', pes: ${pes}`, `checksum: ${checksums.get(name)}`, "errors: 0"])
    assert.ok(report.includes(part), `${part} in ${text}`);
}

/** Worlds of 4 PEs: nodes, and PEs of each. */
const SHAPES = [
  [2, 2],
  [4, 1],
] as const;
/** Every app, way, shape and MPI: one of each in a plain run, drawn; each with each in the long one. */
const RUNS = covering(
  SHAPES.flatMap((_, shape) =>
    KINDS.flatMap((kind) => APPS.flatMap((name) => WAYS.map((way) => ({ shape, kind, name, way })))),
  ),
  ({ shape, kind, name, way }) => [name, way.join(" "), `${shape}`, kind],
  "apps over nodes",
);
const runsOf = (kind: Kind, shape: number): typeof RUNS =>
  RUNS.filter((one) => one.kind === kind && one.shape === shape);

const test = suite("apps over nodes");
for (const [shape, [nodes, pes]] of SHAPES.entries()) {
  eachMpi(
    test,
    `${nodes} nodes with ${pes} PEs, apps in several ways, the result of one node`,
    async (kind) => {
      for (const { name, way } of runsOf(kind, shape)) {
        const { code, text } = await runLine([...mpirun(kind, nodes), ...command(name, pes, ...way)]);
        assert.is(code, 0, text);
        check(name, nodes * pes, text);
      }
    },
    KINDS.filter((kind) => runsOf(kind, shape).length > 0),
  );
}

const wrong = async (kind: Kind): Promise<void> => {
  const { code, text } = await runLine([...mpirun(kind, 2), ...command("histogram", 1, "--spoil")]);
  assert.is(code, 1, text);
  assert.match(text, `threw Error: histogram: errors = 2, of ${ITEMS} items, at 2 PEs`);
};
eachMpi(test, "a wrong result ends the job with exit code 1, and is told", wrong, inTurn(0, "wrong"));

const thesis = async (kind: Kind): Promise<void> => {
  // all of them in one job; aggregated, or each message by itself
  const program = join(root, "dist/test/apps/programs/thesis.program.js");
  const isAggregated = LONG ? kind === "MPICH" : drawn(2, "aggregated") === 1;
  const args = [isAggregated ? "on" : "off"];
  const one = JSON.parse(
    (await launchPooled<string>(pathToFileURL(program), { pes: 4, args, heapBytes: 2 ** 24 }))[0] as string,
  ) as AppReport[];
  const run = [process.execPath, join(root, "dist/lib/main.js"), "run", program, "-n", "2", "--", ...args];
  const { code, text } = await runLine([...mpirun(kind, 2), ...run]);
  assert.is(code, 0, text);
  const reports = JSON.parse(/'(\[\{.*\}\])'/.exec(text)?.[1] as string) as AppReport[];
  const results = (all: readonly AppReport[]) =>
    all.map(({ app, pes, aggregate, messages, payloadBytes, checksum, errors }) => ({
      ...{ app, pes, aggregate, messages, payloadBytes, checksum, errors },
    }));
  assert.is(reports.length, isAggregated ? 5 : 4);
  assert.equal(results(reports), results(one));
  assert.ok(reports.every(({ errors }) => errors === 0));
  if (!isAggregated) for (const { buffers, messages } of reports) assert.is(buffers, messages);
};
eachMpi(test, "programs after TRAM's thesis on 2 nodes: the results of one node", thesis, inTurn(0, "thesis"));

const sorting = async (kind: Kind): Promise<void> => {
  const other = kind === "MPICH" ? "alltoallv" : "exchange";
  const exchanges = LONG ? EXCHANGES : ["append", other];
  const program = join(root, "dist/test/apps/programs/is.program.js");
  const run = [process.execPath, join(root, "dist/lib/main.js"), "run", program, "-n", "2", "--"];
  const { code, text } = await runLine([...mpirun(kind, 2), ...run, ...exchanges]);
  assert.is(code, 0, text);
  const reports = JSON.parse(/'(\[\{.*\}\])'/.exec(text)?.[1] as string) as AppReport[];
  assert.equal(
    reports.map(({ exchange, pes, passes, errors, checksum }) => [exchange, pes, passes, errors, checksum]),
    exchanges.map((exchange) => [exchange, 4, 51, 0, CHECKSUM_S]),
  );
};
eachMpi(test, "IS on 2 nodes: all checks pass, the result of one node", sorting, inTurn(1, "thesis"));

const OPTIONS: readonly HostsOptions[] = [{}, { limits: { 3: "200mbit" } }];

async function overHosts(kind: Kind, shape: number): Promise<void> {
  const [nodes, pes] = SHAPES[shape] as (typeof SHAPES)[number];
  await using hosts = makeHosts(nodes, OPTIONS[shape]);
  const slots = hosts.names.map(() => 1);
  const apps = LONG ? APPS : [APPS[drawn(APPS.length, "hosts", shape)] as string];
  for (const name of apps) {
    const job = startJob(hosts, launchOver(hosts, kind, ...slots), command(name, pes));
    const { code, text, left } = await job.ended;
    assert.is(code, 0, text);
    assert.equal(left, [], text);
    check(name, nodes * pes, text);
  }
}

const noHosts = await whyNoHosts();
for (const [shape, [nodes, pes]] of SHAPES.entries()) {
  for (const kind of inTurn(shape, "hosts")) {
    const what = `${nodes} hosts with ${pes} PEs${nodes === 4 ? ", one of them on a slow link" : ""}`;
    testUnless(test, noHosts ?? whyNoMpi(kind), `${what} (${WORDS[kind]})`, () => overHosts(kind, shape));
  }
}
test.run();
