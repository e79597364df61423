/** Containers that share one session. See docs/containers.md. */

import { UsageError } from "../../ground/base/errors.ts";
import { isRecord } from "../../ground/base/names.ts";
import { define } from "../../ground/base/objects/define.ts";
import { abortSignal, checkOptions, is, optionsOf, positive, whole } from "../../ground/base/options.ts";
import type { AtOnce } from "../../ground/base/promise.ts";
import { shortText } from "../../ground/base/short-text.ts";
import { checkBlocking } from "../../ground/wait/blocking.ts";
import type { Group } from "../../pe/group.ts";
import { seatOf } from "../../pe/seat-of.ts";
import { sitesOf } from "../../pe/sites.ts";
import { CONVEYOR_FIELDS, type ConveyorOptions, checkElasticOptions } from "../../route/geometry/options.ts";
import type { ConveyorStats } from "../conveyor/engine/stats.ts";
import { elasticFrame } from "../conveyor/front/make-conveyor.ts";
import { noSimple } from "../conveyor/front/quiet-session.ts";
import { type Kind, makerOf } from "./container.ts";
import { ContainerPart } from "./part.ts";
import { OperationBelt } from "./session/belt.ts";
import { OperationSession } from "./session/session.ts";

/** Kinds of containers by name. */
export interface ContainerKinds {
  readonly [name: string]: Kind;
}

/** The containers of kinds, by name. */
export type ContainersOf<S extends ContainerKinds> = {
  readonly [Name in keyof S]: S[Name] extends Kind<infer C, unknown> ? C : never;
};

/** Their operations for asynchronous sources, by name: a promise where there is no room, to be awaited at once. */
export type AsyncOperationsOf<S extends ContainerKinds> = {
  readonly [Name in keyof S]: S[Name] extends Kind<unknown, infer A> ? A : never;
};

/** Options of containers, the same at all PEs: those of an elastic conveyor but `simple`, and one more. */
export interface ContainersOptions extends ConveyorOptions {
  /**
   * Keys whose counts a source combines before they are sent, for each counting map at most; rounded up to a power of
   * two. Of keys that are not text at most 16384. 0 for none. @default 65536
   */
  readonly combine?: number | undefined;
  /** Always true for containers; false is rejected. @default true */
  readonly steady?: boolean | undefined;
}

/** Limits of one session, instead of those of the options. */
export interface SessionOptions {
  /** ms; beyond it the session ends with a TimeoutError at all PEs. @default that of the options */
  readonly timeout?: number | undefined;
  /** Ends the session with an AbortedError at all PEs. @default that of the options */
  readonly signal?: AbortSignal | undefined;
}

/** A PE's counts: pushes are operations that it has sent, pulls those that it has carried out for others and itself. */
export interface ContainersStats extends ConveyorStats {
  /** Largest number of visitors' operations that waited for room at once, in this session. */
  readonly held: number;
}

const DEFAULT_COMBINE = 2 ** 16;
const MOST_COMBINE = 2 ** 24;
/** The number of a container takes a byte. */
const MOST_CONTAINERS = 256;

const OPTIONS = optionsOf<ContainersOptions>({
  ...CONVEYOR_FIELDS,
  combine: whole(0, MOST_COMBINE),
  steady: is("true, as containers are always steady, or nothing", (x) => x === true),
});
const SESSION = optionsOf<SessionOptions>({ timeout: positive("milliseconds"), signal: abortSignal });

let makeContainers: <S extends ContainerKinds>(session: OperationSession) => Containers<S>;

/** Containers, as seen by one PE: what they do together. Each of them is a property. */
export class Containers<S extends ContainerKinds = ContainerKinds> {
  /** This PE's rank among the PEs of the containers. */
  readonly rank: number;
  /** Number of PEs. */
  readonly size: number;
  readonly #session: OperationSession;

  static {
    makeContainers = (session) => new Containers(session);
  }

  private constructor(session: OperationSession) {
    this.#session = session;
    this.rank = session.rank;
    this.size = session.size;
  }

  /**
   * Runs a session: the source calls operations of the containers, visitors call further ones, until every source has
   * returned and no operation is under way at any PE. Collective. It blocks the thread. An operation of the source
   * waits for room, and meanwhile received ones are carried out; one of a visitor never waits.
   *
   *     data.run(({ counts }) => { for (const word of words) counts.insert(word); });
   *
   * @param source gets the containers, and `turn`, which carries out received operations while it waits for something
   * else. @default none
   * @throws StateError in a session; UsageError for what is no function, and if it returns a promise; what the source
   * and visitors throw (the session then ends with that error at every PE); TimeoutError, AbortedError; any error that
   * ends the world
   */
  run(
    source: (containers: ContainersOf<S>, turn: () => void) => AtOnce = () => {},
    options: SessionOptions = {},
  ): void {
    checkOptions("run", SESSION, options);
    checkBlocking(this.#session, "run");
    this.#session.run(source as (all: unknown, turn: () => void) => unknown, this, options);
  }

  /**
   * As {@link run}, without blocking the thread.
   *
   *     await data.runAsync(async ({ counts }) => {
   *       for await (const word of words) {
   *         const full = counts.insert(word);
   *         if (full) await full;
   *       }
   *     });
   *
   * @param source gets the containers, whose operations return a promise if there is no room: await it before the next
   * one. @default none
   * @throws as run
   */
  async runAsync(
    source: (containers: AsyncOperationsOf<S>) => unknown = () => {},
    options: SessionOptions = {},
  ): Promise<void> {
    checkOptions("runAsync", SESSION, options);
    await this.#session.runAsync(source as (all: unknown) => unknown, this, options);
  }

  /** Removes all entries that this PE has. Every PE calls it, outside sessions. It does not wait. @throws as free */
  clear(): void {
    this.#session.life.checkIdle("clear");
    this.#session.clear();
  }

  /** This PE's counts. */
  stats(): ContainersStats {
    return this.#session.stats();
  }

  /**
   * Frees the memory of the conveyor, and removes all entries that this PE has. The heap gets the memory back when all
   * PEs have freed it.
   * @throws StateError in the middle of a session or a collective call
   */
  free(): void {
    const { life } = this.#session;
    if (life.isFreed) return;
    life.checkIdle("free");
    this.#session.free();
    this.#session.clear();
  }

  /** As {@link free}. In a session or a collective call it does nothing: the memory stays until the world ends. */
  [Symbol.dispose](): void {
    const { life } = this.#session;
    if (life.isFreed || !life.isIdle) return;
    this.#session[Symbol.dispose]();
    this.#session.clear();
  }
}

/** Objects of containers that each group has made. */
const objects = new WeakMap<Group, number>();

/**
 * Makes distributed containers: maps, counting maps and sets whose entries are spread over the PEs of a group by a hash
 * of their keys (docs/containers.md). Collective, as making a conveyor: all PEs make the same containers, in the same
 * order. They share one session, so that visitors of one may use all of them.
 *
 *     const data = containers(pe, {
 *       counts: countingMap(text),
 *       stock: map(text, f64, { add: { args: f64, run(entry, n) { entry.value = (entry.value ?? 0) + n; } } }),
 *     });
 *     data.run(({ counts, stock }) => { counts.insert("tin"); stock.visit("tin", "add", 2.5); });
 *     const top = data.counts.topK(10);
 *
 * @param kinds the kind of each container, by name
 * @throws UsageError; HeapError; MismatchError if the PEs make other containers; any error that ends a wait
 */
export function containers<const S extends ContainerKinds>(
  pe: Group,
  kinds: S,
  options: ContainersOptions = {},
): Containers<S> & ContainersOf<S> {
  const seat = seatOf(pe, "containers");
  const sites = sitesOf(seat);
  const entries = entriesOf(kinds);
  checkElasticOptions(options, "containers", OPTIONS);
  if (options.type === "simple") throw noSimple("containers");
  const { combine = DEFAULT_COMBINE, ...rest } = options;
  // a plan may choose simple conveyors where nothing is said
  const all = { ...rest, type: options.type ?? "tensor", steady: true } as const;
  const terms = `containers ${entries.map(([name, { terms }]) => `${name}: ${terms}`).join(", ")}`;
  const session = new OperationSession(new OperationBelt(elasticFrame(sites, all, 1, terms, "containers")));
  const number = (objects.get(pe) ?? 0) + 1;
  objects.set(pe, number);
  const table = combine === 0 ? 0 : 2 ** Math.ceil(Math.log2(combine));
  const object = { seat, session, number, combine: table };
  const together = makeContainers<S>(session);
  for (const [name, kind] of entries) {
    const container = makerOf(kind)?.(new ContainerPart(object, name));
    define(together, name, { value: container, enumerable: true });
  }
  return together as Containers<S> & ContainersOf<S>;
}

/** @throws UsageError */
function entriesOf(kinds: unknown): readonly (readonly [string, Kind])[] {
  if (!isRecord(kinds) || Object.keys(kinds).length === 0) {
    throw new UsageError(
      `containers: expected containers by name, as in { counts: countingMap(text) }, got ${shortText(kinds)}`,
    );
  }
  const entries = Object.entries(kinds);
  if (entries.length > MOST_CONTAINERS) {
    throw new UsageError(
      `containers: expected at most ${MOST_CONTAINERS} containers, got ${entries.length}. Make several objects of them.`,
    );
  }
  for (const [name, kind] of entries) {
    if (!isRecord(kind) || makerOf(kind) === undefined) {
      throw new UsageError(
        `containers: ${name}: expected a container (map(text, f64), countingMap(text), …), got ${shortText(kind)}`,
      );
    }
    if (name in Containers.prototype || name === "rank" || name === "size") {
      throw new UsageError(`containers: a container cannot be called ${name}, as its object has that already`);
    }
  }
  return entries as readonly (readonly [string, Kind])[];
}
