/** The waits of a member: its neighbours in the tree make them true, so each look moves what they have sent. */

import { NamedCondition } from "../../../ground/wait/named-condition.ts";
import type { Seat } from "../../../pe/seat.ts";
import type { Edge } from "./edge.ts";
import type { Ends } from "./ends.ts";

/** Looks at words of this node in place of one at what comes from another node. */
const LOOKS_PER_POLL = 32;

/** A wait for room, or for a message. */
export class MemberWaiting extends NamedCondition {
  readonly whom: string;
  readonly pollMs: number | undefined;
  readonly #edges: readonly Edge[];
  readonly #seat: Seat;
  readonly #isReady: () => boolean;
  readonly #hint: string;
  readonly #of: string;
  readonly #others: readonly number[];
  /** The name of the call that waits. */
  calledBy = "";
  /** A message may come from any member; room needs all of them. */
  readonly needsOne: boolean;
  /** The neighbours that may not have made their ends, by rank in the world. */
  #unknown: readonly number[];

  /** @param titled the broadcast @param needsOne see there @param isReady moves what came; whether the wait is over */
  constructor(
    seat: Seat,
    { edges, pollMs }: Ends,
    titled: string,
    needsOne: boolean,
    isReady: () => boolean,
    hint: string,
  ) {
    super();
    this.whom = `members of the ${titled}`;
    this.#of = titled;
    this.needsOne = needsOne;
    this.#others = seat.members.filter((_, rank) => rank !== seat.rank);
    this.pollMs = pollMs;
    this.#seat = seat;
    this.#edges = edges;
    this.#isReady = isReady;
    this.#hint = hint;
    this.#unknown = edges.map(({ peer }) => seat.members[peer] as number);
  }

  get call(): string {
    return `${this.calledBy} of the ${this.#of}`;
  }

  get awaited(): readonly number[] {
    return this.#others;
  }

  /** The others tell of their end themselves. */
  get peers(): readonly number[] {
    if (this.#unknown.length === 0) return this.#unknown;
    const { members } = this.#seat;
    this.#unknown = this.#edges.flatMap(({ isKnown, peer }) => (isKnown ? [] : (members[peer] as number)));
    return this.#unknown;
  }

  ready(): boolean {
    return this.#isReady();
  }

  override spin(looks: number): boolean {
    const each = this.pollMs === undefined ? 1 : LOOKS_PER_POLL;
    for (let look = 0; look < looks; look += each) if (this.#isReady()) return true;
    return false;
  }

  /** Whether a neighbour has returned without its end. */
  isInVain(): boolean {
    if (this.#isReady()) return false;
    const seat = this.#seat;
    return this.#edges.some(
      ({ isKnown, peer, receiver }) =>
        !isKnown && seat.hasReturned(peer) && !receiver.ready() && (receiver.isInVain?.() ?? true),
    );
  }

  override absent(): string {
    return this.#hint;
  }
}
