/**
 * Programs in which items cause items, as data, on virtual PEs: each item has a seed, from which its children follow, so that all
 * items are known in advance. A session that ends by quiescence must end when all of them were handled, not earlier, and must end.
 */
import * as assert from "uvu/assert";
import type { ElasticBelt } from "../../../../src/facilities/conveyor/belts/elastic.ts";
import type { RigidBelt } from "../../../../src/facilities/conveyor/belts/rigid.ts";
import type { Pushing } from "../../../../src/facilities/conveyor/codegen/parts.ts";
import type { Session, Waiting } from "../../../../src/facilities/conveyor/engine/session.ts";
import { sessionOf } from "../../../../src/facilities/conveyor/faces/session.ts";
import { QuietSession } from "../../../../src/facilities/conveyor/front/quiet-session.ts";
import { SelectorDriver } from "../../../../src/facilities/selector/driver.ts";
import { Mailbox } from "../../../../src/facilities/selector/mailbox.ts";
import { newSelector } from "../../../../src/facilities/selector/selector.ts";
import { TimeoutError } from "../../../../src/ground/base/errors.ts";
import { struct, u8, u32 } from "../../../../src/ground/item/item-type.ts";
import { DONE, type Status } from "../../../../src/links/status/state.ts";
import {
  CONVEYOR_DISCIPLINES,
  type ConveyorDiscipline,
  type ConveyorOptions,
} from "../../../../src/route/geometry/options.ts";
import type { SimulatedPE } from "../../../../src/running/simulate/simulate.ts";
import { rigidOf } from "./belts.ts";
import { chance, mix } from "./payloads.ts";
import { type Play, playVirtually } from "./seats.ts";

/** A program and the machine that it runs on. */
export interface Causing {
  readonly seed: number;
  readonly pes: number;
  readonly nodes: number;
  readonly jitter: number;
  readonly alpha: number;
  readonly stalls: readonly { readonly pe: number; readonly at: number; readonly lasting: number }[];
  readonly front: "selector" | "rigid" | "elastic";
  readonly mailboxes: number;
  readonly options: ConveyorOptions;
  /** Items that each source sends, at most, and generations of items after those, at most. */
  readonly roots: number;
  readonly generations: number;
  /** Whether a push finds no room now and then, for no reason. */
  readonly isScarce: boolean;
  /** Time that a handler takes, at most, ns. */
  readonly work: number;
  readonly sessions: number;
}

const pick = <T>(list: readonly T[], ...words: readonly number[]): T => list[mix(...words) % list.length] as T;

const DISCIPLINED = CONVEYOR_DISCIPLINES as readonly ConveyorDiscipline[];

/**
 * A program of a seed. A small one has few PEs and few items, so that everything hangs on one item and one buffer, and many sessions
 * one after another, each with other items.
 */
export function causingOf(seed: number, isSmall = false): Causing {
  const draw = <T>(list: readonly T[], what: number): T => pick(list, seed, what);
  const pes = isSmall ? draw([2, 2, 3, 3, 4], 1) : draw([1, 2, 2, 3, 3, 4, 4, 5, 6, 8, 8, 12, 16], 1);
  const nodes = draw(
    [1, 2, 3, 4].filter((nodes) => pes % nodes === 0),
    2,
  );
  const hops = draw([1, 1, 2, 3] as const, 3);
  const stalls = Array.from({ length: draw([0, 0, 1, 2], 4) }, (_, i) => ({
    pe: mix(seed, 5, i) % pes,
    at: mix(seed, 6, i) % (isSmall ? 400_000 : 40_000),
    lasting: mix(seed, 7, i) % 30_000,
  }));
  return {
    ...{ seed, pes, nodes, stalls },
    jitter: draw([0, 1, 4, 20], 8),
    alpha: draw([300, 1500, 8000], 9),
    front: draw(["selector", "selector", "rigid", "elastic"], 10),
    mailboxes: draw([1, 2, 3], 11),
    options: {
      ...{ hops, steady: true, bufferBytes: draw([64, 128, 1024], 12) },
      buffersPerLink: draw([1, 2, 4], 13),
      discipline: isSmall && seed % 16 > 0 ? "eager" : draw(["eager", "eager", "eager", ...DISCIPLINED], 14),
    },
    roots: isSmall ? draw([1, 1, 2], 16) : draw([0, 1, 2, 6], 16),
    generations: isSmall ? draw([1, 2, 3, 4], 17) : draw([0, 1, 3, 6, 9], 17),
    isScarce: draw([false, false, true], 23),
    work: draw([0, 100, 3000], 18),
    sessions: isSmall ? 25 : draw([1, 1, 1, 2], 19),
  };
}

/** An item: the seed of what it causes, and the generations that may follow. */
interface Item {
  readonly seed: number;
  readonly left: number;
}

/** Each item but the last generations' causes 0 to 3 items, 1.2 on average. */
function* childrenOf({ seed, left }: Item): Generator<Item> {
  if (left === 0) return;
  const children = pick([0, 0, 1, 2, 3], seed, 1);
  for (let i = 0; i < children; i++) yield { seed: mix(seed, 2, i), left: left - 1 };
}

function* rootsOf({ seed, pes, roots, generations }: Causing, rank: number, session: number): Generator<Item> {
  // some PEs begin with nothing
  const count = pes > 1 && chance(seed, 20, rank) < 0.4 ? 0 : roots;
  for (let i = 0; i < count; i++) yield { seed: mix(seed, 21, session, rank, i), left: generations };
}

/** The items of a session, counted as one program. */
function allItems(one: Causing, session: number): Map<number, number> {
  const all = new Map<number, number>();
  const left: Item[] = [];
  for (let rank = 0; rank < one.pes; rank++) left.push(...rootsOf(one, rank, session));
  for (let item = left.pop(); item !== undefined; item = left.pop()) {
    all.set(item.seed, (all.get(item.seed) ?? 0) + 1);
    left.push(...childrenOf(item));
  }
  return all;
}

const ITEM = struct({ seed: u32, left: u8 });

/** Now and then some pushes in a row give false, as the contract allows, even if nothing of this PE is in flight. */
function makeScarce(c: Pushing, seed: number): void {
  const push = c.push.bind(c);
  let count = 0;
  Object.defineProperty(c, "push", {
    value: (dest: number, ...values: readonly unknown[]) =>
      chance(seed, 24, count++ >> 4) < 0.3 ? false : push(dest, ...values),
  });
}

/** What a PE plays with: a conveyor of its own kind, or several. */
interface Toy {
  beginning(): Waiting;
  /** Hands out what has come. */
  hand(): void;
  proceed(done: boolean): Status;
  /** Sends for the source; false if there is no room. */
  push(item: Item): boolean;
  end(): void;
  readonly belts: readonly Session[];
}

/** @param handle what a handler does, with what it sends by */
function toyOf(pe: SimulatedPE, one: Causing, handle: (item: Item, send: (item: Item) => void) => void): Toy {
  const { pes, front, options, mailboxes } = one;
  const destOf = ({ seed }: Item) => mix(seed, 3) % pes;
  if (front === "selector") {
    const made = Array.from({ length: mailboxes }, (_, i) => {
      const belt = rigidOf(pe.conveyor(ITEM, options));
      if (one.isScarce) makeScarce(belt as Pushing, mix(one.seed, pe.rank, i));
      return new Mailbox(`m${i}`, ITEM, belt);
    });
    const driver = new SelectorDriver(made, true);
    const selector = newSelector(driver);
    const numberOf = ({ seed }: Item) => mix(seed, 4) % mailboxes;
    const send = (item: Item) => selector.send[`m${numberOf(item)}`]?.(destOf(item), item.seed, item.left);
    const handler = (item: Item) => handle({ seed: item.seed, left: item.left }, send);
    return {
      belts: made.map(({ belt }) => belt),
      *beginning() {
        driver.prepare(
          "run",
          made.map(() => handler as never),
        );
        yield* driver.beginning();
      },
      hand: () => driver.hand(),
      proceed: (done) => driver.proceed(done),
      push(item) {
        const mailbox = made[numberOf(item)] as Mailbox;
        return mailbox.isClear && mailbox.pushing.push(destOf(item), item.seed, item.left);
      },
      end() {
        driver.endSession();
        driver.close();
      },
    };
  }
  const isRigid = front === "rigid";
  const c = sessionOf(isRigid ? pe.conveyor(ITEM, options) : pe.elasticConveyor(options)) as Session & Pushing;
  if (one.isScarce) makeScarce(c, mix(one.seed, pe.rank));
  const quiet = new QuietSession(c, isRigid ? ITEM : null);
  const valuesOf = (item: Item): unknown[] => (isRigid ? [item.seed, item.left] : [bytesOf(item, options)]);
  const rest = quiet.restIn({ wait: () => assert.unreachable("a handler waits") }, "send");
  const send = (item: Item): void => {
    const values = valuesOf(item);
    if (!(quiet.isClear && c.push(destOf(item), ...values))) rest(destOf(item), values);
  };
  const drain = isRigid
    ? () => {
        (c as RigidBelt<typeof ITEM> & Pushing).userDrain(((item: Item) =>
          handle({ seed: item.seed, left: item.left }, send)) as never);
      }
    : () => {
        const elastic = c as ElasticBelt & Pushing;
        while (elastic.pull()) handle(itemOf(elastic.bytes), send);
      };
  return {
    belts: [c],
    beginning: () => quiet.beginning(),
    hand: () => quiet.handBy(drain),
    proceed: (done) => quiet.proceed(done),
    push: (item) => quiet.isClear && c.push(destOf(item), ...valuesOf(item)),
    end: () => quiet.endSession(),
  };
}

/** The same item takes any number of bytes, in some cases more than a buffer. */
function bytesOf({ seed, left }: Item, { bufferBytes = 64 }: ConveyorOptions): Uint8Array {
  const bytes = new Uint8Array(pick([5, 5, 9, 30, bufferBytes + 50], seed, 5));
  new DataView(bytes.buffer).setUint32(0, seed);
  bytes[4] = left;
  return bytes;
}

function itemOf(bytes: Uint8Array): Item {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { seed: view.getUint32(0), left: view.getUint8(4) };
}

/** What a run has shown. */
export interface Caused {
  readonly items: number;
  readonly waves: number;
}

/** A session that has ended too early, or not at all. */
export class Wrong extends Error {
  readonly kind: "early" | "stuck";

  constructor(kind: Wrong["kind"], text: string, one: Causing) {
    super(`${kind}: ${text}; seed ${one.seed}: ${JSON.stringify(one)}`);
    this.kind = kind;
  }
}

/** Plays a program. @throws Wrong, and what else goes wrong */
export function playCausing(one: Causing): Caused {
  const { seed, pes, nodes, jitter, alpha, stalls, sessions, work } = one;
  /** By session: items that were not handled yet, and how many. */
  const missing = Array.from({ length: sessions }, (_, session) => allItems(one, session));
  const left = missing.map((items) => [...items.values()].reduce((sum, count) => sum + count, 0));
  const items = left.reduce((sum, count) => sum + count, 0);
  let waves = 0;

  function* play(pe: SimulatedPE): Play {
    let session = 0;
    const toy = toyOf(pe, one, (item, send) => {
      const of = missing[session] as Map<number, number>;
      const count = of.get(item.seed) ?? 0;
      if (count === 0) throw new Error(`an item that nobody has sent, or that came twice: ${item.seed}`);
      of.set(item.seed, count - 1);
      (left[session] as number)--;
      if (work > 0) pe.work(mix(item.seed, 6) % work);
      for (const child of childrenOf(item)) send(child);
    });
    for (; session < sessions; session++) {
      yield* toy.beginning();
      const isSlow = chance(seed, 22, pe.rank) < 0.2;
      for (const root of rootsOf(one, pe.rank, session)) {
        if (isSlow) {
          pe.work(mix(root.seed, 7) % 20_000);
          toy.hand();
          toy.proceed(false);
          yield;
        }
        while (!toy.push(root)) {
          toy.hand();
          toy.proceed(false);
          yield;
        }
      }
      do {
        toy.hand();
        yield;
      } while (toy.proceed(true) !== DONE);
      if (left[session] !== 0) throw new Wrong("early", `${left[session]} items are missing`, one);
      for (const { machinery } of toy.belts) {
        const open = machinery.outboxes.reduce((sum, { pending }) => sum + pending, 0);
        if (open > 0 || machinery.inbox.next !== machinery.inbox.limit)
          throw new Wrong("early", "a buffer has items", one);
      }
      toy.end();
      waves += (toy.belts[0] as Session).stats().votes;
    }
    for (const belt of toy.belts) belt.free();
  }

  const faults = stalls.map((stall) => ({ ...stall, kind: "stall" as const }));
  const network = { alpha, beta: 0.1, receiver: 300 };
  try {
    playVirtually({ pes, nodes, seed, jitter, faults, network, timeout: 2000, memoryBytes: 2 ** 23 }, play);
  } catch (error) {
    if (error instanceof TimeoutError) throw new Wrong("stuck", error.message, one);
    throw error;
  }
  return { items, waves };
}
