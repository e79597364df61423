/** How a virtual PE waits in its collectives. */
import { AbortedError, TimeoutError } from "../../ground/base/errors.ts";
import { shortText } from "../../ground/base/short-text.ts";
import { onAbort } from "../../ground/wait/abort.ts";
import type { AsyncLimits, AsyncWaits } from "../../ground/wait/async.ts";
import { blocks } from "../../ground/wait/blocking.ts";
import type { Condition } from "../../ground/wait/condition.ts";
import { ALL_THERE, awaitedBy, inCall, type ToldWait } from "../../ground/wait/told.ts";
import type { TeamWaiter } from "../../ground/wait/waiter.ts";
import { type WaitingCall, type Watcher, watcherOf } from "../../ground/wait/watcher.ts";
import type { Wait } from "../simulate/awaiting.ts";
import type { VirtualMachine } from "../simulate/machine.ts";
import type { VirtualPE } from "../simulate/virtual-pe.ts";

/** Waits of the Async forms: the PE goes on when what makes the condition true wakes it. */
export class VirtualWaits implements AsyncWaits {
  readonly #machine: VirtualMachine;
  readonly #pe: VirtualPE;

  constructor(machine: VirtualMachine, pe: VirtualPE) {
    this.#machine = machine;
    this.#pe = pe;
  }

  now(): number {
    return this.#pe.clock / 1e6;
  }

  /** Resolves when so much virtual time has passed, ns, more or less by the seed. */
  pass(ns: number): Promise<void> {
    const at = Math.max(this.#machine.now, this.#pe.clock) + this.#machine.delay(ns);
    return this.until(new Passing(this.#machine, at), {
      deadline: Number.POSITIVE_INFINITY,
      signal: undefined,
      watcher: watcherOf(""),
    });
  }

  async turn(): Promise<void> {}

  readonly afterEnd = async (): Promise<void> => {
    const { awaiting } = this.#pe;
    if (this.#machine.termination !== null && awaiting?.ended === null) await awaiting.until(() => true);
  };

  until(condition: Condition, limits: AsyncLimits): Promise<void> {
    const pe = this.#pe;
    const { signal } = limits;
    const unwatch = onAbort(signal, () => this.#machine.wake(pe, this.#machine.now));
    const wait = new LimitedWait(this.#machine, pe, condition, limits);
    return (pe.awaiting?.add(wait) ?? Promise.reject(blocks("await", "an async program"))).finally(unwatch);
  }
}

/** Nothing but time. */
class Passing implements Condition {
  readonly peer = -1;
  readonly peers: readonly number[] = [];
  readonly dueAt: number;
  readonly #machine: VirtualMachine;

  constructor(machine: VirtualMachine, dueAt: number) {
    this.#machine = machine;
    this.dueAt = dueAt;
  }

  ready(): boolean {
    return this.#machine.now >= this.dueAt;
  }

  spin(): boolean {
    return this.ready();
  }
}

/** A wait of one PE for a condition. */
class LimitedWait implements Wait {
  readonly polls: boolean;
  readonly peer: number;
  readonly #machine: VirtualMachine;
  readonly #pe: VirtualPE;
  readonly #condition: Condition & Pick<Wait, "dueAt">;
  readonly #limits: AsyncLimits;
  readonly #began: number;

  constructor(machine: VirtualMachine, pe: VirtualPE, condition: Condition, limits: AsyncLimits) {
    this.#machine = machine;
    this.#pe = pe;
    this.#condition = condition;
    this.#limits = limits;
    this.#began = this.#now;
    this.peer = condition.peer;
    // a call of the PE itself wakes nobody
    this.polls = condition.peer < 0 && condition.peers === undefined;
  }

  get dueAt(): number {
    return Math.min(this.#condition.dueAt ?? Number.POSITIVE_INFINITY, this.#limits.deadline * 1e6);
  }

  /** ms */
  get #now(): number {
    return Math.max(this.#pe.clock, this.#machine.now) / 1e6;
  }

  get #elapsed(): number {
    return this.#now - (this.#limits.watcher.since ?? this.#began);
  }

  told(): ToldWait | null {
    const { watcher } = this.#limits;
    const { call, where, needsOne = false } = watcher;
    if (call === "") return null;
    const whom = awaitedBy(watcher, this.peer, this.#condition.peers);
    return { call: `${call}${where}`, whom, needsOne, for: this.#elapsed };
  }

  get team(): string {
    return this.#limits.watcher.where;
  }

  get calling(): WaitingCall | undefined {
    return this.#limits.watcher.calling;
  }

  verify(): void {
    this.#limits.watcher.verify();
  }

  /** @throws RankLostError if a PE of the group that waits is lost */
  #checkLost(): void {
    for (const rank of this.#limits.watcher.members ?? []) {
      const error = this.#machine.lost.get(this.#machine.pes[rank] as VirtualPE);
      if (error !== undefined) throw error;
    }
  }

  ready(): boolean {
    const { rank, clock } = this.#pe;
    const { signal, deadline, watcher } = this.#limits;
    const machine = this.#machine;
    if (machine.termination !== null) throw machine.termination;
    if (this.#condition.ready()) return true;
    if (machine.lost.size > 0) this.#checkLost();
    if (signal?.aborted) {
      const { reason } = signal as { reason: unknown };
      throw new AbortedError(`PE ${rank}'s wait was aborted: ${shortText(reason)}`, { cause: reason });
    }
    if (Math.max(clock, this.#machine.now) < deadline * 1e6) return false;
    const whom = this.peer < 0 ? (this.#condition.whom ?? "its own earlier calls") : `PE ${this.peer}`;
    throw new TimeoutError(
      `PE ${rank} waited for ${whom}${watcher.where} longer than it was given. ` +
        `${inCall(watcher, this.#elapsed)}${watcher.absent() || ALL_THERE}`,
    );
  }
}

/** The waiter of a PE that cannot block. */
export class NoWaiter implements TeamWaiter {
  readonly mayBlock: boolean = false;
  readonly looks = 1;
  timeout: number = Number.POSITIVE_INFINITY;
  deadline: number = Number.POSITIVE_INFINITY;
  given: number = Number.POSITIVE_INFINITY;
  watcher: Watcher | null = null;

  pause(): never {
    throw blocks("wait", "the Async form of the call");
  }

  done(): void {}
}
