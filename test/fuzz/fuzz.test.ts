/**
 * Random programs over all facilities, in worlds of all kinds. The long run plays many, with more PEs than CPUs and
 * beside two processes that compute. How one is played again: replay.ts.
 */
import { spawn } from "node:child_process";
import { suite } from "uvu";
import { LONG, rounds } from "../support/long.ts";
import { drawn, SEED } from "../support/sample.ts";
import { testUnless } from "../support/skip.ts";
import { playIn, WORLDS, type World, whyNot } from "./support/worlds.ts";

const test = suite("random programs");

/** Worlds, and programs in each: plain, with one of the MPIs, and long. */
const isOpenMpi = drawn(2, "MPI") === 0;
const VOLUME: Readonly<Record<World, readonly [plain: number, long: number, each: number]>> = {
  threads: [1, 250, 3],
  virtual: [3, 500, 3],
  "Open MPI": [isOpenMpi ? 1 : 0, 40, 3],
  MPICH: [isOpenMpi ? 0 : 1, 40, 3],
};

/** Processes that keep CPUs busy as long as this one lives. */
const SPIN = "const parent = process.ppid; while (process.ppid === parent);";
const neighbours = Array.from({ length: LONG ? 2 : 0 }, () =>
  spawn(process.execPath, ["-e", SPIN], { stdio: "ignore" }),
);
test.after(() => {
  for (const one of neighbours) one.kill("SIGKILL");
});

for (const world of WORLDS) {
  const [plain, long, each] = VOLUME[world];
  const least = world === "threads" || world === "virtual" ? 1 : 2;
  for (let i = 0; i < rounds(plain, long); i++) {
    const first = (SEED + i * each) % 2 ** 30;
    const pes = least + drawn(9 - least, "fuzz", world, i);
    testUnless(test, whyNot(world), `${world}, ${pes} PEs, from seed ${first} on`, () =>
      playIn(
        world,
        pes,
        Array.from({ length: each }, (_, k) => first + k),
      ),
    );
  }
}

test.run();
