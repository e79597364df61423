/** The link of a PE to its like on the other node, as the PE sees it: driven by itself, or by the thread of the node. */
import { Idle } from "../../microbench/internode/idle.ts";
import type { Line } from "../../microbench/internode/line.ts";
import { IN, type LinkMemory, OUT } from "./drivers-memory.ts";

/** Buffers go round: message n is in buffer n modulo their number, there and here. */
export interface Link {
  /** Whether it can be filled. */
  isFree(buffer: number): boolean;
  /** It is filled. */
  send(buffer: number): void;
  /** Whether it can be read. */
  hasCome(buffer: number): boolean;
  /** It has been read. */
  release(buffer: number): void;
  /** Looks whether something has happened. @param isIdle whether the PE had nothing to do @throws TimeoutError */
  turn(isIdle: boolean): void;
  /** Everything has been sent and has come: waits for what is still to be done. */
  finish(): void;
}

/** Slots of one link: first those of what goes out. */
export const LINK_SLOTS: number = OUT + IN;

/** Where messages go, and how many. */
export interface LinkEnds {
  readonly peer: number;
  readonly tag: number;
  readonly count: number;
}

/** The PE sends and receives itself, with one MPI_Testsome a turn, as the porter of conveyors. */
export class OwnLink implements Link {
  readonly #line: Line;
  readonly #memory: LinkMemory;
  readonly #ends: LinkEnds;
  #begun = 0;

  /** @param line with {@link LINK_SLOTS} */
  constructor(line: Line, memory: LinkMemory, ends: LinkEnds) {
    this.#line = line;
    this.#memory = memory;
    this.#ends = ends;
    for (let buffer = 0; buffer < IN; buffer++) this.release(buffer);
  }

  isFree(buffer: number): boolean {
    return !this.#line.isBusy(buffer);
  }

  send(buffer: number): void {
    this.#line.send(buffer, this.#memory.out[buffer], this.#ends.peer, this.#ends.tag);
  }

  hasCome(buffer: number): boolean {
    return !this.#line.isBusy(OUT + buffer);
  }

  release(buffer: number): void {
    const { peer, tag, count } = this.#ends;
    // none for what will not come: it would wait for ever
    if (this.#begun === count) return;
    this.#begun++;
    this.#line.receive(OUT + buffer, this.#memory.in[buffer], peer, tag);
  }

  turn(): void {
    this.#line.turn();
  }

  finish(): void {
    this.#line.finish();
  }
}

/** The PE hands its buffers to the driving thread, and calls no MPI. */
export class HandedLink implements Link {
  readonly #memory: LinkMemory;
  readonly #idle: Idle;

  constructor(memory: LinkMemory, crowded: boolean) {
    this.#memory = memory;
    this.#idle = new Idle("The driving thread gave nothing back", crowded);
  }

  isFree(buffer: number): boolean {
    return this.#memory.whoseOut(buffer) === 0;
  }

  send(buffer: number): void {
    this.#memory.giveOut(buffer, 1);
  }

  hasCome(buffer: number): boolean {
    return this.#memory.whoseIn(buffer) === 1;
  }

  release(buffer: number): void {
    this.#memory.giveIn(buffer, 0);
  }

  turn(isIdle: boolean): void {
    if (isIdle) this.#idle.wait();
    else this.#idle.reset();
  }

  finish(): void {}
}
