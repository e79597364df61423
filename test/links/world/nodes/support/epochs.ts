/** The epochs of nodes that hear each other when a test says so. */
import { Epoch } from "../../../../../src/links/world/nodes/epoch.ts";
import type { ControlPayload } from "../../../../../src/links/world/nodes/said.ts";

/** What one says reaches the others as MPI carries it. */
export class Epochs {
  readonly all: readonly Epoch[];
  readonly #words: (() => void)[] = [];

  constructor(nodes: number) {
    const nothing = () => {};
    const epochOf = (node: number) => {
      const sendToAll = (_epoch: number, said: ControlPayload) => {
        for (let other = 0; other < nodes; other++) {
          const word = JSON.parse(JSON.stringify(said)) as ControlPayload;
          if (other !== node) this.#words.push(() => this.all[other]?.hear(node, word));
        }
      };
      const tagsUsed = new Int32Array(1);
      const calls = { watch: nothing, unwatch: nothing, close: nothing, keep: nothing };
      const control = { node, nodes, tagsUsed, sendToAll, ...calls };
      return new Epoch(control, 0);
    };
    this.all = Array.from({ length: nodes }, (_, node) => epochOf(node));
  }

  /** Everything that was said arrives. */
  deliver(): void {
    for (const word of this.#words.splice(0)) word();
  }

  /** It arrives, then all look, until nothing more is said. */
  settle(): void {
    do {
      this.deliver();
      for (const { looks } of this.all) for (const look of looks) look();
    } while (this.#words.length > 0);
  }
}
