/**
 * Watches the links of an exchange, and knows nothing of its discipline: at equal intervals of virtual time, which PEs
 * send, and how many send to one receiver. A PE sends to another from the first packet of a block on until all of it
 * has left its node.
 */

import type { Porter } from "../../../../src/links/transport/contract.ts";
import { LENGTH, OFFSET, TOTAL } from "../../../../src/route/disciplines/packet.ts";
import type { VirtualMachine } from "../../../../src/running/simulate/machine.ts";

/** Samples that are kept; when there are twice as many, every second one is dropped. */
const SAMPLES = 200;

/** The observation. */
export interface Watched {
  /** ns between two samples. */
  readonly interval: number;
  /** By sample: PEs that were sending. */
  readonly senders: readonly number[];
  /** Senders at once of one receiver: the most at any packet, and the mean over samples and receivers that had one. */
  readonly mostAtOnce: number;
  readonly meanAtOnce: number;
}

export class Watch {
  readonly #machine: VirtualMachine;
  readonly #porters: Porter[] = [];
  /** By sender: the receivers that it may be sending to. */
  readonly #targets: Set<number>[];
  /** By sender: the receivers of which a block is begun. */
  readonly #begun: Set<number>[];
  #interval: number;
  #senders: number[] = [];
  #mostAtOnce = 0;
  /** Sums over samples, of senders and of receivers that had one. */
  #sending = 0;
  #receiving = 0;

  /** @param interval ns between two samples at first */
  constructor(machine: VirtualMachine, interval: number) {
    this.#machine = machine;
    this.#interval = interval;
    this.#targets = machine.pes.map(() => new Set());
    this.#begun = machine.pes.map(() => new Set());
    machine.at(interval, () => this.#sample());
  }

  /** The same porter, watched. */
  porter(pe: number, porter: Porter): Porter {
    this.#porters[pe] = porter;
    const send: Porter["send"] = (link, start, ...rest) => {
      this.#targets[pe].add(link);
      const { i32, f64 } = this.#machine.memory.views;
      const isLast = f64[start / 8 + OFFSET] + i32[start / 4 + LENGTH] === f64[start / 8 + TOTAL];
      porter.send(link, start, ...rest);
      if (isLast) this.#begun[pe].delete(link);
      else this.#begun[pe].add(link);
      this.#mostAtOnce = Math.max(this.#mostAtOnce, this.#sendersOf(link));
    };
    return new Proxy(porter, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (name === "send") return send;
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  }

  get result(): Watched {
    return {
      interval: this.#interval,
      senders: this.#senders,
      mostAtOnce: this.#mostAtOnce,
      meanAtOnce: this.#sending / Math.max(1, this.#receiving),
    };
  }

  #isSending(pe: number, to: number): boolean {
    const targets = this.#targets[pe];
    if (!targets.has(to)) return false;
    if (this.#begun[pe].has(to) || this.#porters[pe].isSending(to)) return true;
    targets.delete(to);
    return false;
  }

  #sendersOf(to: number): number {
    let senders = 0;
    for (let pe = 0; pe < this.#targets.length; pe++) if (this.#isSending(pe, to)) senders++;
    return senders;
  }

  #sample(): void {
    const size = this.#targets.length;
    const sendersOf = new Uint32Array(size);
    let busy = 0;
    for (const [pe, targets] of this.#targets.entries()) {
      for (const to of targets) if (this.#isSending(pe, to)) sendersOf[to]++;
      if (targets.size > 0) busy++;
    }
    this.#senders.push(busy);
    for (const senders of sendersOf) {
      this.#sending += senders;
      if (senders > 0) this.#receiving++;
    }
    if (this.#senders.length === 2 * SAMPLES) {
      this.#senders = this.#senders.filter((_, i) => i % 2 === 1);
      this.#interval *= 2;
    }
    this.#machine.at(this.#machine.now + this.#interval, () => this.#sample());
  }
}
