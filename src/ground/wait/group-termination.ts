/**
 * The termination of a group in a world that goes on without lost PEs: the group has ended once the world has, or one
 * of its PEs is lost. Its calls can then not succeed any more; those of other groups can.
 */
import type { TundishError } from "../base/errors.ts";
import { TROUBLE } from "./layout.ts";
import type { Losses } from "./losses.ts";
import { Termination } from "./termination.ts";

/** As seen by one thread. */
export class GroupTermination extends Termination {
  readonly #losses: Losses;
  readonly #members: readonly number[];
  readonly #trouble: number;
  /** Losses of the world when the members were looked at last, and whether one of them was lost. */
  #seen = 0;
  #lost = -1;

  /** @param offset as for {@link Termination} @param members by rank in the world */
  constructor(
    place: { readonly i32: Int32Array; readonly u8: Uint8Array; readonly offset: number },
    losses: Losses,
    members: readonly number[],
  ) {
    super(place.i32, place.u8, place.offset, losses);
    this.#losses = losses;
    this.#members = members;
    this.#trouble = place.offset / 4 + TROUBLE;
  }

  /** Word index of a word that is 0 while nothing has ended: once it is not, see {@link decided}. */
  override get word(): number {
    return this.#trouble;
  }

  override get decided(): boolean {
    return super.decided || this.#firstLost() >= 0;
  }

  override error(more?: string): TundishError {
    const lost = this.#firstLost();
    return super.decided || lost < 0 ? super.error(more) : this.#losses.errorOf(lost);
  }

  #firstLost(): number {
    const { count } = this.#losses;
    if (count === this.#seen) return this.#lost;
    this.#lost = this.#losses.firstOf(this.#members);
    this.#seen = count;
    return this.#lost;
  }
}
