/**
 * The order of store and load on which no wake-up being lost depends (wakers.ts), as a litmus test: the one side stores
 * its waker and then looks at the word, the other stores the word and then looks at the waker. In no round may both
 * see nothing. Nobody has to sleep for it.
 */
import { once } from "node:events";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { spawnThread } from "../../../src/ground/base/thread/spawn.ts";
import { AWAKE, waitAreaBytes } from "../../../src/ground/wait/layout.ts";
import { membarrier } from "../../../src/ground/wait/membarrier.ts";
import { Wakers } from "../../../src/ground/wait/wakers.ts";
import { pinThread, readBinding } from "../../../src/machine/topology/affinity.ts";
import { type Ground, LINE_WORDS, meet, PAYLOAD_WORDS } from "./litmus.ts";

/** Rounds in which the two just missed each other. Without the fence some hundred lose a wake-up, once the code is compiled. */
const MEETINGS = 20_000;
/** Where the two seldom run at the same time there are fewer, ms. */
const LONGEST_MS = { notifiers: 5000, sleepers: 1000 };
/** Looks; a longer one is due to a thread that was not running. */
const LONGEST_DELAY = 1000;

const litmus = suite("litmus");

for (const fencing of ["notifiers", "sleepers"] as const)
  litmus(
    `${fencing} fence: who publishes and looks at the waker, or announces and looks at the word, sees the other`,
    async () => {
      if (fencing === "sleepers" && membarrier()?.register() !== true) return;
      const start = waitAreaBytes(1) / 4;
      const data = start + LINE_WORDS;
      const done = data + (PAYLOAD_WORDS + 1) * LINE_WORDS;
      const i32 = new Int32Array(new SharedArrayBuffer(4 * (done + LINE_WORDS)));
      const ground: Ground = { i32, waitOffset: 0, start, data, done };
      const entry = sibling("./litmus.worker.js", import.meta.url);
      const writer = spawnThread({ entry, workerData: ground, name: "writer" });
      await once(writer, "online");
      const binding = readBinding();
      pinThread(binding?.at(0) ?? 0);
      const wakers = new Wakers(i32, 0, 1, null);
      if (fencing === "sleepers") wakers.leaveFencesToSleepers();
      const waker = wakers.word(0);
      const until = performance.now() + LONGEST_MS[fencing];
      let lost = 0;
      let meetings = 0;
      /** So long that the two meet: it was too long, or too short, the last time. */
      let delay = 0;
      let wasThere = false;
      try {
        for (let round = 1; lost === 0 && meetings < MEETINGS && performance.now() < until; round++) {
          Atomics.store(i32, start, round); // pairs with the load in meet() of the writer
          for (let i = 0; i < delay; i++) Atomics.load(i32, start);
          wakers.announce(0);
          const isThere = Atomics.load(i32, data) === round;
          meet(i32, done, round);
          delay = isThere ? Math.max(0, delay - 1) : (delay + 1) % LONGEST_DELAY;
          if (isThere !== wasThere) meetings++;
          wasThere = isThere;
          if (!isThere && Atomics.load(i32, waker) !== AWAKE) lost++;
          wakers.stay(0);
          for (let i = 1; i <= PAYLOAD_WORDS; i++) assert.is(i32[data + i * LINE_WORDS], round);
        }
      } finally {
        Atomics.store(i32, start, -1);
        await once(writer, "exit");
        if (binding !== null) pinThread(binding); // the next writer inherits it
      }
      assert.is(lost, 0, `a wake-up was lost when they had met ${meetings} times`);
    },
  );

litmus.run();
