/** What a PE waits for that has asked others for iterations. */
import { NamedCondition } from "../../../ground/wait/named-condition.ts";
import type { LoopArea } from "../chunks/area.ts";
import { rangeOf, type Slot } from "../chunks/layout.ts";
import type { LoopLimits } from "../chunks/limits.ts";

/** The one that has asked. */
export interface Asking {
  /** Partners that are asked, by rank in the group; and their number. */
  readonly awaited: readonly number[];
  readonly asked: number;
  /** Whether one more may be asked now; whether one has given some; whether the loop is stopped. */
  readonly mayAsk: boolean;
  readonly hasMore: boolean;
  readonly isStopped: boolean;
  /** Gets what has come. */
  receive(): boolean;
}

/** Looks after which a PE that has departed is taken to have sent no more; one look in place of so many at a word. */
const LAST_LOOKS = 256;
const LOOKS_PER_POLL = 32;

/** A partner has answered; or there is something else to do: ask another one, run what a PE of the node has got. */
export class PartnersAnswer extends NamedCondition {
  readonly call: string;
  readonly pollMs = 0.1;
  /** Those that are asked, on threads; virtual PEs poll what names none. */
  peers?: readonly number[];
  readonly members: readonly number[];
  readonly #between: Asking;
  readonly #area: LoopArea;
  readonly #ranges: readonly number[];
  readonly #limits: LoopLimits | null;
  #asked = 0;
  #looks = 0;

  constructor(between: Asking, area: LoopArea, slot: Slot, call: string, limits: LoopLimits | null) {
    super();
    this.call = call;
    this.members = area.seat.members;
    this.#between = between;
    this.#area = area;
    this.#limits = limits;
    // the first word of each line
    this.#ranges = slot.done.map((_, pe) => rangeOf(slot, area.place, pe) / 4);
  }

  get awaited(): readonly number[] {
    return this.#between.awaited.map((rank) => this.members[rank] as number);
  }

  begin(asked: number): void {
    this.#asked = asked;
    this.#looks = 0;
    if (this.#area.seat.waiter.mayBlock) this.peers = this.awaited;
  }

  override ready(): boolean {
    const between = this.#between;
    between.receive();
    if (between.hasMore || between.asked < this.#asked || between.mayAsk || between.isStopped) return true;
    return this.#limits?.isDue === true || this.#isSomewhere();
  }

  /** Each look asks MPI. */
  override spin(looks: number): boolean {
    for (let look = 0; look < looks; look += LOOKS_PER_POLL) if (this.ready()) return true;
    return this.ready();
  }

  /** Whether a PE of this node has a range: what seems to be one may be gone before it is taken. */
  #isSomewhere(): boolean {
    const { i32 } = this.#area.heap;
    return this.#ranges.some((at) => i32[at] !== i32[at + 1]);
  }

  /** What a PE that has departed has sent comes within some looks. */
  isInVain(): boolean {
    return ++this.#looks > LAST_LOOKS;
  }
}
