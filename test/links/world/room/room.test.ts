/**
 * A world that cannot start for want of mappings, address space, threads or descriptors: an error says which, and all
 * else goes on.
 */
import { execFile, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { testUnless } from "../../../support/skip.ts";
import type { Outcome, What } from "./room.program.ts";

const program = fileURLToPath(new URL("./room.program.js", import.meta.url));
const isLinux = process.platform === "linux";

/** More mappings take too long to fill. */
const MOST_MAPPINGS = 300_000;
const KIB_OF_ADDRESSES = 64 * 2 ** 20;
const DESCRIPTORS = 200;
/** Those of Node.js itself, of a world of 2 PEs, and some more. */
const THREADS = 30;

const under = (limits: string): readonly string[] => ["bash", "-c", `${limits}; exec "$0" "$@"`];

/** The limit of threads holds for no process of root; it counts those of a user, or of a user namespace. */
const asNobody =
  process.getuid?.() === 0 ? ["setpriv", "--reuid=54321", "--regid=54321", "--clear-groups"] : ["unshare", "--user"];

const commands: Readonly<Record<What, readonly string[]>> = {
  mappings: [],
  "address space": under(`ulimit -v ${KIB_OF_ADDRESSES}`),
  heap: under(`ulimit -v ${KIB_OF_ADDRESSES}`),
  descriptors: under(`ulimit -n ${DESCRIPTORS}`),
  threads: [...asNobody, ...under(`ulimit -u ${THREADS}`)],
};

function lackFor(what: What): string | null {
  if (!isLinux) return "needs the limits of Linux";
  if (what === "mappings" && Number(readFileSync("/proc/sys/vm/max_map_count", "utf8")) > MOST_MAPPINGS)
    return "vm.max_map_count takes too long to reach";
  const [command = "true", ...args] = [...commands[what], process.execPath, "--check", program];
  return spawnSync(command, args, { stdio: "ignore" }).status === 0 ? null : `cannot run ${command}`;
}

async function play(what: What): Promise<Outcome> {
  const [command = "", ...args] = [...commands[what], process.execPath, "--expose-gc", program, what, `${DESCRIPTORS}`];
  const { stdout } = await promisify(execFile)(command, args);
  return JSON.parse(stdout) as Outcome;
}

const test = suite("room for threads");

const expected: Readonly<Record<What, readonly [code: string, message: RegExp]>> = {
  mappings: ["ERR_TUNDISH_ENVIRONMENT", /room for another thread.* has \d+ mappings of memory.*vm\.max_map_count=/],
  "address space": ["ERR_TUNDISH_ENVIRONMENT", /room for another thread.* MiB of address space.*\(ulimit -v\)/],
  heap: ["ERR_TUNDISH_HEAP", /Cannot reserve 4294967296 bytes.* MiB of address space.*\(ulimit -v\)/],
  descriptors: ["ERR_TUNDISH_ENVIRONMENT", /refuses another thread \(.*EMFILE\)\. .*\(ulimit -n\)/],
  threads: ["ERR_TUNDISH_ENVIRONMENT", /refuses another thread \(EAGAIN\)\. User \d+ has \d+ threads.*\(ulimit -u\)/],
};

for (const [what, [code, message]] of Object.entries(expected) as [What, (typeof expected)[What]][]) {
  testUnless(test, lackFor(what), `${what}: the error says what is short, and other worlds go on`, async () => {
    const { error, others, after, threads } = await play(what);
    assert.is(error?.code, code, error?.message);
    assert.match(error?.message ?? "", message);
    assert.equal([others, after, threads], [[1, 1], [1, 1], 0]);
  });
}

test.run();
