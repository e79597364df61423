/** The writing side of litmus.test.ts: answers each round's start with a word that the other side may sleep for. */
import { workerData } from "node:worker_threads";
import { pinThread, readBinding } from "../../src/machine/affinity.ts";
import { Bells } from "../../src/wait/wakers.ts";
import { type Ground, LINE_WORDS, meet, PAYLOAD_WORDS } from "./litmus.ts";

const { i32, waitOffset, start, data, done } = workerData as Ground;
const bells = new Bells(i32, waitOffset, 1, null);
const bell = bells.word(0);

// apart from the other side, where there is more than one core to be had
pinThread(readBinding()?.at(-1) ?? 0);
for (let round = 1; meet(i32, start, round); round++) {
  // what goes with the word, in lines that the other side has just read: the stores take their time
  for (let i = 1; i <= PAYLOAD_WORDS; i++) i32[data + i * LINE_WORDS] = round;
  bells.post(data, round, bell);
  Atomics.store(i32, done, round); // pairs with the load in meet() of the other side
}
