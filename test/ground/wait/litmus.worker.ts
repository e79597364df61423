/** The writing side of litmus.test.ts: answers each round's start with a word that the other side may sleep for. */
import { workerData } from "node:worker_threads";
import { Wakers } from "../../../src/ground/wait/wakers.ts";
import { pinThread, readBinding } from "../../../src/machine/topology/affinity.ts";
import { type Ground, LINE_WORDS, meet, PAYLOAD_WORDS } from "./litmus.ts";

/** 8 MiB: more than the caches of one core. */
const FAR_WORDS = 1 << 21;
/** Some pages and some lines further. */
const FAR_STEP = 12_345 * 16;
const FAR_STORES = 8;

const { i32, waitOffset, start, data, done } = workerData as Ground;
const wakers = new Wakers(i32, waitOffset, 1, null);
const waker = wakers.word(0);

// apart from the other side, where there is more than one core to be had
pinThread(readBinding()?.at(-1) ?? 0);

// Stores leave a core in their order, so the word waits behind these, which are in no cache nearby: the longer it does,
// the more often the waker is looked at before it, where it may be. Two threads of one core need that: nothing else that
// they write for each other takes long.
const far = new Int32Array(FAR_WORDS).fill(1);
let at = 0;

for (let round = 1; meet(i32, start, round); round++) {
  for (let i = 1; i <= PAYLOAD_WORDS; i++) i32[data + i * LINE_WORDS] = round;
  for (let i = 0; i < FAR_STORES; i++) {
    at = (at + FAR_STEP) & (FAR_WORDS - 1);
    far[at] = round;
  }
  wakers.post(data, round, waker);
  Atomics.store(i32, done, round); // pairs with the load in meet() of the other side
}
