/**
 * Members in virtual time: each pair's messages arrive in order, after random delays; members are polled at random times, may stall for
 * long, and may be lost, with a part of what they have sent. Of one seed, all is the same again.
 */
import type { MemberMessage, Members } from "../../../../src/facilities/messages/members.ts";
import { randomNumbers } from "../../../../src/ground/base/random.ts";

export interface NetworkOptions {
  readonly size: number;
  readonly seed: number;
  /** The longest usual delay of a message, ms, and how many of 1 take up to a hundred times as long. */
  readonly delay?: number;
  readonly late?: number;
  /** Until when a lost member is known to be. */
  readonly noticed?: number;
  /** Bytes that have room on the way to a member. */
  readonly room?: number;
}

interface Sent {
  readonly at: number;
  readonly bytes: Uint8Array;
}

/** What runs at a member. */
export interface Party {
  /** @returns whether something happened */
  advance(): boolean;
  readonly idleFor: number;
}

/** Draws of one seed. */
export class Random {
  /** From 0 to below 1. */
  readonly next: () => number;

  constructor(seed: number) {
    this.next = randomNumbers(seed);
  }

  /** A whole number from `least` to `most`. */
  whole(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  chance(of: number): boolean {
    return this.next() < of;
  }

  pick<T>(values: readonly T[]): T {
    return values[this.whole(0, values.length - 1)] as T;
  }
}

class Member implements Members {
  readonly rank: number;
  readonly size: number;
  readonly #network: Network;
  #last: Uint8Array | null = null;
  #turn = 0;
  party: Party | null = null;
  /** When it is polled next. */
  next = 0;
  lostAt: number = Infinity;
  /** It is not woken by a message. */
  stalls = false;

  constructor(network: Network, rank: number, size: number) {
    this.#network = network;
    this.rank = rank;
    this.size = size;
  }

  get now(): number {
    return this.#network.now;
  }

  post(to: number, bytes: Uint8Array): void {
    this.#network.post(this.rank, to, bytes);
  }

  tryReceive(): MemberMessage | undefined {
    // what was received before is no longer valid
    this.#last?.fill(0xdd);
    this.#last = null;
    for (let i = 0; i < this.size; i++) {
      const from = (this.#turn + i) % this.size;
      const bytes = this.#network.take(from, this.rank);
      if (bytes === undefined) continue;
      this.#turn = from + 1;
      this.#last = bytes;
      return { from, bytes };
    }
    return undefined;
  }

  isLost(member: number): boolean {
    return this.#network.isKnownLost(member, this.rank);
  }

  backlog(member: number): number {
    return this.#network.backlog(this.rank, member);
  }

  wait(): void {
    throw new Error("members of this network are polled");
  }

  /** The network polls all others meanwhile, as far as their time goes. */
  async waitAsync(ms: number): Promise<void> {
    await this.#network.pass(ms);
  }
}

export class Network {
  readonly random: Random;
  #options: Required<NetworkOptions>;
  readonly members: readonly Member[];
  readonly #ways: Sent[][];
  readonly #bytes: number[];
  now = 0;

  constructor(options: NetworkOptions) {
    this.#options = { delay: 1, late: 0, noticed: 5, room: 2 ** 16, ...options };
    this.random = new Random(options.seed);
    const { size } = options;
    this.members = Array.from({ length: size }, (_, rank) => new Member(this, rank, size));
    this.#ways = Array.from({ length: size * size }, () => []);
    this.#bytes = new Array(size * size).fill(0);
  }

  #way(from: number, to: number): number {
    return from * this.members.length + to;
  }

  post(from: number, to: number, bytes: Uint8Array): void {
    const [sender, receiver] = [this.members[from] as Member, this.members[to] as Member];
    if (from === to || sender.lostAt <= this.now) throw new Error(`member ${from} posts to ${to}`);
    if (receiver.lostAt <= this.now) return;
    const { delay, late } = this.#options;
    const way = this.#ways[this.#way(from, to)] as Sent[];
    const takes = delay * this.random.next() * (this.random.chance(late) ? 100 : 1);
    const at = Math.max(this.now + takes, way.at(-1)?.at ?? 0);
    way.push({ at, bytes: bytes.slice() });
    this.#bytes[this.#way(from, to)] = (this.#bytes[this.#way(from, to)] as number) + bytes.length;
    if (receiver.next > at && receiver.party !== null && !receiver.stalls) receiver.next = at;
  }

  take(from: number, to: number): Uint8Array | undefined {
    const way = this.#ways[this.#way(from, to)] as Sent[];
    const first = way[0];
    if (first === undefined || first.at > this.now) return undefined;
    way.shift();
    this.#bytes[this.#way(from, to)] = (this.#bytes[this.#way(from, to)] as number) - first.bytes.length;
    return first.bytes;
  }

  backlog(from: number, to: number): number {
    return Math.max(0, (this.#bytes[this.#way(from, to)] as number) - this.#options.room);
  }

  isKnownLost(member: number, by: number): boolean {
    const { lostAt } = this.members[member] as Member;
    return lostAt + this.#options.noticed <= this.now && (this.#ways[this.#way(member, by)] as Sent[]).length === 0;
  }

  isLost(member: number): boolean {
    return (this.members[member] as Member).lostAt <= this.now;
  }

  /** Loses a member, and of what it has sent to each other a random part, the newest. */
  lose(rank: number): void {
    const member = this.members[rank] as Member;
    member.lostAt = this.now;
    member.next = Infinity;
    for (let other = 0; other < this.members.length; other++) {
      const way = this.#ways[this.#way(rank, other)] as Sent[];
      if (way.length > 0) way.length = this.random.whole(0, way.length);
      this.#ways[this.#way(other, rank)] = [];
      const there = this.members[other] as Member;
      // whoever waits is told
      if (!there.stalls && there.lostAt > this.now) there.next = Math.min(there.next, this.now + this.#options.noticed);
    }
  }

  /** From now on nothing is late. */
  calm(): void {
    this.#options = { ...this.#options, delay: Math.min(1, this.#options.delay), late: 0 };
  }

  /** Does not poll a member for a time. */
  stall(rank: number, ms: number): void {
    const member = this.members[rank] as Member;
    if (member.lostAt <= this.now) return;
    member.next = this.now + ms;
    member.stalls = true;
  }

  /** Polls members until a time, or until `done` is true. */
  run(until: number, done: () => boolean = () => false): void {
    while (!done()) {
      const member = this.#nextMember();
      if (member === undefined || member.next > until) {
        this.now = Math.max(this.now, until);
        return;
      }
      this.now = Math.max(this.now, member.next);
      this.#poll(member);
    }
  }

  /** Lets time pass for all but whoever waits. */
  async pass(ms: number): Promise<void> {
    await Promise.resolve();
    this.run(this.now + ms);
  }

  #nextMember(): Member | undefined {
    let best: Member | undefined;
    for (const member of this.members) {
      if (member.party !== null && (best === undefined || member.next < best.next)) best = member;
    }
    return best?.next === Infinity ? undefined : best;
  }

  #poll(member: Member): void {
    member.stalls = false;
    const busy = (member.party as Party).advance();
    if (member.lostAt <= this.now) return;
    let next = this.now + Math.max(busy ? 0 : (member.party as Party).idleFor, 0.05 * this.random.next() + 0.01);
    for (let from = 0; from < this.members.length; from++) {
      const first = (this.#ways[this.#way(from, member.rank)] as Sent[])[0];
      if (first !== undefined) next = Math.min(next, Math.max(first.at, this.now + 0.01));
    }
    member.next = next;
  }
}
