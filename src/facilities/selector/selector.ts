/** Selectors: actors with several mailboxes. See docs/selectors.md. */

import { StateError, UsageError } from "../../ground/base/errors.ts";
import { unknownName } from "../../ground/base/names.ts";
import { isAsync } from "../../ground/base/promise.ts";
import { shortText } from "../../ground/base/short-text.ts";
import { checkBlocking } from "../../ground/wait/blocking.ts";
import { INSTEAD } from "../conveyor/codegen/returned.ts";
import { type AnySendTo, type Gate, type Rest, sendToCode } from "../conveyor/codegen/run-code.ts";
import { type AsyncSource, runAsyncSession } from "../conveyor/front/async-session.ts";
import { EventLoopDriver, LoopGate } from "../conveyor/front/event-loop-driver.ts";
import { Room, runSession, type Source } from "../conveyor/front/run.ts";
import type { SelectorDriver } from "./driver.ts";
import type { AnyHandler, Mailbox } from "./mailbox.ts";
import type { Handlers, Mailboxes, MailboxStats, Send, SendAsync } from "./mailboxes.ts";

/** Makes the face of a driver. */
export let newSelector: <M extends Mailboxes>(driver: SelectorDriver) => Selector<M>;

/** A selector, as seen by one PE: an actor at each PE, with mailboxes of typed items. */
export class Selector<M extends Mailboxes = Mailboxes> {
  static {
    newSelector = (driver) => new Selector(driver);
  }

  /** This PE's rank among the PEs of the selector. */
  readonly rank: number;
  /** Number of PEs. */
  readonly size: number;
  /**
   * Sends an item to a mailbox of PE `dest`: `s.send.reply(dest, …)`. In the source it waits for room, and meanwhile
   * received items are passed to the handlers. In a handler it never waits: items without room are stored in memory and
   * are sent before later ones. The items that one PE sends to a mailbox of another arrive in order.
   *
   * It throws a StateError if this PE is done with the mailbox, or outside {@link run}; a RankRangeError and a
   * UsageError as the push of a conveyor does; in the source also what the handlers throw, and the error that ends the
   * session.
   */
  readonly send: Send<M>;
  readonly #driver: SelectorDriver;
  readonly #room = new Room();

  private constructor(driver: SelectorDriver) {
    const { belt } = driver.mailboxes[0] as Mailbox;
    this.#driver = driver;
    this.rank = belt.rank;
    this.size = belt.size;
    this.send = this.#sends(
      (mailbox) => (driver.isCyclic ? new CyclicGate(mailbox, driver) : mailbox),
      (mailbox) => this.#waitToSend(mailbox),
    ) as Send<M>;
  }

  /**
   * Runs a whole session: the source sends; the handlers receive and may send in turn, until all mailboxes are complete
   * everywhere. Collective. It blocks the thread.
   *
   *     const s = selector(pe, { ask: u32, reply: f64 });
   *     s.run(
   *       (send) => { for (const index of wanted) send.ask(index % pe.size, Math.floor(index / pe.size)); },
   *       { ask: (index, from) => s.send.reply(from, table[index]), reply: (value) => { sum += value; } },
   *     );
   *
   * @param source sends, and returns. Its `turn` makes progress while the source waits for results of the handlers
   * @param handlers one for each mailbox
   * @throws StateError unless dormant; UsageError for an argument that is not a function, and if the source returns a
   *   promise; what the source and the handlers throw (the session then ends with that error at every PE); as
   *   {@link Conveyor.advance}
   */
  run(source: Source<Send<M>>, handlers: Handlers<M>): void {
    checkBlocking((this.#driver.mailboxes[0] as Mailbox).belt, "run");
    const driver = this.#prepare("run", source, handlers);
    try {
      const guarded: typeof source = (send, turn) =>
        source(send, () => {
          if (driver.isHanding)
            throw new StateError(
              "turn: expected a call from the source, got one from a handler. A handler must not wait: let it return.",
            );
          turn();
        });
      runSession(driver, guarded, this.#room, this.send, () => driver.hand(), INSTEAD.selector);
    } finally {
      driver.close();
    }
  }

  /**
   * As {@link run}, without blocking the thread.
   *
   *     await s.runAsync(async (send) => { for await (const row of rows) await send.ask(ownerOf(row), row.key); }, handlers);
   *
   * @param source its send returns a promise if there is no room; await it before the next send
   * @param handlers as for run: they do not await, and send by {@link send}
   * @throws as run
   */
  async runAsync(source: AsyncSource<SendAsync<M>>, handlers: Handlers<M>): Promise<void> {
    const driver = this.#prepare("runAsync", source, handlers);
    const loopDriver = new EventLoopDriver(driver);
    this.#room.wait = mustAwait;
    try {
      await loopDriver.begin();
      const send = this.#sends(
        (mailbox) => new LoopGate(driver.isCyclic ? new CyclicGate(mailbox, driver) : mailbox, loopDriver),
        (mailbox) => this.#queueToSend(mailbox, loopDriver),
      ) as SendAsync<M>;
      const body = async (): Promise<void> => {
        await source(send);
      };
      await runAsyncSession(loopDriver, body, () => driver.hand());
    } finally {
      driver.close();
    }
  }

  /**
   * This PE sends nothing more to a mailbox in this session. Without this call a PE is done with a mailbox when the
   * source has returned and the mailboxes before it are complete. A second call has no effect.
   * @throws StateError outside a session; UsageError for an unknown mailbox, and of a selector that ends by quiescence
   */
  done(name: keyof M & string): void {
    const mailbox = this.#driver.find(name);
    if (this.#driver.isCyclic) {
      throw new UsageError(
        `done: this selector ends by quiescence: mailbox ${name} stays open until nothing is under way. Leave the call out, or make ` +
          'the selector with { ends: "order" }.',
      );
    }
    if (!this.#driver.isOpen) throw new StateError("done: this selector is not in a session; call it inside run.");
    mailbox.close();
  }

  /** This PE's counts, by mailbox. */
  stats(): { readonly [Name in keyof M]: MailboxStats } {
    const entries = this.#driver.mailboxes.map(({ name, belt, backlog }) => [
      name,
      { ...belt.stats(), held: backlog.most },
    ]);
    return Object.fromEntries(entries);
  }

  /**
   * Frees the memory. The heap gets it back when all PEs have freed it. @throws StateError in the middle of a session
   */
  free(): void {
    this.#driver.checkFree("free");
    for (const { belt } of this.#driver.mailboxes) belt.free();
  }

  /**
   * As {@link free}. In the middle of a session it does nothing, and the memory stays allocated until the world ends.
   */
  [Symbol.dispose](): void {
    if (this.#driver.isTaken) return;
    for (const { belt } of this.#driver.mailboxes) belt[Symbol.dispose]();
  }

  #prepare(call: string, source: unknown, handlers: unknown): SelectorDriver {
    const driver = this.#driver;
    if (typeof source !== "function") {
      throw new UsageError(`${call}: expected a function (send) => { … }, got ${shortText(source)}`);
    }
    driver.prepare(call, handlersFor(call, driver, handlers));
    return driver;
  }

  /** One send function for each mailbox. */
  #sends(gate: (mailbox: Mailbox) => Gate, rest: (mailbox: Mailbox) => Rest): unknown {
    const entries = this.#driver.mailboxes.map((mailbox): [string, AnySendTo] => {
      const { name, item, pushing } = mailbox;
      return [name, sendToCode(item, gate(mailbox), pushing, rest(mailbox))];
    });
    return Object.freeze(Object.fromEntries(entries));
  }

  #waitToSend(mailbox: Mailbox): Rest {
    const driver = this.#driver;
    return (dest, values) => {
      driver.check(mailbox);
      if (driver.isHanding) {
        driver.hold(mailbox, dest, values);
        return;
      }
      do {
        this.#room.wait();
        driver.check(mailbox);
      } while (!(mailbox.isClear && mailbox.pushing.push(dest, ...values)));
    };
  }

  #queueToSend(mailbox: Mailbox, loopDriver: EventLoopDriver): Rest {
    const driver = this.#driver;
    return (dest, values) => {
      driver.check(mailbox);
      if (driver.isHanding) {
        driver.hold(mailbox, dest, values);
        return undefined;
      }
      return loopDriver.push("send", () => {
        driver.check(mailbox);
        return mailbox.isClear && mailbox.pushing.push(dest, ...values);
      });
    };
  }
}

/** A push to a mailbox that stays open to the end is allowed to the source and to handlers. */
class CyclicGate implements Gate {
  readonly #mailbox: Mailbox;
  readonly #driver: SelectorDriver;

  constructor(mailbox: Mailbox, driver: SelectorDriver) {
    this.#mailbox = mailbox;
    this.#driver = driver;
  }

  get isClear(): boolean {
    return this.#mailbox.isClear && this.#driver.isSending;
  }
}

function mustAwait(): never {
  throw new StateError("send: an asynchronous source must send by its argument: await send.…(dest, …).");
}

/** @throws UsageError unless there is exactly one function for each mailbox, and none of them is async */
function handlersFor(call: string, { mailboxes }: SelectorDriver, handlers: unknown): AnyHandler[] {
  const names = mailboxes.map(({ name }) => name);
  if (typeof handlers !== "object" || handlers === null) {
    throw new UsageError(`${call}: expected a handler for each of ${names.join(", ")}, got ${shortText(handlers)}`);
  }
  const given = handlers as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw new UsageError(`${call}: ${unknownName("mailbox", unknown, names)}`);
  }
  return names.map((name) => {
    const handler = given[name];
    if (typeof handler === "function" && !isAsync(handler)) return handler as AnyHandler;
    throw new UsageError(
      `${call}: expected a function (item, from) => { … } for mailbox ${name}, one that does not await, got ${shortText(handler)}`,
    );
  });
}
