/** A world over several nodes: its nodes meet; each main thread relays between its PEs and the others. */

import type { Heap } from "../../../ground/memory/heap.ts";
import type { Termination } from "../../../ground/wait/termination.ts";
import type { Wakers } from "../../../ground/wait/wakers.ts";
import type { Epoch } from "../../../links/world/nodes/epoch.ts";
import { type FailureRelay, relayFailures } from "../../../links/world/nodes/failure-relay.ts";
import { keep } from "../../../links/world/nodes/job.ts";
import type { WindowBoard } from "../../../links/world/nodes/window-board.ts";
import { relayWindow } from "../../../links/world/nodes/window-relay.ts";
import { Mpi } from "../../../machine/mpi/mpi.ts";
import { Window } from "../../../machine/mpi/window.ts";

export { controlOfJob } from "../../../links/world/nodes/job.ts";
export { meet } from "./meet.ts";

/** The parts of a relay on this node. */
interface Relayed {
  readonly heap: Heap;
  readonly termination: Termination;
  readonly wakers: Wakers;
  readonly window: WindowBoard;
}

/** Relays failures, losses and the window over the heaps, until it is disposed of. */
export class Relay implements Disposable {
  readonly #epoch: Epoch;
  readonly #heap: Heap;
  readonly #window: WindowBoard;
  readonly #failures: FailureRelay;
  readonly #windows: Disposable;

  /** @param onEnd called when another node has ended the world */
  constructor(epoch: Epoch, { heap, termination, wakers, window }: Relayed, onEnd: () => void) {
    this.#epoch = epoch;
    this.#heap = heap;
    this.#window = window;
    this.#failures = relayFailures(epoch, termination, wakers, onEnd);
    this.#windows = relayWindow(epoch, window, () => Window.create(Mpi.join(), heap.u8.subarray(0, heap.bytes)));
  }

  /** Looks at once whether another node, or this one's main thread, has ended the world. */
  look(): void {
    this.#failures.look();
  }

  [Symbol.dispose](): void {
    this.#failures[Symbol.dispose]();
    this.#windows[Symbol.dispose]();
  }

  /**
   * Frees the window once all nodes have left. After a failure, or where one has made none, not all may come to this:
   * then MPI may still use the heap, and it stays.
   */
  free(hasFailed: boolean): void {
    const { handle } = this.#window;
    if (hasFailed) keep(this.#heap);
    else if (handle === null) return;
    else if (this.#epoch.windowsMade.every(Boolean)) Window.free(Mpi.join(), handle);
    else keep(this.#heap);
  }
}
