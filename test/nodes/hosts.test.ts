/** Worlds over hosts, by TCP: every collective, a slow link, a link that goes down, a node that is killed. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../src/ground/base/package-file.ts";
import { type Case, everyKindAndOp } from "../collectives/support/cases.ts";
import { type Hosts, type HostsOptions, makeHosts, whyNoHosts } from "../machine/mpi/hosts.ts";
import { type Job, startJob } from "../machine/mpi/job.ts";
import { launchOver } from "../machine/mpi/launch-over.ts";
import { type Kind, whyNoMpi } from "../machine/mpi/launchers.ts";
import { LONG } from "../support/long.ts";
import { testUnless } from "../support/skip.ts";
import { CONVEYORS, dealt, FRONTS, own, STATES, use } from "./conveyor-steps.ts";
import type { Order } from "./node.ts";
import type { Step } from "./programs/conveyor.program.ts";
import { saidIn, saidText } from "./said.ts";
import { inTurn, someOf } from "./some-of.ts";

const every = sibling("../collectives/programs/every.program.js", import.meta.url).href;
const faults = sibling("./faults.program.js", import.meta.url).href;
const node = fileURLToPath(new URL("./node.js", import.meta.url));
const SOME_MS = 20_000;
/** So that mpirun notices a cut link in seconds: without, it took 490 s. */
const KEEPALIVE = ["time", "intvl", "probes"].flatMap((name, i) => [
  "--mca",
  `oob_tcp_keepalive_${name}`,
  String([2, 1, 3][i]),
]);

/** Of each kind of front some, as all are played without hosts (conveyor.test.ts). */
const SOME_FRONTS = LONG ? FRONTS : FRONTS.filter((_, i) => i % 3 === 0);

const noHosts = await whyNoHosts();
const why = (kind: Kind): string | null => noHosts ?? whyNoMpi(kind);

const orderFile = (hosts: Hosts): string => join(hosts.folder, "order.json");

function start(
  hosts: Hosts,
  kind: Kind,
  order: Order,
  env: NodeJS.ProcessEnv = {},
  options: readonly string[] = [],
): Job {
  const file = orderFile(hosts);
  writeFileSync(file, JSON.stringify({ ...order, byMpi: true }));
  const launch = launchOver(hosts, kind, ...order.pes.map(() => 1));
  const started = { ...launch, args: [...options, ...launch.args], env: { ...launch.env, ...env } };
  return startJob(hosts, started, [process.execPath, node, file]);
}

/** Runs `order` to its end, which is a good one; gives what the PEs of each node have returned. */
async function results(kind: Kind, order: Order, options: HostsOptions = {}) {
  await using hosts = makeHosts(order.pes.length, options);
  const job = start(hosts, kind, order);
  const { code, text, left } = await job.ended;
  assert.is(code, 0, text + saidText(orderFile(hosts)));
  assert.equal(left, [], text);
  return saidIn(orderFile(hosts)).map((one) => one.results);
}

async function collectives(kind: Kind, pes: readonly number[], cases: readonly Case[], options: HostsOptions = {}) {
  const args = { cases, arenaBytes: 2 ** 22 };
  assert.equal(
    await results(kind, { program: every, pes, args }, options),
    pes.map((count) => Array(count).fill(cases.length)),
  );
}

/** Conveyors: each PE must have done all steps. */
async function conveyors(kind: Kind, pes: readonly number[], steps: readonly Step[], options: HostsOptions = {}) {
  const said = await results(kind, { program: CONVEYORS, pes, args: steps }, options);
  const done = said.map((node) => node?.map((times) => Object.keys(times as object).length));
  assert.equal(
    done,
    pes.map((count) => Array(count).fill(steps.length)),
  );
}

const test = suite("worlds over hosts");
for (const kind of ["Open MPI", "MPICH"] as const) {
  const each = testUnless.bind(null, test, why(kind));
  // in a plain run one of the two worlds with each MPI
  const is = (shape: number) => inTurn(shape, "hosts").includes(kind);
  if (is(0))
    each(`every collective over 2 hosts, 2 + 1 PEs (${kind})`, () =>
      collectives(kind, [2, 1], everyKindAndOp([1, 33, 0, 130, 5000])),
    );
  if (is(1))
    each(`every collective over 4 hosts, one of them on a slow link (${kind})`, () =>
      collectives(kind, [1, 1, 2, 1], someOf(everyKindAndOp([7, 300])), { limits: { 3: "200mbit" } }),
    );
  // what without hosts the other MPI plays (conveyor.test.ts); in the long run both do
  const only = (which: Kind, ...steps: readonly Step[]) => (LONG || kind === which ? steps : []);
  const fronts = [...only("Open MPI", ...SOME_FRONTS, own("random")), ...(LONG ? [STATES] : [])];
  each(`conveyors of all types and fronts over 2 hosts, 2 + 1 PEs (${kind})`, () =>
    conveyors(kind, [2, 1], [dealt(kind, 2, 60, 1), ...fronts, use("oversized")]),
  );
  each(`conveyors over 4 hosts, one of them on a slow link (${kind})`, () =>
    conveyors(kind, [1, 1, 2, 1], [...only("Open MPI", dealt(kind, 4, 40, 1)), own("groups"), own("large")], {
      limits: { 3: "200mbit" },
    }),
  );
}

const openMpi = testUnless.bind(null, test, why("Open MPI"));

async function beating({ said }: Job): Promise<void> {
  const late = Date.now() + SOME_MS;
  while (!said.some((line) => "beat" in line)) {
    assert.ok(Date.now() < late, "no beat");
    await sleep(10);
  }
}

openMpi("a link that goes down: each node ends by itself, in time (Open MPI)", async () => {
  await using hosts = makeHosts(3);
  const order: Order = { program: faults, pes: [1, 2, 1], args: "beats" };
  const job = start(hosts, "Open MPI", order, { TUNDISH_NODE_TIMEOUT: "2000" }, KEEPALIVE);
  await beating(job);
  hosts.cut(1);
  const since = Date.now();
  const { text, left } = await job.ended;
  assert.ok(Date.now() - since < 40_000, `${Date.now() - since} ms`);
  assert.equal(left, [], text);
  const errors = saidIn(orderFile(hosts)).flatMap(({ error }) => (error === undefined ? [] : [error]));
  // the launcher may kill one of them before it has said anything
  assert.ok(errors.length >= 2, text);
  for (const error of errors) {
    assert.is(error.code, "ERR_TUNDISH_RANK_LOST");
    assert.match(error.message, /Node \d has sent no message for \d s/);
  }
});

openMpi("a node is killed: nothing is left on any host (Open MPI)", async () => {
  await using hosts = makeHosts(3);
  const job = start(hosts, "Open MPI", { program: faults, pes: [1, 2, 1], args: "kill" });
  const { code, text, left } = await job.ended;
  assert.is.not(code, 0, text);
  assert.equal(left, [], text);
});
test.run();
