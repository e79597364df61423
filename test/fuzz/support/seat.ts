/** What the steps of random programs have in common. */
import type { Group } from "../../../src/index.ts";
import type { Step, Traffic } from "./steps.ts";

/** Where a PE takes a step. */
export interface Seat {
  readonly group: Group;
  readonly step: Step;
  readonly traffic: Traffic;
  /** Whether this PE awaits. */
  readonly awaits: boolean;
  /** The object of the step: made by the first that needs it, freed at the end of the program. */
  object<T extends { free(): void }>(make: () => T | Promise<T>): Promise<T>;
}

/** Begins a step; what it gives completes it. What came and is not what the model says throws. */
export type Play = (seat: Seat) => Promise<(() => Promise<void>) | undefined>;

/** All ranks of a group. */
export const ranksOf = ({ size }: Group): number[] => Array.from({ length: size }, (_, rank) => rank);

/** @throws Error if two values differ */
export function same(what: string, got: unknown, expected: unknown): void {
  const [a, b] = [text(got), text(expected)];
  if (a !== b) throw new Error(`${what}: expected ${b.slice(0, 200)}, got ${a.slice(0, 200)}`);
}

const text = (x: unknown): string =>
  JSON.stringify(x, (_key, value) => (ArrayBuffer.isView(value) ? [...(value as Uint8Array)] : value)) ?? "undefined";

/** Items from each PE that come in the order in which they were sent. */
export class Received {
  readonly #seat: Seat;
  readonly #next: number[];

  constructor(seat: Seat) {
    this.#seat = seat;
    this.#next = new Array<number>(seat.group.size).fill(0);
  }

  /** How many are still to come. */
  get left(): number {
    const { group, traffic } = this.#seat;
    return this.#next.reduce((sum, next, from) => sum + traffic.count(from, group.rank) - next, 0);
  }

  leftOf(from: number): number {
    return this.#seat.traffic.count(from, this.#seat.group.rank) - (this.#next[from] as number);
  }

  /** The next item of `from`, as its value. */
  take(from: number, value: number): void {
    const { group, traffic } = this.#seat;
    const i = this.#next[from]++ as number;
    same(`item ${i} from ${from}`, value, traffic.value(from, group.rank, i));
  }

  /** The next item of `from`, as bytes. */
  takeBytes(from: number, bytes: Uint8Array, lengths: readonly number[]): void {
    const { group, traffic } = this.#seat;
    const i = this.#next[from]++ as number;
    const expected = traffic.content(from, group.rank, i, traffic.bytes(from, group.rank, i, lengths));
    if (Buffer.compare(expected, bytes) !== 0) same(`item ${i} from ${from}`, bytes, expected);
  }

  end(): void {
    const { group, traffic } = this.#seat;
    for (const from of ranksOf(group)) same(`items from ${from}`, this.#next[from], traffic.count(from, group.rank));
  }
}
