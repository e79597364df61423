/**
 * Open sessions of a PE. A PE that leaves in the middle of a session loses the items that it has not sent, forwarded or
 * pulled. If all PEs do so, no other PE is left to notice. So the PE that leaves detects it.
 */
import { RankLostError } from "../../ground/base/errors.ts";
import { SideWork } from "../../ground/wait/side-work.ts";

/** Words of messages about sessions of a kind. */
export interface SessionWords {
  /** One of them, and this one. */
  readonly one: string;
  readonly this: string;
  /** The errors that end it, for a PE that has left, and for one that has taken too long. */
  readonly ending: string;
  readonly patience: string;
  /** The loss where a PE leaves, and how it leaves without one. */
  readonly loss: string;
}

/** Of conveyors. */
export const CONVEYOR_WORDS: SessionWords = {
  one: "a conveyor's session",
  this: "the conveyor's session",
  ending: "Every PE must begin each session, call advance until it returns DONE, and then reset.",
  patience: "Every PE must pull until pull returns false, and call advance(true) when it has pushed everything.",
  loss:
    "items may be lost. Every PE must pull, and call advance(true), until advance " +
    "returns DONE, or await the end of batches or runAsync.",
};

/** A session from its begin until it is complete. */
export interface UnderWay {
  /** Its description: "conveyor of u32". */
  readonly title: string;
  readonly state: string;
  readonly words: SessionWords;
  /** Whether its group has lost a PE, or its world has ended: it is never complete, and nobody waits for it. */
  readonly isEnded: boolean;
}

/** The open sessions of one PE, in the order of their begin. An array that keeps its length: begins are frequent. */
export class Sessions {
  readonly #open: (UnderWay | undefined)[] = [];
  #count = 0;
  /** Work of this PE for them while it waits elsewhere. */
  readonly sideWork: SideWork = new SideWork();

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

  /** The one that has been open for longest, of those that can be completed. */
  get first(): UnderWay | undefined {
    for (let at = 0; at < this.#count; at++) if (this.#open[at]?.isEnded === false) return this.#open[at];
    return undefined;
  }
}

/** The error of a PE that leaves now; null if it may leave. @param pe its rank in the world */
export function leavingError(pe: number, sessions: Sessions): RankLostError | null {
  const { first } = sessions;
  if (first === undefined) return null;
  return new RankLostError(
    pe,
    `PE ${pe} has returned from its main, or left, in the middle of ${first.words.one}: the ${first.title} is in state ` +
      `${first.state} there, and ${first.words.loss}`,
  );
}
