/**
 * A stream of messages at the sender: as many as may be in flight, in two halves. When a half was received, the sink
 * answers, and the next half is sent; so messages do not accumulate at the receiver, however slow it is.
 *
 *     slot   0 … ahead/2-1   … ahead-1   ahead
 *            first half      second      answers
 *
 * The time between answers, per message, is LogGP's g + G * bytes (`gap`); the time to pass a half to MPI, per message,
 * is its o.
 *
 * Source: LogGP (Alexandrov et al. 1995); windows as in the OSU micro-benchmarks' bandwidth test.
 */

import { median } from "../../src/ground/base/math.ts";
import { clockOverhead, now } from "../pairs/clock.ts";
import { message } from "./message.ts";
import type { PendingMessages } from "./pending-messages.ts";
import { NOTHING, type Outcome, Slices } from "./slices.ts";
import type { Task } from "./tasks.ts";

/** One of this number of halves is timed, so that reading the clock does not matter. */
const TIMED_HALVES = 8;

/** Sends until its window is over, or the sink answers that it is. */
export function source(line: PendingMessages, task: Extract<Task, { kind: "source" }>): Outcome {
  const { peer, bytes, tag, back, ahead, index: sender, timed, windowNs } = task;
  const half = ahead / 2;
  const [data, answer] = [message(bytes, { sender }), message(8)];
  const inBank = [0, 0];
  const overhead = clockOverhead();
  const slices = new Slices(now(), windowNs);
  const sends: number[] = [];
  let halves = 0;
  let answers = 0;
  let isEnding = false;

  const sendHalf = () => {
    const bank = halves & 1;
    for (let i = 0; i < half; i++) line.send(bank * half + i, data.bytes, peer, tag);
    inBank[bank] = half;
    halves++;
  };
  const onAnswer = () => {
    answers++;
    if (answer.isLast) isEnding = true;
    if (timed) {
      const time = now();
      slices.add(time, half);
      if (slices.isOver(time)) isEnding = true;
    }
    // no receive may stay posted at the end: there is one answer for each half
    if (!isEnding || answers < halves) line.receive(ahead, answer.bytes, peer, back);
  };

  line.receive(ahead, answer.bytes, peer, back);
  while (!isEnding || answers < halves) {
    // the half before the last was answered, and its slots are free
    if (!isEnding && halves - answers < 2 && inBank[halves & 1] === 0) {
      const before = timed && halves % TIMED_HALVES === 0 ? now() : 0;
      sendHalf();
      if (before > 0) sends.push(Math.max(0, now() - before - overhead) / half);
    }
    const over = line.turn();
    for (let i = 0; i < over; i++) {
      const slot = line.slots[i] as number;
      if (slot === ahead) onAnswer();
      else (inBank[slot < half ? 0 : 1] as number)--;
    }
  }
  line.finish();
  line.send(0, message(bytes, { sender, isLast: true }).bytes, peer, tag);
  line.finish();
  return timed ? slices.outcome(median(sends)) : NOTHING;
}
