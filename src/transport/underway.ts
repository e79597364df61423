/**
 * Open sessions of a PE. A PE that leaves in the middle of a session loses the items that it has not sent, forwarded or
 * pulled. If all PEs do so, no other PE is left to notice. So the PE that leaves detects it.
 */
import { RankLostError } from "../base/errors.ts";

/** A session from its begin until it is complete. */
export interface UnderWay {
  /** Its description: "conveyor of u32". */
  readonly title: string;
  readonly state: string;
}

/** The open sessions of one PE, in the order in which they began. An array that keeps its length: small sessions begin often. */
export class Sessions {
  readonly #open: (UnderWay | undefined)[] = [];
  #count = 0;

  add(session: UnderWay): void {
    this.#open[this.#count++] = session;
  }

  delete(session: UnderWay): void {
    const open = this.#open;
    let at = 0;
    while (at < this.#count && open[at] !== session) at++;
    if (at === this.#count) return;
    for (this.#count--; at < this.#count; at++) open[at] = open[at + 1];
    open[at] = undefined;
  }

  /** The one that has been open for longest. */
  get first(): UnderWay | undefined {
    return this.#open[0];
  }
}

/** The error of a PE that leaves now; null if it may leave. @param pe its rank in the world */
export function leavingError(pe: number, sessions: Sessions): RankLostError | null {
  const { first } = sessions;
  if (first === undefined) return null;
  return new RankLostError(
    pe,
    `PE ${pe} has returned from its main, or left, in the middle of a conveyor's session: the ${first.title} is in state ` +
      `${first.state} there, and items may be lost. Every PE must pull, and call advance(true), until advance ` +
      "returns DONE, or await the end of batches or runAsync.",
  );
}
