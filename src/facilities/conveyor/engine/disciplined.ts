/**
 * A tensor one of whose hops sends under a discipline (route/disciplines/hop-lanes.ts). A PE is complete when the
 * tensor is, and the discipline is over: all PEs have then sent everything, and no control message is left for the next
 * session.
 */
import type { HopLanes } from "../../../route/disciplines/hop-lanes.ts";
import type { HopEnd } from "./hop-end.ts";
import type { Engine } from "./tensor.ts";

export class Disciplined implements Engine {
  moved = false;
  readonly #tensor: Engine;
  readonly #lanes: HopLanes;
  /** Of the hop. */
  readonly #end: HopEnd;
  #isThrough = false;

  constructor(tensor: Engine, lanes: HopLanes, end: HopEnd) {
    this.#tensor = tensor;
    this.#lanes = lanes;
    this.#end = end;
  }

  begin(): void {
    this.#isThrough = false;
    this.#tensor.begin();
    this.#lanes.begin();
  }

  get votes(): number {
    return this.#tensor.votes;
  }

  advance(done: boolean): 0 | 1 {
    const lanes = this.#lanes;
    this.moved = false;
    if (!this.#isThrough) {
      this.#isThrough = this.#tensor.advance(done) === 0;
      this.moved = this.#tensor.moved;
    }
    lanes.isClosed = this.#end.isClosed;
    lanes.turn();
    if (lanes.moved) this.moved = true;
    if (!this.#isThrough || !lanes.isOver) return 1;
    this.moved = true;
    return 0;
  }

  free(): void {
    this.#lanes.free();
  }
}
