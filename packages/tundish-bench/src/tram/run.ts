/**
 * The streams and the synthetic benchmark in the simulator: each PE sends messages to all others. Whoever has got a
 * window of them from a PE acknowledges them, by a message of its own, and a PE goes on only when it has got the
 * acknowledgements of all others. A continuous stream is one window.
 *
 * Without aggregation each message is a buffer of its own (flush after each push). The time is that until a PE has got
 * its last acknowledgement, the latest of all, without the begin and the end of the session.
 *
 * Source: TRAM's thesis, sections 5.1 to 5.3.
 */

import { packetBytes } from "../../../../src/facilities/conveyor/engine/packets.ts";
import { u32 } from "../../../../src/ground/item/item-type.ts";
import { simulate } from "../../../../src/running/simulate/simulate.ts";
import {
  ALPHA,
  BUFFER_BYTES,
  endOf,
  MESSAGE_BYTES,
  simulationOf,
  THRESHOLD,
  TIMEOUT,
  type TramPlace,
  WINDOW,
} from "./model.ts";

/** One point of a curve. */
export interface TramCase extends TramPlace {
  /** Messages of a pair, a multiple of the window. */
  readonly messages: number;
  /** Messages of a pair for one acknowledgement. @default WINDOW */
  readonly window?: number | undefined;
}

/** Its result. */
export interface TramRun {
  /** ns */
  readonly time: number;
  /** ns, for each message that a PE sends. */
  readonly perMessage: number;
  /** Messages in a buffer, mean over all hops. */
  readonly perBuffer: number;
  /** Buffers that a PE sends, in the mean, over all hops. */
  readonly buffers: number;
  /** Buffers that were sent as their time was over, of all; null where a program does not tell. */
  readonly late: number | null;
}

/** Bytes of a buffer for one message, beside those of the message. */
export const SINGLE = 156;
/** ns between two looks of a PE that waits; longer where messages cost more. */
export const POLL = 1000;

/** Runs it. */
export function runTram(of: TramCase): TramRun {
  const { pes, mesh, messages, alpha = ALPHA, timeout = TIMEOUT, bytes = MESSAGE_BYTES, window = WINDOW } = of;
  const { bufferBytes = BUFFER_BYTES, threshold = THRESHOLD, cutoff } = of;
  const others = pes - 1;
  const batch = window * others;
  const acknowledgements = (messages / window) * others;
  const message = new Uint8Array(bytes);
  // what counts of a message against the size of a buffer is its data: chapter 5.2, getoffset() in NDMeshStreamer
  const heads = packetBytes(bytes) / bytes;
  const end = endOf(of);
  const fractions = { threshold, ...(cutoff === undefined ? {} : { cutoff }) };
  const options =
    mesh === null
      ? { bufferBytes: SINGLE + bytes }
      : { mesh, bufferBytes: Math.round(heads * bufferBytes), maxDelay: timeout, ...fractions };
  const { results, conveyors } = simulate(simulationOf(of), function* (pe) {
    const c = pe.elasticConveyor({ ...options, buffersPerLink: 4 });
    const answers = pe.conveyor(u32, { type: "trivial" });
    yield* c.begin();
    yield* answers.begin();
    const began = pe.now;
    const taken = new Uint32Array(pes);
    /** Whom to acknowledge, and how many of them have been. */
    const owed: number[] = [];
    let acknowledged = 0;
    let [pushed, pulled, answered] = [0, 0, 0];
    let handled = 0;
    let time = 0;
    for (let [isOpen, answersAreOpen] = [true, true]; isOpen || answersAreOpen; ) {
      const before = pushed + pulled + answered + acknowledged;
      const most = batch * Math.min(messages / window, 1 + Math.floor(answered / others));
      for (; pushed < most; pushed++) {
        const dest = (pe.rank + 1 + (pushed % others)) % pes;
        if (!c.push(dest, message)) break;
        if (mesh === null) c.flush(dest);
      }
      for (; c.pull(); pulled++) if (++taken[c.from] % window === 0) owed.push(c.from);
      while (acknowledged < owed.length && answers.push(owed[acknowledged], window)) acknowledged++;
      while (answers.pull()) answered++;
      pe.work(end * (pushed + pulled - handled));
      handled = pushed + pulled;
      // it looks again soon, and not after ever longer pauses, as whoever waits for a timeout would be late
      if (pushed + pulled + answered + acknowledged === before) pe.work(Math.max(POLL, alpha / 2));
      const isAnswered = answered === acknowledgements;
      if (isAnswered && time === 0) time = pe.now - began;
      // the last messages wait for their time, too
      if (isOpen) isOpen = Boolean(yield* c.advance(isAnswered));
      if (answersAreOpen) answersAreOpen = Boolean(yield* answers.advance(acknowledged === acknowledgements));
    }
    const { buffers, sentFor } = c.stats();
    yield* c.reset();
    yield* answers.reset();
    return { time, buffers, late: sentFor.delay };
  });
  const sum = (part: (one: (typeof results)[number]) => number) => results.reduce((all, one) => all + part(one), 0);
  const buffers = sum((one) => one.buffers);
  const items = (conveyors[0]?.hops ?? []).reduce((all, hop) => all + hop.items, 0);
  const time = Math.max(...results.map((one) => one.time));
  return {
    time,
    perMessage: time / (messages * others),
    perBuffer: items / buffers,
    buffers: buffers / pes,
    late: sum((one) => one.late) / buffers,
  };
}
