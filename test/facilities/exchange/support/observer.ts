/**
 * Watches the links of an exchange, and knows nothing of its disciplines: who sends to whom now, and whose token is where. A promise that is
 * broken is a sentence in {@link Observer.broken}.
 */
import type { Views } from "../../../../src/ground/item/views.ts";
import type { Porter } from "../../../../src/links/transport/contract.ts";
import { LENGTH, OFFSET, TOTAL } from "../../../../src/route/disciplines/packet.ts";

const TOKEN = 1;
const CONTROL_WORDS = 3;

/** What is promised. */
export interface Promised {
  /** No two PEs send to one at once. */
  readonly oneSender: boolean;
  /** No PE sends to two at once. */
  readonly oneReceiver: boolean;
  /** A PE sends only with the receiver's token, which goes from i to i - 1. */
  readonly tokens: boolean;
}

/** One phase. */
interface Phase {
  /** By receiver: who has its token. */
  readonly holder: number[];
  /** By PE: tokens that it has passed. */
  readonly passed: number[];
}

export class Observer {
  readonly broken: string[] = [];
  /** Largest number of senders of one receiver at once. */
  mostSenders = 0;
  packets = 0;
  readonly #size: number;
  readonly #promised: Promised;
  readonly #chunk: number;
  readonly #porters: Porter[] = [];
  readonly #phases: Phase[] = [];
  /** By PE: its phase; the receiver of the chunk that it has begun to send, -1 for none. */
  readonly #at: number[];
  readonly #within: Uint8Array[];

  constructor(size: number, chunk: number, promised: Promised) {
    this.#size = size;
    this.#chunk = chunk;
    this.#promised = promised;
    this.#at = Array.from({ length: size }, () => 0);
    this.#within = Array.from({ length: size }, () => new Uint8Array(size));
  }

  /** A PE begins a phase. */
  begin(pe: number, number: number): void {
    const size = this.#size;
    this.#at[pe] = number;
    this.#phases[number] ??= {
      holder: Array.from({ length: size }, (_, owner) => (owner - 1 + size) % size),
      passed: Array.from({ length: size }, () => 0),
    };
  }

  data(pe: number, porter: Porter, views: () => Views): Porter {
    this.#porters[pe] = porter;
    return spied(porter, (link, start) => {
      this.packets++;
      this.#sends(pe, link);
      const { i32, f64 } = views();
      const end = f64[start / 8 + OFFSET] + i32[start / 4 + LENGTH];
      const isLast = end === f64[start / 8 + TOTAL] || end % this.#chunk === 0;
      this.#within[pe][link] = isLast ? 0 : 1;
    });
  }

  control(pe: number, porter: Porter, views: () => Views): Porter {
    if (!this.#promised.tokens) return porter;
    return spied(porter, (link, start, count) => {
      const { i32 } = views();
      for (let at = start / 4; at < start / 4 + count * CONTROL_WORDS; at += CONTROL_WORDS) {
        if (i32[at] === TOKEN) this.#passes(pe, link, i32[at + 1]);
      }
    });
  }

  #isSending(pe: number, to: number): boolean {
    return pe !== to && (this.#within[pe][to] !== 0 || this.#porters[pe]?.isSending(to) === true);
  }

  #sends(pe: number, to: number): void {
    let senders = 1;
    for (let other = 0; other < this.#size; other++) {
      if (other !== pe && this.#isSending(other, to)) {
        senders++;
        if (this.#promised.oneSender) this.broken.push(`PE ${pe} sends to ${to}, and PE ${other} does`);
      }
      if (this.#promised.oneReceiver && other !== to && this.#isSending(pe, other)) {
        this.broken.push(`PE ${pe} sends to ${to}, and to ${other}`);
      }
    }
    this.mostSenders = Math.max(this.mostSenders, senders);
    const holder = this.#phases[this.#at[pe]]?.holder[to];
    if (this.#promised.tokens && holder !== pe) {
      this.broken.push(`PE ${pe} sends to ${to}, whose token PE ${holder} has`);
    }
  }

  #passes(pe: number, to: number, owner: number): void {
    const phase = this.#phases[this.#at[pe]];
    const size = this.#size;
    if (to !== (pe - 1 + size) % size) this.broken.push(`PE ${pe} passes token ${owner} to ${to}`);
    if (phase.holder[owner] !== pe) {
      this.broken.push(`PE ${pe} passes token ${owner}, which PE ${phase.holder[owner]} has`);
    }
    phase.holder[owner] = to;
    phase.passed[pe]++;
    // T3; it compares what was sent, and a token arrives after it was sent
    if (phase.passed[pe] > phase.passed[(pe + 1) % size] + 1) this.broken.push(`PE ${pe} is two rounds ahead`);
  }
}

/** The same porter, which tells what it sends before it does. */
export function spied(porter: Porter, tell: (link: number, start: number, count: number) => void): Porter {
  const calls = new Map<PropertyKey, unknown>([
    [
      "send",
      (...args: Parameters<Porter["send"]>) => {
        tell(args[0], args[1], args[3]);
        porter.send(...args);
      },
    ],
  ]);
  return new Proxy(porter, {
    get(target, name) {
      const known = calls.get(name);
      if (known !== undefined) return known;
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      const call: unknown = value.bind(target);
      calls.set(name, call);
      return call;
    },
  });
}
