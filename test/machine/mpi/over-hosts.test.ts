/** The binding to MPI over TCP between hosts: all bytes, abort, a link that is limited, one that is cut. */
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { LONG } from "../../support/long.ts";
import { patiently } from "../../support/patiently.ts";
import { testUnless } from "../../support/skip.ts";
import { EACH } from "./exchange-sizes.ts";
import { type HostsOptions, makeHosts, whyNoHosts } from "./hosts.ts";
import { type Ended, type Job, startJob } from "./job.ts";
import { launchOver } from "./launch-over.ts";
import { type Kind, whyNoMpi } from "./launchers.ts";
import { namesOf } from "./namespaces.ts";

const program = (name: string): string => fileURLToPath(new URL(`./${name}.program.js`, import.meta.url));

/** 25 MB/s: far below what any machine does without it. What a tbf gives stays below its rate. */
const LIMIT = "200mbit";
const LIMIT_MB = 25;
/** What goes over it at least, and over one without a limit, MB/s: in one of several tries, as others use the CPUs too. */
const LEAST_MB = LIMIT_MB / 5;
const FREE_MB = 1.5 * LIMIT_MB;
/** Many times a round trip and a beat. */
const CUT_MS = 500;
const BEATS = 60;
const SOME_MS = 10_000;

const noHosts = await whyNoHosts();
const why = (kind: Kind): string | null => noHosts ?? whyNoMpi(kind);

const test = suite("mpi over hosts");
test.after.each(() => assert.equal(namesOf(process.pid), []));

/** Runs a program in one rank on each of so many hosts. */
async function run(kind: Kind, count: number, [name, ...args]: string[], options: HostsOptions = {}) {
  await using hosts = makeHosts(count, options);
  const launch = launchOver(hosts, kind, ...hosts.names.map(() => 1));
  const job = startJob(hosts, launch, [process.execPath, program(name as string), ...args]);
  return { said: job.said, ...ended(await job.ended) };
}

/** What every job has to do, however it ends. */
function ended(end: Ended): Ended {
  assert.equal(end.left, [], end.text);
  return end;
}

/** Waits until a job has said something. */
async function until({ said }: Job, isSaid: (line: Record<string, unknown>) => boolean): Promise<void> {
  const late = Date.now() + SOME_MS;
  while (!said.some(isSaid)) {
    assert.ok(Date.now() < late, "said nothing");
    await sleep(10);
  }
}

const FEW: readonly (readonly [Kind, number])[] = [
  ["Open MPI", 2],
  ["MPICH", 3],
];
const MORE: readonly (readonly [Kind, number])[] = [
  ["Open MPI", 4],
  ["MPICH", 2],
];
for (const [kind, count] of LONG ? [...FEW, ...MORE] : FEW) {
  const each = testUnless.bind(null, test, why(kind));
  const over = `over ${count} hosts (${kind})`;

  each(`bytes there and back ${over}`, async () => {
    const { code, said, text } = await run(kind, count, ["exchange", "exchange"]);
    assert.is(code, 0, text);
    const ranks = said.map(({ rank }) => rank as number).sort();
    assert.equal(ranks, [...Array(count).keys()]);
    for (const one of said) {
      assert.equal(
        one.all,
        ranks.flatMap((rank) => [rank, 10 * rank]),
      );
      assert.is(one.checked, count * EACH);
    }
  });

  each(`two workers of each process ${over}`, async () => {
    const { code, said, text } = await run(kind, count, ["exchange", "threads"]);
    assert.is(code, 0, text);
    assert.is(said.length, count);
    for (const one of said) assert.is(one.checked, 2 * count * EACH);
  });

  each(`abort ends all ranks ${over}`, async () => {
    const { code, text } = await run(kind, count, ["exchange", "abort"]);
    assert.is(code, 17, text);
  });

  each(`a link that is limited, the last of ${count} (${kind})`, async () => {
    const limits = { [count - 1]: LIMIT };
    const least = [...Array(count).keys()].map((host) => (host === count - 1 ? LEAST_MB : FREE_MB));
    const { code, said, text } = await run(kind, count, ["link", "rate", least.join()], { limits });
    assert.is(code, 0, text);
    assert.is(said.length, count - 1);
    for (const { peer, rate } of said as { peer: number; rate: number }[]) {
      if (peer === count - 1) assert.ok(rate < LIMIT_MB && rate > LEAST_MB, text);
      else assert.ok(rate > FREE_MB, text);
    }
  });
}

const openMpi = testUnless.bind(null, test, why("Open MPI"));

openMpi("a job stands still while a link is cut, and goes on when it is restored", async () => {
  await using hosts = makeHosts(2);
  const launch = launchOver(hosts, "Open MPI", 1, 1);
  const job = startJob(hosts, launch, [process.execPath, program("link"), "beat", `${BEATS}`]);
  await until(job, ({ beat }) => beat === 10);
  hosts.cut(1);
  // what was said before comes yet, soon or late
  let before: number;
  do {
    before = job.said.length;
    await sleep(CUT_MS);
  } while (job.said.length > before);
  hosts.restore(1);
  const { code, text } = ended(await job.ended);
  assert.is(code, 0, text);
  assert.ok(before < BEATS, "it stood still");
  assert.is(job.said.length, BEATS);
});

openMpi("a job that passes its deadline is killed on all hosts", () =>
  // a busy machine may need longer until it says something
  patiently(2000, async (deadline) => {
    await using hosts = makeHosts(2);
    const launch = launchOver(hosts, "Open MPI", 2, 1);
    const job = startJob(hosts, launch, [process.execPath, program("link"), "beat", "100000"], deadline);
    const { code, text } = ended(await job.ended);
    assert.is(code, null, text);
    assert.ok(job.said.length > 0, text);
  }),
);

test.run();
