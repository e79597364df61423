/** The medium of real PEs: the heap that they share. Its parts lie in the block of the team (team-block.ts). */
import type { ChannelKind } from "../../ground/base/channel-kinds.ts";
import type { Heap } from "../../ground/memory/heap.ts";
import type { Waiter } from "../../ground/wait/waiter.ts";
import type { Wakers } from "../../ground/wait/wakers.ts";
import { Links } from "./links.ts";
import type { ElementParts, Medium, TeamBoards, TeamParts, TeamPlace } from "./medium.ts";
import { Staging } from "./staging.ts";
import { mediumParts } from "./team-block.ts";

/** The parts that a PE gives for it. */
export interface HeapSeat {
  readonly heap: Heap;
  readonly wakers: Wakers;
  readonly waiter: Waiter;
  readonly channel: ChannelKind;
  /** What calls on arrays and values need, loaded by their first one. */
  readonly late: () => ElementParts;
}

/** One PE's. */
export class HeapMedium implements Medium {
  readonly #seat: HeapSeat;

  constructor(seat: HeapSeat) {
    this.#seat = seat;
  }

  parts({ plan, members, rank }: TeamPlace, offset: number): TeamParts {
    const { heap, wakers, waiter, channel } = this.#seat;
    const at = mediumParts(members.length);
    return {
      staging: new Staging(heap, offset + at.staging, rank),
      links: new Links({ plan, members, rank, heap, waiter, wakers, channel }, offset + at.links),
    };
  }

  boards(place: TeamPlace, offset: number): TeamBoards {
    return this.#seat.late().heapBoards(this.#seat, place, offset);
  }
}
