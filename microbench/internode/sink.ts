/**
 * A stream of messages at the receiver: from one sender, or from many at the same time.
 *
 *     slot   0 … posted-1                   … + ANSWERS-1
 *            receives, from any sender      answers
 *
 * The time between messages, and the part of it that is work, are the receiver's cost by the number of senders: the
 * cost for a porter whose PE all others send to.
 *
 * Limits: only turns that found something count as work; work of MPI for a message in other turns counts as waiting.
 */
import { now } from "../pairs/clock.ts";
import { message } from "./message.ts";
import type { PendingMessages } from "./pending-messages.ts";
import { NOTHING, type Outcome, Slices } from "./slices.ts";
import type { Task } from "./tasks.ts";

type Sink = Extract<Task, { kind: "sink" }>;

/** Receives posted at the same time for several senders, and answers in flight. */
const POSTED = 64;
const ANSWERS = 16;
/** Messages of each of several senders of bulk data, at least, on average. */
const LEAST_EACH = 16;

/** Number of slots that a sink needs. */
export const sinkSlots = (task: Sink): number => postedBy(task) + ANSWERS;

const postedBy = ({ ahead, sources }: Sink): number => Math.min(POSTED, ahead * sources.length);

/** Receives until each sender has sent its last message. */
export function sink(line: PendingMessages, task: Sink): Outcome {
  const { bytes, tag, timed, windowNs, sources, isBulk } = task;
  const fewest = isBulk ? LEAST_EACH * sources.length : 0;
  const posted = postedBy(task);
  const room = Array.from({ length: posted }, () => message(bytes));
  const answering = answers(line, task, posted);
  const slices = new Slices(now(), windowNs);
  let open = sources.length;
  const receive = (slot: number) => line.receive(slot, room[slot].bytes, -1, tag);
  for (let slot = 0; slot < posted; slot++) receive(slot);
  let since = now();
  while (open > 0) {
    let received = 0;
    const over = line.turn();
    for (let i = 0; i < over; i++) {
      const slot = line.slots[i] as number;
      if (slot >= posted) {
        answering.free(slot);
        continue;
      }
      received++;
      if (room[slot].isLast) open--;
      else answering.got(room[slot].sender);
      receive(slot);
    }
    answering.send();
    if (!timed) continue;
    const time = now();
    if (over === 0) slices.wait(time - since);
    else slices.add(time, received);
    since = time;
    if (slices.isOver(time, fewest)) answering.isEnding = true;
  }
  close(line, task, posted);
  if (!timed) return NOTHING;
  return isBulk ? slices.mean : slices.outcome();
}

/** Sends answers: one for each half of the messages that a sender may be ahead. */
function answers(line: PendingMessages, { sources, ahead }: Sink, posted: number) {
  const half = ahead / 2;
  const counts = new Int32Array(sources.length);
  const owed: number[] = [];
  const free = Array.from({ length: ANSWERS }, (_, i) => posted + i);
  const [more, stop] = [message(8), message(8, { isLast: true })];
  return {
    isEnding: false,
    got(sender: number) {
      if (++(counts[sender] as number) % half === 0) owed.push(sender);
    },
    free(slot: number) {
      free.push(slot);
    },
    send() {
      while (owed.length > 0 && free.length > 0) {
        const { peer, back } = sources[owed.pop() as number];
        line.send(free.pop() as number, (this.isEnding ? stop : more).bytes, peer, back);
      }
    },
  };
}

/** Completes the posted receives with messages to itself: a posted receive is an error when MPI is closed. */
function close(line: PendingMessages, { self, bytes, tag }: Sink, posted: number): void {
  const nothing = message(bytes);
  for (let slot = posted; slot < posted + ANSWERS; slot++) while (line.isBusy(slot)) line.turn();
  for (let i = 0; i < posted; i++) {
    const slot = posted + (i % ANSWERS);
    while (line.isBusy(slot)) line.turn();
    line.send(slot, nothing.bytes, self, tag);
  }
  line.finish();
}
