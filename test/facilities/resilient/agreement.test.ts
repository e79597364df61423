/**
 * The agreement over nodes alone, where nodes learn of losses and of returns at different times, messages take any
 * time, and PEs are lost between any two steps of theirs: all that decide about a step decide the same, and nothing is
 * stuck.
 */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Agreement, type AgreementSeat, SETTLED } from "../../../src/facilities/resilient/agreement.ts";
import { DONE, StepDecisions } from "../../../src/facilities/resilient/decisions.ts";
import { blockBytes } from "../../../src/facilities/resilient/layout.ts";
import { RankLostError } from "../../../src/index.ts";
import { rounds } from "../../support/long.ts";
import { SEED } from "../../support/sample.ts";
import { pick } from "./programs/calls.ts";

const test = suite("agreement over nodes");
const range = (n: number) => Array.from({ length: n }, (_, i) => i);

/** Turns of a PE that a run has at most: far more than it takes. */
const MOST_TURNS = 20_000;
const CALLS = 4;
/** Turns that news and messages take at most; and from a return to its news. */
const SLOWEST = 100;
const GRACE = 300;
const DELAYS = 61;
const LOST = new RankLostError(-1, "lost");

type Message = { readonly word: number; readonly tag: number; readonly root: number; readonly number: number };
type Queue = { readonly at: number; readonly message: Message }[];
type Program = Generator<void, void, void>;

/** A world of some nodes. Times are turns of PEs. */
class World {
  readonly size: number;
  readonly nodeOf: readonly number[];
  readonly decided = new Map<string, number>();
  /** By PE: the step that it is in. */
  readonly stepOf: number[];
  now = 0;
  /** By PE: when it was lost, has returned; Infinity for never. */
  readonly lostAt: number[];
  readonly returnedAt: number[];
  readonly #slow: number;
  readonly #delays: readonly number[];
  /** By what the PEs come to, and PE: when it came. */
  readonly #came = new Map<string, number[]>();
  /** Of messages from a PE to another one. */
  readonly #queues: readonly Queue[];
  readonly #blocks: Int32Array[];
  #seed: number;

  constructor(seed: number) {
    this.#seed = seed;
    const nodes = 2 + this.random(3);
    this.nodeOf = range(nodes).flatMap((node) => new Array<number>(1 + this.random(3)).fill(node));
    this.size = this.nodeOf.length;
    this.stepOf = new Array<number>(this.size).fill(0);
    this.lostAt = new Array(this.size).fill(Number.POSITIVE_INFINITY);
    this.returnedAt = new Array(this.size).fill(Number.POSITIVE_INFINITY);
    this.#queues = range(this.size ** 2).map(() => []);
    this.#slow = 1 + this.random(SLOWEST);
    this.#delays = range(DELAYS).map(() => this.random(this.#slow));
    this.#blocks = range(nodes).map(() => new Int32Array(blockBytes(this.size) / 4));
  }

  random(n: number): number {
    this.#seed = (Math.imul(this.#seed, 0x5bd1e995) + 0x3c6ef372) | 0;
    return pick(n, this.#seed);
  }

  /** Whether a PE knows what has happened to another one at a time. The news takes longer to some nodes. */
  #knows(pe: number, one: number, at: number): boolean {
    const [node, other] = [this.nodeOf[pe] as number, this.nodeOf[one] as number];
    return at + (node === other ? 0 : (this.#delays[(7 * node + one) % DELAYS] as number)) <= this.now;
  }
  isLost = (pe: number, one: number): boolean => this.#knows(pe, one, this.lostAt[one] as number);
  // a return is told later than what was sent before
  hasReturned = (pe: number, one: number): boolean => this.#knows(pe, one, (this.returnedAt[one] as number) + GRACE);

  /** Whether all that are left have come to a step. */
  areAt(step: number, pe: number, members: readonly number[]): boolean {
    const isAway = (one: number) => this.isLost(pe, one) || this.hasReturned(pe, one);
    return members.every((one) => (this.stepOf[one] as number) >= step || isAway(one));
  }

  lose(pe: number): void {
    this.lostAt[pe] = Math.min(this.now, this.lostAt[pe] as number);
  }

  /** Whether all have come, as far as this PE has heard. */
  haveCome(what: string, pe: number, members: readonly number[]): boolean {
    const came = this.#came.get(what) ?? new Array<number>(this.size).fill(Number.POSITIVE_INFINITY);
    this.#came.set(what, came);
    if (came[pe] === Number.POSITIVE_INFINITY) came[pe] = this.now;
    const delay = (one: number) => this.#delays[(5 * pe + 3 * one + what.length) % DELAYS] as number;
    return members.every((one) => (came[one] as number) + (one === pe ? 0 : delay(one)) <= this.now);
  }
  hasCome = (what: string, pe: number): boolean => (this.#came.get(what)?.[pe] ?? Number.POSITIVE_INFINITY) <= this.now;

  decisions(pe: number): StepDecisions {
    return new StepDecisions(this.#blocks[this.nodeOf[pe] as number] as Int32Array, 0, pe, this.size);
  }

  seat(pe: number): AgreementSeat {
    return {
      rank: pe,
      members: range(this.size),
      nodeOf: this.nodeOf,
      waits: { now: () => this.now } as AgreementSeat["waits"],
      sideWork: { add() {}, delete() {} } as unknown as AgreementSeat["sideWork"],
      lossOf: (one) => (this.isLost(pe, one) ? LOST : null),
      hasReturned: (one) => this.hasReturned(pe, one),
      checkGroup: () => {
        for (let one = 0; one < this.size; one++) if (this.isLost(pe, one)) throw LOST;
      },
      fail: (error) => {
        throw error;
      },
    };
  }

  mailbox(pe: number) {
    const queueOf = (from: number, to: number) => this.#queues[from * this.size + to] as Queue;
    const arrived = (from: number) => queueOf(from, pe).filter(({ at }) => at <= this.now);
    return {
      canSend: () => this.random(4) > 0,
      sendNumber: (to: number, { word, tag, root }: Omit<Message, "number">, number: number) => {
        const queue = queueOf(pe, to);
        const at = Math.max(queue.at(-1)?.at ?? 0, this.now + this.random(this.#slow));
        queue.push({ at, message: { word, tag, root, number } });
      },
      poll: () => false,
      unexpected: {
        count: (_stream: number, from: number) => arrived(from).length,
        take: (_stream: number, from: number) => queueOf(from, pe).shift()?.message as never,
      },
    };
  }
}

/** One PE's program: calls that end as those of a resilient group do (survivors.ts). */
class Player {
  readonly rank: number;
  readonly world: World;
  readonly decisions: StepDecisions;
  readonly agreement: Agreement;
  members: readonly number[];
  /** How many agreements were needed. */
  agreed = 0;

  readonly #calls: number;

  constructor(world: World, rank: number, calls: number) {
    this.#calls = calls;
    this.world = world;
    this.rank = rank;
    this.decisions = world.decisions(rank);
    this.agreement = new Agreement(world.seat(rank), world.mailbox(rank), 1, this.decisions);
    this.members = range(world.size);
  }

  get #lost(): number {
    return this.members.find((one) => this.world.isLost(this.rank, one)) ?? -1;
  }

  *run(): Program {
    let isMade = true;
    for (let call = 0; call < this.#calls; call++) {
      for (let lost = 0; lost >= 0; ) {
        if (!isMade) {
          isMade = yield* this.#passing("making");
          if (isMade) this.agreement.watch(this.members);
        }
        if (isMade) yield* this.#pausing(this.world.random(10));
        const isComplete = isMade && (this.#lost < 0 || this.world.random(2) === 0);
        const hasPassed = isComplete && (yield* this.#passing("first"));
        if (hasPassed && (yield* this.#passing("second"))) this.decisions.settle(DONE);
        else yield* this.#agreeing(hasPassed);
        const step = `${this.decisions.epoch} ${this.decisions.step}`;
        lost = this.decisions.next();
        this.world.stepOf[this.rank] = this.decisions.step;
        const before = this.world.decided.get(step) ?? lost;
        assert.is(lost, before, `PE ${this.rank}, step ${step}`);
        this.world.decided.set(step, lost);
        if (lost < 0) continue;
        const { lostAt, now } = this.world;
        assert.ok((lostAt[lost] as number) <= now && this.members.includes(lost), `PE ${lost} is not lost`);
        this.members = this.members.filter((one) => one !== lost);
        isMade = false;
      }
      // it computes, or waits for what others do when they have come to the end of this call, too
      if (this.world.random(2) === 0) yield* this.#pausing(this.world.random(50));
      else
        for (const { step } = this.decisions; !this.world.areAt(step, this.rank, this.members); yield)
          this.agreement.serve();
    }
  }

  *#pausing(turns: number): Program {
    for (let turn = 0; turn < turns; turn++) yield;
  }

  *#passing(which: string): Generator<void, boolean, void> {
    const { epoch, step } = this.decisions;
    const what = `${which} ${epoch} ${which === "making" ? "" : step}`;
    const { world, rank } = this;
    for (; !world.haveCome(what, rank, this.members); yield) {
      if (this.#lost >= 0 && world.random(3) === 0) return false;
      this.agreement.serve();
      // as a wait of a collective does
      for (const one of this.members) if (world.hasReturned(rank, one) && !world.hasCome(what, one)) world.lose(one);
    }
    return true;
  }

  *#agreeing(hasPassed: boolean): Program {
    this.agreed++;
    const { agreement, world } = this;
    // any that it has found lost: estimates differ more often then
    const lost = this.members.filter((one) => world.isLost(this.rank, one));
    agreement.begin(this.members, lost[world.random(Math.max(1, lost.length))] ?? -1, hasPassed);
    // some are lost here, some are slow: others may have returned meanwhile
    const fatal = world.random(3) === 0 ? world.random(3 * SLOWEST) : -1;
    const slow = world.random(4) === 0 ? world.random(3 * SLOWEST) : -1;
    for (let looks = 0, next = agreement.advance(); next !== SETTLED; looks++, next = agreement.advance()) {
      const { gone } = agreement;
      if (gone >= 0) world.lose(gone);
      if (looks === fatal) world.lose(this.rank);
      if (looks === slow) yield* this.#pausing(2 * (GRACE + SLOWEST));
      yield;
      // as side work, which this wait does, too
      if (world.random(2) === 0) agreement.serve();
    }
  }
}

function playSeed(seed: number): number {
  const world = new World(seed);
  // one may return before the others' last calls
  const early = world.random(4) === 0 ? world.random(world.size) : -1;
  const calls = (rank: number) => (rank === early ? world.random(CALLS) : CALLS);
  const players = range(world.size).map((rank) => new Player(world, rank, calls(rank)));
  const programs = players.map((player) => player.run());
  // at any time, or at about the same one
  const span = 1 + world.random(300);
  const doomed = range(world.size).map(() => (world.random(2) === 0 ? world.random(span) : -1));
  const left = new Set(range(world.size));
  for (; left.size > 0; world.now++) {
    assert.ok(world.now < MOST_TURNS, `stuck: PEs ${[...left]}`);
    for (const rank of left) {
      if (doomed[rank] === world.now) world.lose(rank);
      if (world.isLost(rank, rank)) left.delete(rank);
      else if (world.random(3) > 0 && programs[rank]?.next().done) {
        world.returnedAt[rank] = world.now;
        left.delete(rank);
      }
    }
  }
  return players.reduce((sum, { agreed }) => sum + agreed, 0);
}

const COUNT = rounds(1000, 100_000);
test(`${COUNT} random runs`, () => {
  const begin = (SEED * 1000) % 2 ** 31;
  let agreed = 0;
  for (let seed = begin; seed < begin + COUNT; seed++) {
    try {
      agreed += playSeed(seed);
    } catch (error) {
      throw new Error(`seed ${seed}: ${(error as Error).stack}`);
    }
  }
  console.log(`${COUNT} seeds from ${begin}: ${agreed} agreements`);
  assert.ok(agreed > COUNT);
});

test.run();
