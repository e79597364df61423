/**
 * What a PE does in a batch: it exchanges messages with its like on the other node, in both directions at the same time.
 *
 * A PE may be `lead` messages ahead of what it has received, so no word beside the messages is needed to keep the two together; a
 * lead of one here and none there makes the same loop a ping-pong.
 *
 * Every message is looked at: its first words say which it is and whose, its last one says the first again.
 */
import { type DriversTask, WARM } from "./drivers-job.ts";
import type { Link } from "./drivers-link.ts";
import { IN, type LinkMemory, OUT } from "./drivers-memory.ts";

/** ns, by a clock that all threads of a machine share. */
const clock = (): number => Number(process.hrtime.bigint());

/** Word i of a message that is written whole. */
const wordOf = (n: number, i: number): number => (Math.imul(n, 0x9e3779b1) + i) | 0;

/** @param from the sender, a number that its like knows */
function fill(words: Int32Array, n: number, from: number, whole: boolean): void {
  if (whole) for (let i = 2; i < words.length; i++) words[i] = wordOf(n, i);
  words[0] = n;
  words[1] = from;
  words[words.length - 1] = ~n;
}

function check(words: Int32Array, n: number, from: number, whole: boolean): void {
  let isRight = words[0] === n && words[1] === from && words[words.length - 1] === ~n;
  if (whole) for (let i = 2; i < words.length - 1; i++) isRight &&= words[i] === wordOf(n, i);
  if (isRight) return;
  const bytes = 4 * words.length;
  throw new Error(
    `wrong message of ${bytes} bytes: expected number ${n} of ${from}, got ${words[0]} of ${words[1]}`,
  );
}

/** Who a PE and its like are, in messages. */
export interface Names {
  readonly mine: number;
  readonly theirs: number;
}

/** One batch; when it was begun, behind the messages that warm up, and when it was over. @throws Error for a wrong message, TimeoutError */
export function exchange(
  link: Link,
  { outWords, inWords }: LinkMemory,
  { count, lead, whole }: DriversTask,
  { mine, theirs }: Names,
): { begun: number; ended: number } {
  let sent = 0;
  let received = 0;
  let begun = 0;
  let isIdle = false;
  while (sent < count || received < count) {
    const before = sent + received;
    while (sent < count && sent < received + lead && link.isFree(sent % OUT)) {
      fill(outWords[sent % OUT], sent, mine, whole);
      link.send(sent % OUT);
      sent++;
    }
    link.turn(isIdle);
    while (received < count && link.hasCome(received % IN)) {
      check(inWords[received % IN], received, theirs, whole);
      link.release(received % IN);
      received++;
      if (received === WARM) begun = clock();
    }
    isIdle = sent + received === before;
  }
  const ended = clock();
  link.finish();
  return { begun, ended };
}
