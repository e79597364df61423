/**
 * A state machine that checks itself: commands are (proposer, its how-maniest), and the reply is the command's place in the order. All
 * replicas of a group share one {@link Order}, which knows what the first of them has applied at each place.
 */
import type { StateMachine } from "../../../../src/facilities/agree/state-machine.ts";

export class Order {
  /** Commands by place, from 0 on. */
  readonly commands: string[] = [];
  readonly indices: number[] = [];
  readonly #places: Map<string, number> = new Map();
  /** The last command of each proposer. */
  readonly #last: Map<number, number> = new Map();
  readonly proposed: Set<string> = new Set();

  /** The number of the last command of a proposer that somebody has applied. */
  lastOf(from: number): number {
    return this.#last.get(from) ?? 0;
  }

  /** A replica applies a command as the one at `place`. */
  check(place: number, command: string, index: number, rank: number): void {
    const there = this.commands[place];
    if (there !== undefined) {
      if (there !== command || this.indices[place] !== index) {
        throw new Error(
          `agreement: replica ${rank} applies ${command} as ${place} (${index}), another ${there} (${this.indices[place]})`,
        );
      }
      return;
    }
    if (place !== this.commands.length) throw new Error(`replica ${rank} applies ${place} of ${this.commands.length}`);
    if (this.#places.has(command)) throw new Error(`once: ${command} is ${this.#places.get(command)} and ${place}`);
    if (!this.proposed.has(command)) throw new Error(`validity: nobody has proposed ${command}`);
    const [from, number] = command.split(":").map(Number) as [number, number];
    const before = this.#last.get(from) ?? 0;
    if (number !== before + 1) throw new Error(`order: ${command} comes behind ${from}:${before}`);
    if (place > 0 && index <= (this.indices[place - 1] as number)) throw new Error(`index ${index} at ${place}`);
    this.#last.set(from, number);
    this.commands.push(command);
    this.indices.push(index);
    this.#places.set(command, place);
  }
}

/** The bytes of a proposer's n-th command. @param size at least 8 */
export function commandOf(from: number, n: number, size = 8): Uint8Array {
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, from, true);
  view.setUint32(4, n, true);
  for (let i = 8; i < size; i++) bytes[i] = (from * 31 + n * 7 + i) & 255;
  return bytes;
}

export const placeOf = (reply: Uint8Array): number => new DataView(reply.buffer, reply.byteOffset).getUint32(0, true);

export class Counted implements StateMachine {
  readonly #order: Order;
  readonly #rank: number;
  count = 0;
  restored = 0;
  /** Bytes that make its snapshots large. */
  readonly #ballast: number;

  constructor(order: Order, rank: number, ballast = 0) {
    this.#order = order;
    this.#rank = rank;
    this.#ballast = ballast;
  }

  apply(command: Uint8Array, index: number): Uint8Array {
    const view = new DataView(command.buffer, command.byteOffset);
    const [from, n] = [view.getUint32(0, true), view.getUint32(4, true)];
    const expected = commandOf(from, n, command.length);
    if (command.some((byte, i) => byte !== expected[i]))
      throw new Error(`replica ${this.#rank}: ${from}:${n} has other bytes`);
    this.#order.check(this.count, `${from}:${n}`, index, this.#rank);
    const reply = new Uint8Array(4);
    new DataView(reply.buffer).setUint32(0, this.count++, true);
    return reply;
  }

  snapshot(): Uint8Array {
    const bytes = new Uint8Array(4 + this.#ballast);
    new DataView(bytes.buffer).setUint32(0, this.count, true);
    return bytes;
  }

  restore(snapshot: Uint8Array): void {
    if (snapshot.length !== 4 + this.#ballast) throw new Error(`a snapshot of ${snapshot.length} bytes`);
    this.count = placeOf(snapshot);
    this.restored++;
  }
}
