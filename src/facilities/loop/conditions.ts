/** What a PE in a loop waits for, beside collectives. */
import type { Condition } from "../../ground/wait/condition.ts";
import { NamedCondition } from "../../ground/wait/named-condition.ts";
import type { Seat } from "../../pe/seat.ts";
import type { LoopArea } from "./chunks/area.ts";
import { NODES, type Slot } from "./chunks/layout.ts";
import type { LoopLimits } from "./chunks/limits.ts";

/** All PEs take no more chunks of a loop. Nobody notifies: their words are polled. */
export class OthersLeft extends NamedCondition {
  readonly call: string;
  readonly pollMs = 1;
  /** On threads; virtual PEs poll what names none. */
  readonly peers?: readonly number[];
  readonly members: readonly number[];
  readonly #seat: Seat;
  readonly #slot: Slot;
  readonly #limits: LoopLimits;
  readonly #isStopped: boolean;
  /** Other nodes. */
  readonly #nodes: number;

  /** @param isStopped whether the loop is stopped: its limits count no more */
  constructor(call: string, { seat, partners }: LoopArea, slot: Slot, limits: LoopLimits, isStopped: boolean) {
    super();
    this.call = call;
    this.#seat = seat;
    this.#slot = slot;
    this.#limits = limits;
    this.#isStopped = isStopped;
    this.#nodes = partners?.nodes ?? 0;
    this.members = seat.members;
    if (seat.waiter.mayBlock) this.peers = seat.members.filter((_, rank) => rank !== seat.rank);
  }

  get awaited(): readonly number[] {
    const { members, here } = this.#seat;
    const missing = stillIn(this.#seat, this.#slot);
    if (missing.length > 0) return missing;
    return members.filter((_, rank) => !here.includes(rank));
  }

  override ready(): boolean {
    // PEs of other nodes do not see a signal of this one's launcher
    if (this.#isStopped) this.#limits.tell();
    else this.#limits.look();
    const { i32 } = this.#seat.heap;
    for (const word of this.#slot.left) if (Atomics.load(i32, word) === 0) return false;
    // pairs with the addition by who is told of another node
    return Atomics.load(i32, this.#slot.control / 4 + NODES / 4) >= this.#nodes;
  }
}

/** A PE in a loop with an ordered part. */
interface Order {
  /** Whether the part that it has to run next comes next; whether the loop is stopped. */
  readonly isNext: boolean;
  readonly isStopped: boolean;
}

/** The turn of this PE in the order of the iterations. Who passes it on wakes it; nobody does who stops the loop. */
export class TurnInOrder extends NamedCondition {
  readonly call: string;
  readonly pollMs = 1;
  readonly whom = "its turn in the order of the iterations";
  readonly needsOne = true;
  readonly members: readonly number[];
  readonly #order: Order;
  readonly #seat: Seat;
  readonly #slot: Slot;
  readonly #limits: LoopLimits | null;

  constructor(call: string, order: Order, { seat }: LoopArea, slot: Slot, limits: LoopLimits | null) {
    super();
    this.call = call;
    this.#order = order;
    this.#seat = seat;
    this.#slot = slot;
    this.#limits = limits;
    this.members = seat.members;
  }

  get awaited(): readonly number[] {
    return stillIn(this.#seat, this.#slot).filter((member) => member !== this.members[this.#seat.rank]);
  }

  override ready(): boolean {
    return this.#order.isNext || this.#order.isStopped || this.#limits?.isDue === true;
  }

  override spin(looks: number): boolean {
    for (let look = 0; look < looks; look++) if (this.#order.isNext) return true;
    return this.ready();
  }
}

/** The PEs of this node that still take chunks, by rank in the world. */
const stillIn = ({ members, here, heap }: Seat, { left }: Slot): number[] =>
  // pairs with the store of who leaves
  here.filter((_, pe) => Atomics.load(heap.i32, left[pe] as number) === 0).map((rank) => members[rank] as number);

/** Others have their turn. */
class OthersTurn implements Condition {
  readonly peer = -1;
  readonly ended: Promise<void>;
  #isOver = false;

  constructor(turn: Promise<void>) {
    this.ended = turn.then(() => {
      this.#isOver = true;
    });
  }

  ready(): boolean {
    return this.#isOver;
  }

  spin(): boolean {
    return this.#isOver;
  }
}

/** How long an Async form keeps the thread from its other events, ms. */
const TURN_MS = 1;

/** The turns that an Async form leaves to others. */
export class Yields {
  readonly #seat: Seat;
  /** When they had the last one. */
  #last = Number.NEGATIVE_INFINITY;

  constructor(seat: Seat) {
    this.#seat = seat;
  }

  /** Whether they have waited long enough; virtual PEs have a turn each time. */
  get areDue(): boolean {
    const { step, waits } = this.#seat;
    if (step !== undefined) return true;
    const now = waits.now();
    if (now - this.#last < TURN_MS) return false;
    this.#last = now;
    return true;
  }

  /** The condition that they have had one. */
  take(): Condition {
    const { step, waits } = this.#seat;
    return new OthersTurn(step?.(0) ?? waits.turn());
  }
}
