/**
 * Active messages: a few words that a handler of the receiver answers as soon as they arrive, whatever its program
 * does. Disciplines send them as tokens, requests and grants.
 *
 *     const port = pe.activeMessages((from, words) => {
 *       if (words[0] === REQUEST) port.send(from, [GRANT, round]);
 *     });
 *
 * They take the same network as buffers, and wait in the same queues. A PE that stalls answers when it goes on. The
 * handler delays its PE by the time to receive, and to send what it sends. No order is promised.
 *
 * Source: von Eicken et al., "Active Messages", 1992, as Brewer et al. 1996 (3.1, 4.3) use them.
 */
import { RankRangeError, UsageError } from "../../ground/base/errors.ts";
import { shortText } from "../../ground/base/short-text.ts";
import type { VirtualMachine } from "./machine.ts";
import { CONTROL } from "./messages.ts";
import type { VirtualPE } from "./virtual-pe.ts";

/** Most words of a message, of 8 bytes each, and what it has beside them. */
const MOST_WORDS = 8;
const HEADER_BYTES = 8;

/** The handler of messages; it must not wait. */
export type ActiveHandler = (from: number, words: readonly number[]) => void;

/** The state that the PEs of one port share. */
export class SharedPort {
  /** By rank; undefined where the PE has not made its port. */
  readonly ports: ActivePort[] = [];
  /** By rank: what came before. */
  readonly early: Map<number, (() => void)[]> = new Map();
}

/** Makes a port. */
export let newActivePort: (
  machine: VirtualMachine,
  pe: VirtualPE,
  shared: SharedPort,
  handler: ActiveHandler,
) => ActivePort;

/** Where a PE sends and receives active messages. */
export class ActivePort {
  static {
    newActivePort = (machine, pe, shared, handler) => new ActivePort(machine, pe, shared, handler);
  }

  readonly #machine: VirtualMachine;
  readonly #pe: VirtualPE;
  readonly #shared: SharedPort;
  readonly #handler: ActiveHandler;

  private constructor(machine: VirtualMachine, pe: VirtualPE, shared: SharedPort, handler: ActiveHandler) {
    if (typeof handler !== "function") {
      throw new UsageError(`activeMessages: expected a function, got ${shortText(handler)}`);
    }
    this.#machine = machine;
    this.#pe = pe;
    this.#shared = shared;
    this.#handler = handler;
    shared.ports[pe.rank] = this;
    for (const answer of shared.early.get(pe.rank) ?? []) machine.at(pe.clock, answer);
    shared.early.delete(pe.rank);
  }

  /** Sends up to 8 numbers. @throws RankRangeError, UsageError */
  send(dest: number, words: readonly number[]): void {
    const { pes } = this.#machine;
    if (!Number.isSafeInteger(dest) || dest < 0 || dest >= pes.length) {
      throw new RankRangeError(`send: expected a rank from 0 to ${pes.length - 1}, got ${shortText(dest)}`);
    }
    if (!Array.isArray(words) || words.length > MOST_WORDS || !words.every((x) => typeof x === "number")) {
      throw new UsageError(`send: expected at most ${MOST_WORDS} numbers, got ${shortText(words)}`);
    }
    const [from, to, shared] = [this.#pe, pes[dest], this.#shared];
    const copy = [...words];
    this.#machine.messages.send(
      from,
      to,
      HEADER_BYTES + 8 * copy.length,
      (time) => {
        const port = shared.ports[dest];
        if (port !== undefined) {
          port.#answer(from, copy, time);
          return;
        }
        const early = shared.early.get(dest) ?? [];
        shared.early.set(dest, early);
        early.push(() => shared.ports[dest].#answer(from, copy, to.clock));
      },
      CONTROL,
    );
    from.moved = true;
  }

  #answer(from: VirtualPE, words: readonly number[], time: number): void {
    const machine = this.#machine;
    const pe = this.#pe;
    machine.interrupt(pe, time, () => {
      pe.clock += machine.messages.receiving(from, pe);
      try {
        this.#handler(from.rank, words);
      } catch (error) {
        machine.threw(pe, error);
      }
    });
  }
}
