/** A wait of an owner until so much has come into its buffer. */
import { NamedCondition } from "../../ground/wait/named-condition.ts";
import type { Seat } from "../../pe/seat.ts";
import { titled } from "./errors.ts";
import type { AppendTarget } from "./options.ts";
import type { OwnBuffer } from "./own-buffer.ts";

/** Longest sleep between two looks, ms, where a PE of another node may push. */
const POLL_MS = 1;

/** The buffer that a wait is for. */
export interface AwaitedBuffer {
  readonly own: OwnBuffer;
  /** Ranks of the PEs of the region, in its order. */
  readonly near: readonly number[];
  readonly name: string;
  /** The memory is not this PE's any more: the wait is over. */
  readonly isFreed: () => boolean;
}

export class Arrived extends NamedCondition {
  readonly peers: readonly number[];
  readonly whom = "pushes into its append buffer";
  /** PEs of other nodes wake nobody. */
  readonly pollMs: number | undefined;
  readonly #seat: Seat;
  readonly #own: OwnBuffer;
  readonly #near: readonly number[];
  readonly #bytes: number;
  readonly #messages: number;
  readonly #name: string;
  readonly call: string;
  readonly needsOne = true;
  readonly awaited: readonly number[];
  readonly #isFreed: () => boolean;

  /** @param call its name */
  constructor(call: string, seat: Seat, { bytes = 0, messages = 0 }: AppendTarget, buffer: AwaitedBuffer) {
    super();
    const { own, near, name, isFreed } = buffer;
    this.#name = name;
    this.call = `${call} of the ${titled(name)}`;
    this.awaited = seat.members.filter((_, rank) => rank !== seat.rank);
    this.#isFreed = isFreed;
    this.#seat = seat;
    this.#own = own;
    this.#near = near;
    this.pollMs = seat.here.length < seat.size ? POLL_MS : undefined;
    this.#bytes = bytes;
    this.#messages = messages;
    // who has left before does not end the wait: see isInVain
    this.peers = seat.here.flatMap((rank) => (rank === seat.rank ? [] : [seat.members[rank] as number]));
  }

  ready(): boolean {
    if (this.#isFreed()) return true;
    const own = this.#own;
    return (this.#messages === 0 || own.messages >= this.#messages) && own.completed >= this.#bytes;
  }

  /** When nobody is left who could push. */
  isInVain(): boolean {
    const { here, rank, size } = this.#seat;
    const isGone = (one: number) => one === rank || this.#seat.departed(one);
    return here.length === size && here.every(isGone) && !this.ready();
  }

  /** The amount that has come, and who has not finished a push. */
  override absent(): string {
    const { members } = this.#seat;
    const { offset, messages } = this.#own;
    const wanted = [
      ...(this.#bytes > 0 ? [`${offset} of ${this.#bytes} bytes`] : []),
      ...(this.#messages > 0 ? [`${messages} of ${this.#messages} messages`] : []),
    ].join(" and ");
    const stuck = this.#own
      .pending()
      .map(({ writer, bytes }) =>
        writer < 0
          ? bytes < 0
            ? "A PE is in a push and has not gone on with it: it holds the buffer."
            : `Pushes of ${bytes} bytes in all are not complete.`
          : `PE ${members[this.#near[writer] as number]} is in a push of ${bytes} bytes and has not completed it.`,
      );
    return [`waitUntil: ${wanted || "nothing"} came into the ${titled(this.#name)}.`, ...stuck].join(" ");
  }
}
