/** The calls of a store at a replica: reads from its own copy, writes through the order; serves clients meanwhile. */

import type { Pending } from "../agree/waits.ts";
import { encodeChange, type KeyChange, YES } from "./command.ts";
import type { StoreEngine } from "./engine.ts";
import { blockedError, type Ordering, type Proposed } from "./ordering.ts";
import type { ClientServer } from "./server.ts";
import type { StoreState } from "./state.ts";
import { copyOf, type StoreValue } from "./value.ts";

export class ReplicaEngine implements StoreEngine {
  readonly values: ReadonlyMap<string, StoreValue>;
  readonly #ordering: Ordering;
  readonly #server: ClientServer | null;
  readonly #replicas: readonly number[];

  /** @param server null if there are no other members @param replicas their ranks, by place */
  constructor(ordering: Ordering, state: StoreState, server: ClientServer | null, replicas: readonly number[]) {
    this.values = state.values;
    this.#ordering = ordering;
    this.#server = server;
    this.#replicas = replicas;
  }

  read(key: string, isLatest: boolean): Pending<StoreValue | undefined> {
    const read = () => copyOf(this.values.get(key));
    return isLatest ? this.#pending(this.#ordering.sync(), read) : { isDone: true, take: read };
  }

  write(change: KeyChange): Pending<boolean> {
    return this.#pending(this.#ordering.propose(encodeChange(change)), ([outcome]) => outcome === YES);
  }

  sync(): Pending<void> {
    return this.#pending(this.#ordering.sync(), () => {});
  }

  advance(): boolean {
    const any = this.#server?.receive() ?? false;
    const advanced = this.#ordering.advance();
    return this.#server?.answer() || advanced || any;
  }

  get idleFor(): number {
    return this.#ordering.idleFor;
  }

  get silent(): readonly number[] {
    return this.#ordering.silent.map((place) => this.#replicas[place] as number);
  }

  get awaited(): readonly number[] {
    return this.#ordering.awaited.map((place) => this.#replicas[place] as number);
  }

  get present(): readonly number[] {
    return this.#server?.present ?? [];
  }

  leave(): void {
    this.#server?.leave();
  }

  get isOver(): boolean {
    return this.#server?.isOver ?? true;
  }

  close(): void {
    this.#ordering.close();
  }

  #pending<T>(proposed: Proposed, take: (reply: Uint8Array) => T): Pending<T> {
    const ordering = this.#ordering;
    return {
      get isDone() {
        return proposed.done || ordering.blocked !== null;
      },
      take() {
        if (proposed.error !== null) throw proposed.error;
        if (proposed.reply === null) throw blockedError(ordering);
        return take(proposed.reply);
      },
    };
  }
}
