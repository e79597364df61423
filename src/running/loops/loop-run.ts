/**
 * A loop over nodes, as the process of a node has it: a run of loops.program.ts for this loop alone. The processes make
 * the same loops and runs in the same order, but not at the same time: a session of several loops would end at one of
 * them before a loop has come, and at another one after it.
 */
import { WorldClosedError } from "../../ground/base/errors.ts";
import { sibling } from "../../ground/base/package-file.ts";
import type { Run } from "../run/handle.ts";
import type { OpenWorld } from "../run/open-world.ts";
import { type WorldParts, worldParts } from "../run/world-parts.ts";
import { CANCEL, closedAfter, type LoopReport, type Opening, STATE, WORDS } from "./orders.ts";
import { lossIn } from "./session.ts";
import { type LoopOwner, type LoopPlan, WorldLoop } from "./world-loop.ts";

const NUMBER = 1;

export class LoopRun implements LoopOwner {
  readonly loop: WorldLoop;
  readonly #words = new Int32Array(new SharedArrayBuffer(4 * WORDS));
  readonly #run: Run;
  readonly #abandoned = new AbortController();
  /** What the first PE of this node has said of its end: it counts when the PEs of all nodes have returned. */
  readonly #said: LoopReport[] = [];

  constructor(world: OpenWorld, plan: LoopPlan) {
    // no other one comes after it
    this.#words[STATE] = closedAfter(NUMBER);
    const args: Opening = { words: this.#words, channel: "", first: { number: NUMBER, ...plan.order } };
    // it waits for no code (front.ts): runs that do come after it
    (worldParts.get(world) as WorldParts).beforeNext = () => undefined;
    // so the other nodes hear why
    const { signal } = this.#abandoned;
    this.#run = world.run(sibling("./loops.program.js", import.meta.url), { args, signal });
    this.loop = new WorldLoop(plan, this);
    this.#run.on("message", (said) => this.#hear(said as LoopReport));
    this.#run.then(
      (results) => this.#end(lossIn(results)),
      (error: unknown) => this.#end(error),
    );
  }

  /** A loop that waits is begun all the same, as at the other nodes, and ends at once. */
  cancel(): boolean {
    // pairs with the loads between chunks
    Atomics.store(this.#words, CANCEL, NUMBER);
    return this.#run.first >= 0;
  }

  abandon(reason: Error): void {
    this.#abandoned.abort(reason);
  }

  #hear(said: LoopReport): void {
    if ("done" in said) this.loop.hear(said);
    else this.#said.push(said);
  }

  #end(error: unknown): void {
    if (error === undefined && this.#said.some((said) => this.loop.hear(said))) return;
    this.loop.fail(error ?? new WorldClosedError("The PEs have returned before the loop had ended"));
  }
}
