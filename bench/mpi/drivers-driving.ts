/**
 * The thread that drives the links of all PEs of a node: it sends what they hand over from where it lies, and receives to where they
 * read. One MPI_Testsome a turn asks about all of them; a look at two words of each PE finds what is new.
 *
 *     slots    PE 0: out 0 … 3, in 0 … 7 | PE 1: …
 */
import type { Line } from "../../microbench/internode/line.ts";
import { LINK_SLOTS, type LinkEnds } from "./drivers-link.ts";
import { IN, type LinkMemory, OUT } from "./drivers-memory.ts";

/** One PE's link, as the driving thread sees it. */
export class Driven {
  readonly #line: Line;
  readonly #memory: LinkMemory;
  readonly #ends: LinkEnds;
  readonly #first: number;
  /** Sends and receives that have begun. */
  #sent = 0;
  #begun = 0;

  /** @param first its slots in the line */
  constructor(line: Line, memory: LinkMemory, ends: LinkEnds, first: number) {
    this.#line = line;
    this.#memory = memory;
    this.#ends = ends;
    this.#first = first;
  }

  /** Begins what the PE has made possible since. */
  look(): void {
    const { peer, tag, count } = this.#ends;
    while (this.#begun < count) {
      const buffer = this.#begun % IN;
      const slot = this.#first + OUT + buffer;
      // a buffer that nothing has come into yet is the driver's too
      if (this.#line.isBusy(slot) || this.#memory.whoseIn(buffer) !== 0) break;
      this.#line.receive(slot, this.#memory.in[buffer], peer, tag);
      this.#begun++;
    }
    while (this.#sent < count) {
      const buffer = this.#sent % OUT;
      const slot = this.#first + buffer;
      // one that is being sent is the driver's still
      if (this.#line.isBusy(slot) || this.#memory.whoseOut(buffer) !== 1) break;
      this.#line.send(slot, this.#memory.out[buffer], peer, tag);
      this.#sent++;
    }
  }

  /** A slot of it is over: gives the buffer to the PE. */
  over(slot: number): void {
    const index = slot - this.#first;
    if (index < OUT) this.#memory.giveOut(index, 0);
    else this.#memory.giveIn(index - OUT, 1);
  }
}

/** Drives until all PEs have sent and received all. @throws TimeoutError, MpiError */
export function drive(line: Line, links: readonly Driven[], count: number): void {
  let open = 2 * count * links.length;
  while (open > 0) {
    for (const link of links) link.look();
    const over = line.turn();
    for (let i = 0; i < over; i++) {
      const slot = line.slots[i] as number;
      links[Math.floor(slot / LINK_SLOTS)].over(slot);
    }
    open -= over;
  }
}
