/**
 * The relay of a member: moves what others wait for, up and down the tree, and never waits.
 *
 *     submissions     child ──▶ ┐                 ┌ ──▶ child      messages in order
 *                     child ──▶ ┼ ──▶ parent ──▶ log ──▶ child
 *                     own   ──▶ ┘                 └ ──▶ own: what is delivered
 *
 * At the root there is no parent: submissions go into its log, whose order is that of all. Submissions go up the edges
 * of the tree, not from each member to the root: so a member looks at its neighbours alone, memory is that of the
 * edges, the pairs are used in both directions, and who leads a node takes along what its node submits. A member that
 * does not relay holds up those below it in both ways, but it would hold up what they deliver anyway.
 *
 * Up: turns.ts. Down: a part is taken from the parent while the log has room, that is, while neither a child nor this
 * member lags behind by `slots` parts. So a member that does not deliver stops the root in the end, and then all
 * submissions. Nothing on the way down waits for anything on the way up, so all goes on as long as all members deliver.
 *
 * A member that waits in a submit cannot deliver. It drains meanwhile: its log takes what comes, however much. Before
 * its turn come at most `slots` messages of each of the other members, so that ends; and nobody begins a submit while
 * its own queue is full.
 *
 * The end: the first member that frees its end sends END up, in its turn. The root puts the first END into the log and
 * sequences nothing after it, so that all deliver the same messages. Each member passes it on to its children, closes
 * its edges, and is over. A neighbour that closes without END (its heap was full, its thread left the world) is a
 * break: this member closes all its edges, too, and so do all others, one after the other.
 *
 * Source: Kaestle et al., "Machine-Aware Atomic Broadcast Trees for Multicores", 4.2: messages go through the root, and
 * the edges keep their order.
 */
import type { SideTask } from "../../../ground/wait/side-work.ts";
import type { Edge } from "./edge.ts";
import { copyWords, DATA, END, EXTENT, FROM, HEAD_BYTES, KIND, LOG_HEAD_WORDS, wordsOf } from "./layout.ts";
import type { LogCursor, PartLog } from "./log.ts";
import { Turns, type TurnTaker } from "./turns.ts";
import type { Sequencer, Upward } from "./upward.ts";

/** The parts of a relay. */
export interface RelayParts {
  /** The heap. */
  readonly i32: Int32Array;
  readonly parent: Edge | null;
  readonly children: readonly Edge[];
  readonly log: PartLog;
  /** Parts by which one may lag behind. */
  readonly slots: number;
  readonly pollMs: number | undefined;
  upward(sequencer: Sequencer): Upward;
  /** Ends the world with an error that nobody else sees. */
  fail(error: unknown): void;
  /** Called once it is over. */
  onOver(): void;
}

export class BroadcastRelay implements SideTask, Sequencer, TurnTaker {
  readonly pollMs: number | undefined;
  readonly log: PartLog;
  /** How far this member has delivered. */
  readonly own: LogCursor;
  /** The member whose END is in the log; -1 for none. And the neighbour that has closed without it. */
  endedBy = -1;
  brokenBy = -1;
  /** Nothing is left to be moved. */
  isOver = false;
  /** A submit waits: what comes is taken, however much it is. */
  isDraining = false;
  readonly #parts: RelayParts;
  readonly #upward: Upward;
  readonly #turns: Turns;
  readonly #slots: number;
  /** Those that do not have all yet. */
  #children: readonly Edge[];

  constructor(parts: RelayParts) {
    const { log, children, slots, pollMs } = parts;
    this.#parts = parts;
    this.log = log;
    this.own = log.cursor();
    this.pollMs = pollMs;
    this.#children = children;
    this.#slots = slots;
    this.#upward = parts.upward(this);
    this.#turns = new Turns(this.#upward, children, this, slots);
  }

  /** Whether nothing is submitted any more. */
  get hasEnded(): boolean {
    return this.endedBy >= 0 || this.brokenBy >= 0;
  }

  /** Whether as many parts wait to be delivered here as there is room for. */
  get isFull(): boolean {
    return this.log.appended - this.own.count >= this.#slots;
  }

  /** Moves what can be moved. @returns whether there was anything */
  pump(): boolean {
    if (this.isOver) return false;
    const { parent } = this.#parts;
    let moved = parent !== null && this.#takeFrom(parent);
    if (this.#spread()) moved = true;
    if (!this.hasEnded && this.#turns.gather()) {
      moved = true;
      // at the root it is in the log now
      if (parent === null) this.#spread();
    }
    if (this.hasEnded) this.#close();
    return moved;
  }

  /** Work of the relay while this PE waits for something else. */
  serve(): boolean {
    try {
      return this.pump();
    } catch (error) {
      this.#parts.fail(error);
      return false;
    }
  }

  // --- up -------------------------------------------------------------------------------------------

  /** Where the content of this member's next part goes: see {@link Turns.tryClaim}. */
  tryClaim(bytes: number, goesOn: boolean): number {
    return this.hasEnded ? -1 : this.#turns.tryClaim(bytes, goesOn);
  }

  /** Hands over the part that was claimed last. */
  publish(bytes: number, isLast: boolean): void {
    this.#turns.publish(DATA, bytes, isLast);
    if (this.#parts.parent === null) this.#spread();
  }

  /** The next turn of this member is kept for it. @param waits until {@link giveTurn}, or for a while */
  keepTurn(waits: boolean): void {
    this.#turns.keep(waits);
  }

  giveTurn(): void {
    this.#turns.give();
  }

  // --- down -----------------------------------------------------------------------------------------

  /** Parts that may be appended to the log now. */
  #room(): number {
    const { appended } = this.log;
    let least = this.isDraining ? appended : this.own.count;
    for (const { cursor } of this.#children) least = Math.min(least, (cursor as LogCursor).count);
    return this.#slots - (appended - least);
  }

  hasRoom(): boolean {
    return this.#room() > 0;
  }

  sequence(from: number, kind: number, content: number, bytes: number, isLast: boolean): void {
    // behind END comes nothing, whoever has claimed room before
    if (this.endedBy >= 0) return;
    this.log.append(from, kind, this.#parts.i32, content / 4, bytes, isLast);
    if (kind === END) this.endedBy = from;
  }

  #takeFrom(parent: Edge): boolean {
    const { i32 } = this.#parts;
    const { receiver } = parent;
    let moved = false;
    for (let room = this.#room(); room > 0 && !this.hasEnded; room--) {
      const at = parent.tryPart();
      if (at < 0) {
        if (parent.isOver) this.lose(parent);
        break;
      }
      const from = i32[at / 4 + FROM] as number;
      const kind = i32[at / 4 + KIND] as number;
      this.sequence(from, kind, at + HEAD_BYTES, parent.bytes, receiver.isLast);
      receiver.release();
      moved = true;
    }
    return moved;
  }

  /** To all children what they do not have yet. */
  #spread(): boolean {
    const { appended } = this.log;
    let moved = false;
    for (const child of this.#children) {
      const cursor = child.cursor as LogCursor;
      while (cursor.count < appended && this.#pass(child, cursor)) moved = true;
    }
    return moved;
  }

  #pass(child: Edge, cursor: LogCursor): boolean {
    const { i32 } = this.log;
    const part = cursor.at;
    const extent = i32[part + EXTENT] as number;
    const bytes = extent >>> 1;
    const at = child.tryClaim(bytes);
    if (at < 0) {
      if (child.sender.isClosed) this.lose(child);
      return false;
    }
    copyWords(this.#parts.i32, (at + HEAD_BYTES) / 4, i32, part + LOG_HEAD_WORDS, wordsOf(bytes));
    child.publish(at, i32[part + FROM] as number, i32[part + KIND] as number, bytes, (extent & 1) === 1);
    this.log.pass(cursor);
    return true;
  }

  // --- the end --------------------------------------------------------------------------------------

  /** This member delivers and submits nothing more. It goes on for the others until it is over. */
  leave(): void {
    this.log.drop(this.own);
    if (this.hasEnded) return;
    this.#turns.isLeaving = true;
  }

  /** Closes all edges: it does nothing for others any more. */
  abandon(): void {
    if (this.isOver) return;
    this.brokenBy = this.#parts.parent?.peer ?? this.#children[0]?.peer ?? 0;
    this.#close();
  }

  lose(edge: Edge): void {
    if (!this.hasEnded) this.brokenBy = edge.peer;
  }

  #close(): void {
    const isBroken = this.brokenBy >= 0;
    this.#children = this.#children.filter((child) => {
      const cursor = child.cursor as LogCursor;
      if (!isBroken && cursor.count < this.log.appended && !child.sender.isClosed) return true;
      child.close();
      this.log.drop(cursor);
      return false;
    });
    this.#parts.parent?.close();
    if (this.#children.length > 0) return;
    this.isOver = true;
    this.#upward.close();
    this.#parts.onOver();
  }
}
