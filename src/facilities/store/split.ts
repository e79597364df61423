/**
 * Splits the members of one group into two that share its messages: the replicas, with ranks of their own, and all, as
 * clients and servers. Each message has one more byte at its end, which says for whom of the two it is.
 *
 * What comes for the other one is kept for it. A member counts as lost for one of them when this has received all that
 * the member had sent.
 */
import { Fifo } from "../../ground/base/fifo.ts";
import { type MemberMessage, type Members, type MemberWait, seenAs } from "../messages/members.ts";

const FOR_REPLICAS = 0;
const FOR_ALL = 1;
type Plane = typeof FOR_REPLICAS | typeof FOR_ALL;

/** @param replicas the members that are replicas, by rank */
export function splitMembers(
  members: Members,
  replicas: readonly number[],
): { replicas: Members | null; all: Members } {
  const splitter = new Splitter(members);
  const everyone = Array.from({ length: members.size }, (_, rank) => rank);
  return {
    replicas: replicas.includes(members.rank) ? new Part(splitter, FOR_REPLICAS, replicas) : null,
    all: new Part(splitter, FOR_ALL, everyone),
  };
}

class Splitter {
  readonly members: Members;
  readonly #kept: readonly [Fifo<MemberMessage>, Fifo<MemberMessage>] = [new Fifo(), new Fifo()];
  /** Messages that are kept, by plane and sender. */
  readonly #keptFrom: readonly [number[], number[]];
  #scratch: Uint8Array = new Uint8Array(256);

  constructor(members: Members) {
    this.members = members;
    const none = () => new Array<number>(members.size).fill(0);
    this.#keptFrom = [none(), none()];
  }

  post(plane: Plane, to: number, bytes: Uint8Array): void {
    const length = bytes.length + 1;
    if (length > this.#scratch.length) this.#scratch = new Uint8Array(2 * length);
    this.#scratch.set(bytes);
    this.#scratch[bytes.length] = plane;
    this.members.post(to, this.#scratch.subarray(0, length));
  }

  hasKept(plane: Plane, from?: number): boolean {
    return from === undefined ? this.#kept[plane].length > 0 : (this.#keptFrom[plane][from] as number) > 0;
  }

  tryReceive(plane: Plane): MemberMessage | undefined {
    const kept = this.#kept[plane].first;
    if (kept !== undefined) {
      this.#kept[plane].leave();
      (this.#keptFrom[plane][kept.from] as number)--;
      return kept;
    }
    for (;;) {
      const message = this.members.tryReceive();
      if (message === undefined) return undefined;
      const { from, bytes } = message;
      const whose = bytes.at(-1) as Plane;
      const content = bytes.subarray(0, -1);
      if (whose === plane) return { from, bytes: content };
      this.#kept[whose].add({ from, bytes: content.slice() });
      (this.#keptFrom[whose][from] as number)++;
    }
  }
}

class Part implements Members {
  readonly rank: number;
  readonly size: number;
  readonly pes: readonly number[];
  readonly #splitter: Splitter;
  readonly #plane: Plane;
  readonly #ranks: readonly number[];
  readonly #places: ReadonlyMap<number, number>;

  /** @param ranks of its members in the whole group */
  constructor(splitter: Splitter, plane: Plane, ranks: readonly number[]) {
    this.#splitter = splitter;
    this.#plane = plane;
    this.#ranks = ranks;
    this.#places = new Map(ranks.map((rank, place) => [rank, place]));
    this.rank = this.#places.get(splitter.members.rank) as number;
    this.size = ranks.length;
    const { pes } = splitter.members;
    this.pes = ranks.map((one) => pes?.[one] ?? one);
  }

  get now(): number {
    return this.#splitter.members.now;
  }

  post(to: number, bytes: Uint8Array): void {
    this.#splitter.post(this.#plane, this.#ranks[to] as number, bytes);
  }

  tryReceive(): MemberMessage | undefined {
    const message = this.#splitter.tryReceive(this.#plane);
    if (message === undefined) return undefined;
    return { from: this.#places.get(message.from) as number, bytes: message.bytes };
  }

  isLost(member: number): boolean {
    const rank = this.#ranks[member] as number;
    return this.#splitter.members.isLost(rank) && !this.#splitter.hasKept(this.#plane, rank);
  }

  backlog(member: number): number {
    return this.#splitter.members.backlog(this.#ranks[member] as number);
  }

  wait(ms: number, what?: MemberWait): void {
    if (!this.#hasKept()) this.#splitter.members.wait(ms, this.#ofAll(what));
  }

  async waitAsync(ms: number, what?: MemberWait): Promise<void> {
    if (!this.#hasKept()) await this.#splitter.members.waitAsync(ms, this.#ofAll(what));
  }

  /** Its members by rank in the whole group. */
  #ofAll(what: MemberWait | undefined): MemberWait | undefined {
    const ranks = this.#ranks;
    return what && seenAs(what, { awaited: () => what.awaited.map((member) => ranks[member] as number) });
  }

  /** All of the group are freed: the replicas end before the rest. */
  free(): void {
    if (this.#plane === FOR_ALL) this.#splitter.members.free?.();
  }

  /** For either of the two, as both are driven by one loop. */
  #hasKept(): boolean {
    return this.#splitter.hasKept(FOR_REPLICAS) || this.#splitter.hasKept(FOR_ALL);
  }
}
