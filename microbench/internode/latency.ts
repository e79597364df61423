/**
 * Ping-pong: a message, one of the same size back, and so on. Half of a round trip is the latency, alpha + beta *
 * bytes.
 *
 * The pinging PE marks the last message in its first word, so only this PE reads the clock.
 *
 * Source: LogP (Culler et al. 1993); the usual benchmark of MPI libraries.
 */
import { now } from "../pairs/clock.ts";
import { message } from "./message.ts";
import type { PendingMessages } from "./pending-messages.ts";
import { NOTHING, type Outcome, Slices } from "./slices.ts";
import type { Task } from "./tasks.ts";

type PingPong = Extract<Task, { kind: "ping" | "pong" }>;

const RECEIVE = 0;
const SEND = 1;
/** Number of slots that both need. */
export const PING_SLOTS = 2;

/** Sends the pings, and measures their time. */
export function ping(line: PendingMessages, { peer, bytes, tag, back, windowNs }: PingPong): Outcome {
  const [out, into, last] = [message(bytes), message(bytes), message(bytes, { isLast: true })];
  const trip = (ping: Uint8Array) => {
    line.receive(RECEIVE, into.bytes, peer, back);
    line.send(SEND, ping, peer, tag);
    line.finish();
  };
  const slices = new Slices(now(), windowNs);
  for (;;) {
    trip(out.bytes);
    const time = now();
    slices.add(time, 2);
    if (slices.isOver(time)) break;
  }
  trip(last.bytes);
  return slices.outcome();
}

/** Sends every message back, until the last one. */
export function pong(line: PendingMessages, { peer, bytes, tag, back }: PingPong): Outcome {
  const [out, into] = [message(bytes), message(bytes)];
  for (let isLast = false; !isLast; ) {
    line.receive(RECEIVE, into.bytes, peer, tag);
    while (line.isBusy(RECEIVE)) line.turn();
    isLast = into.isLast;
    // the answer arrived before the next ping, but the slot is free only once its completion was seen here
    while (line.isBusy(SEND)) line.turn();
    line.send(SEND, out.bytes, peer, back);
  }
  line.finish();
  return NOTHING;
}
