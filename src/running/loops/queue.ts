/** The loops of a world, one after the other. */
import type { OpenWorld } from "../run/open-world.ts";
import { LoopSession } from "./session.ts";
import { type LoopOwner, type LoopPlan, WorldLoop } from "./world-loop.ts";

/** Those of one world. */
export class LoopQueue implements LoopOwner {
  readonly #world: OpenWorld;
  readonly #waiting: WorldLoop[] = [];
  /** The one that the PEs have, or that begins a session. */
  #current: WorldLoop | null = null;
  #session: LoopSession | null = null;

  constructor(world: OpenWorld) {
    this.#world = world;
  }

  /** Runs a loop after those that were added before. @returns its result */
  add(plan: LoopPlan): Promise<unknown> {
    const loop = new WorldLoop(plan, this);
    this.#waiting.push(loop);
    if (this.#current === null) void this.#runAll();
    return loop.result;
  }

  async #runAll(): Promise<void> {
    for (let loop = this.#waiting.shift(); loop !== undefined; loop = this.#waiting.shift()) {
      this.#current = loop;
      if (!this.#session?.give(loop)) this.#session = new LoopSession(this.#world, loop);
      await loop.over;
    }
    this.#current = null;
  }

  cancel(loop: WorldLoop): boolean {
    if (loop === this.#current) return this.#session?.cancel() ?? false;
    const at = this.#waiting.indexOf(loop);
    if (at >= 0) this.#waiting.splice(at, 1);
    return false;
  }

  abandon(): void {
    this.#session?.abandon();
  }
}

const queues = new WeakMap<OpenWorld, LoopQueue>();

/** That of a world. */
export function queueOf(world: OpenWorld): LoopQueue {
  let queue = queues.get(world);
  if (queue === undefined) {
    queue = new LoopQueue(world);
    queues.set(world, queue);
  }
  return queue;
}
