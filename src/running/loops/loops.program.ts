/** The program of the PEs in a session of loops (orders.ts). */
import { BroadcastChannel, type MessagePort, receiveMessageOnPort } from "node:worker_threads";
import { type GivenLimits, runGiven } from "../../facilities/loop/given.ts";
import { DETAIL, thrownAt } from "../../facilities/loop/thrown.ts";
import { type EncodedError, encodeThrown } from "../../ground/base/error-data.ts";
import { AbortedError, ModuleError } from "../../ground/base/errors.ts";
import { clearInterval, setInterval } from "../../ground/base/event-loop/timers.ts";
import { NamedCondition } from "../../ground/wait/named-condition.ts";
import { blockOn, type Task } from "../../ground/wait/task.ts";
import type { PE } from "../../pe/pe.ts";
import type { Seat } from "../../pe/seat.ts";
import { seatOf } from "../../pe/seat-of.ts";
import { type Spmd, spmd } from "../../pe/spmd.ts";
import { enterOutside, leaveOutside } from "../run/in-main.ts";
import { loadModule } from "../run/module.ts";
import { CANCEL, closedAfter, type LoopOrder, type LoopReport, type Opening, RESERVED, STATE } from "./orders.ts";

type Body = (...args: never[]) => unknown;

/** How long PEs wait for the next loop before the session ends, ms. They sleep most of it. */
const LINGER_MS = 10;

/** How long a PE that was to stop loading waits for those of other nodes, which nobody has told, ms. */
const GRACE_MS = 5000;

/** How often a PE that loads the module of a loop looks whether that is to end, ms. */
const LOOK_MS = 10;

/** The next order has come, or none comes. */
class OrderCame extends NamedCondition {
  readonly call = "the next loop of the launcher";
  readonly pollMs = LINGER_MS;
  readonly #seat: Seat;
  readonly #words: Int32Array;
  readonly #last: number;
  readonly #until: number;

  constructor(seat: Seat, words: Int32Array, last: number) {
    super();
    this.#seat = seat;
    this.#words = words;
    this.#last = last;
    this.#until = seat.waits.now() + LINGER_MS;
  }

  ready(): boolean {
    const words = this.#words;
    // pairs with the store and the exchanges of the launcher (session.ts), and with the exchange below of another PE
    const state = Atomics.load(words, STATE);
    if (state !== this.#last && state !== RESERVED) return true;
    if (this.#seat.waits.now() < this.#until) return false;
    // pairs with the same exchange of the launcher: either it sends an order, or the session ends
    return Atomics.compareExchange(words, STATE, this.#last, closedAfter(this.#last)) === this.#last;
  }
}

function* came(order: OrderCame): Task<void> {
  yield order;
}

/** The order after one; null when none comes. */
function orderAfter(seat: Seat, { words }: Opening, port: BroadcastChannel, last: number): LoopOrder | null {
  blockOn(seat, came(new OrderCame(seat, words, last)));
  // pairs as in ready(): the order was sent before the store
  if (Atomics.load(words, STATE) === closedAfter(last)) return null;
  return receiveMessageOnPort(port as unknown as MessagePort)?.message as LoopOrder;
}

/** Functions by the module and name of their orders. */
const bodies = new Map<string, Body>();
const keyOf = ({ module, name }: LoopOrder): string => `${module}#${name}`;

// pairs with the store of the launcher (session.ts)
const isCancelled = ({ words }: Opening, { number }: LoopOrder): boolean => Atomics.load(words, CANCEL) === number;

/** The module of an order; one that never comes is waited for until the loop is to end. @throws AbortedError */
function loaded(opening: Opening, order: LoopOrder): Promise<object> {
  const { module, isLimited } = order;
  const loading = loadModule(new URL(module));
  if (!isLimited) return loading;
  let looks: NodeJS.Timeout | undefined;
  const cancelled = new Promise<never>((_, reject) => {
    looks = setInterval(() => {
      if (isCancelled(opening, order)) reject(new AbortedError(`${module} was still being loaded`));
    }, LOOK_MS);
  });
  return Promise.race([loading, cancelled]).finally(() => clearInterval(looks));
}

/** Imports the body of an order, with the other PEs. @throws what has failed at one of them, at all alike */
async function imported(pe: PE, seat: Seat, opening: Opening, order: LoopOrder): Promise<Body> {
  const { rank, size } = seat;
  let failure: { readonly error: unknown } | null = null;
  let found: Body | undefined;
  enterOutside({ rank, module: order.module });
  try {
    found = functionIn(await loaded(opening, order), order);
  } catch (error) {
    failure = { error };
  } finally {
    leaveOutside();
  }
  const isStopped = pe.nodes > 1 && failure?.error instanceof AbortedError;
  const root = pe.allreduce(failure === null ? size : rank, "min", isStopped ? { timeout: GRACE_MS } : undefined);
  if (root < size) throw blockOn(seat, thrownAt(seat, root, failure?.error));
  bodies.set(keyOf(order), found as Body);
  return found as Body;
}

/** @throws ModuleError if the module exports no such function */
function functionIn(namespace: object, { module, name }: LoopOrder): Body {
  const nested = (namespace as { readonly default?: unknown }).default;
  for (const from of [namespace, typeof nested === "object" && nested !== null ? nested : {}]) {
    const found = (from as Readonly<Record<string, unknown>>)[name];
    if (typeof found === "function") return found as Body;
  }
  const names = Object.keys(namespace).filter((key) => typeof (namespace as never)[key] === "function");
  throw new ModuleError(
    `${module}: expected an exported function ${name}, the body of a loop; functions that it exports: ` +
      `${names.join(", ") || "none"}. Export it there: export function ${name}(…) { … }`,
  );
}

function limitsOf(pe: PE, opening: Opening, order: LoopOrder): GivenLimits {
  const { number, isLimited, tells } = order;
  return {
    ...(isLimited && {
      signal: {
        get aborted() {
          return isCancelled(opening, order);
        },
        reason: pe.nodes === 1 ? "by the caller" : `by the caller at node ${pe.node}`,
      },
    }),
    ...(tells && pe.nodeRank === 0 && { onProgress: (done: number) => pe.post({ number, done } satisfies LoopReport) }),
  };
}

/** Runs a loop. @throws what has ended the world, or the loss of a PE */
async function perform(pe: PE, seat: Seat, opening: Opening, order: LoopOrder): Promise<void> {
  const { number, loop } = order;
  let said: LoopReport;
  try {
    const body = bodies.get(keyOf(order)) ?? (await imported(pe, seat, opening, order));
    const { value, runs } = runGiven(pe, loop, body, limitsOf(pe, opening, order));
    for (const some of runs) pe.post({ number, runs: some } satisfies LoopReport);
    said = { number, value };
  } catch (error) {
    seat.checkGroup();
    said = { number, error: encodeThrown(error, DETAIL) };
  }
  if (pe.nodeRank === 0) pe.post(said);
}

/** @returns the loss of another PE that has ended the session, in a world that goes on without it */
async function serve(pe: PE, opening: Opening): Promise<EncodedError | undefined> {
  const seat = seatOf(pe, "loops");
  const port = new BroadcastChannel(opening.channel);
  try {
    let order: LoopOrder | null = opening.first;
    while (order !== null) {
      await perform(pe, seat, opening, order);
      order = orderAfter(seat, opening, port, order.number);
    }
    return undefined;
  } catch (error) {
    seat.checkWorld();
    return encodeThrown(error, DETAIL);
  } finally {
    port.close();
  }
}

const program: Spmd = spmd((pe: PE, opening: unknown) => serve(pe, opening as Opening));

export default program;
