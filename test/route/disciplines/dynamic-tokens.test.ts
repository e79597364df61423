/**
 * Dynamic scheduling with tokens, where messages overtake each other as they like: only those of one lane keep their
 * order. One sender at a time, everything is sent, and no message is under way when a phase is over.
 */
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { randomNumbers } from "../../../src/ground/base/random.ts";
import type { Lanes } from "../../../src/route/disciplines/discipline.ts";
import { DynamicTokens } from "../../../src/route/disciplines/dynamic-tokens.ts";
import { rounds } from "../../support/long.ts";

const test = suite("dynamic scheduling with tokens");

interface Case {
  readonly pes: number;
  readonly window: number;
  readonly every: number;
  readonly seed: number;
  /** How much faster some lanes and PEs are than others. */
  readonly spread: number;
  /** By phase: for each PE, to whom its chunks go. */
  readonly phases: readonly (readonly (readonly number[])[])[];
}

type Message = readonly [kind: number, a: number, b: number];

/** A PE in the model: what it has to send, and what has not left it or was not read. */
class Node {
  phase = -1;
  readonly chunks: number[];
  leaving = -1;
  unread = 0;
  casts = 0;
  readonly discipline: DynamicTokens;

  constructor({ pes, window, every }: Case, self: number, votes: number[][], queues: Message[][]) {
    this.chunks = new Array<number>(pes).fill(0);
    const node = this;
    const lanes: Lanes = {
      size: pes,
      self,
      waiting: (lane) => this.chunks[lane] as number,
      get backlog() {
        return node.chunks.reduce((all, one) => all + one, 0);
      },
      oldest: -1,
      hasRoom: () => true,
      hasLeft: (lane) => this.leaving !== lane,
      get isRead() {
        return node.unread === 0;
      },
      isClosed: true,
      tell: (lane, kind, a = 0, b = 0) => void (queues[self * pes + lane] as Message[]).push([kind, a, b]),
      get isHeard() {
        return queues.slice(self * pes, (self + 1) * pes).every((queue) => queue.length === 0);
      },
      vote: {
        cast: (bits: number) => {
          const cast = votes[this.casts] ?? [];
          votes[this.casts++] = cast;
          cast.push(bits);
        },
        poll: () => {
          const cast = votes[this.casts - 1] ?? [];
          return cast.length < pes ? -1 : cast.reduce((all, one) => all | one, 0);
        },
      } as Lanes["vote"],
      random: () => 0,
    };
    this.discipline = new DynamicTokens(lanes, window, every);
  }
}

/** Steps after which everything happens that can. */
const PATIENCE = 400;
const MOST_STEPS = 400_000;

function play(given: Case): void {
  const { pes, seed, spread, phases } = given;
  const random = randomNumbers(seed);
  const queues: Message[][] = Array.from({ length: pes * pes }, () => []);
  const nodes: Node[] = [];
  const votes: number[][] = [];
  for (let rank = 0; rank < pes; rank++) nodes.push(new Node(given, rank, votes, queues));
  const begin = (node: Node, rank: number) => {
    node.phase++;
    for (const dest of phases[node.phase]?.[rank] ?? []) if (dest !== rank) (node.chunks[dest] as number)++;
    node.discipline.begin();
  };
  for (const [rank, node] of nodes.entries()) begin(node, rank);
  /** Each is one thing that may happen next; it says whether it has. */
  const events = [
    ...nodes.map((node, rank) => () => {
      if (node.phase === phases.length) return false;
      const { discipline } = node;
      const lane = discipline.next();
      if (lane >= 0) {
        assert.is(nodes.filter((other) => other.leaving === lane).length, 0, "one sender at a time");
        (node.chunks[lane] as number)--;
        node.leaving = lane;
        node.unread++;
        discipline.sent(true);
      }
      if (!discipline.isOver) return lane >= 0 || discipline.moved;
      const touching = queues.filter((_, at) => at % pes === rank || Math.floor(at / pes) === rank);
      const isAhead = nodes.some(({ phase }) => phase > node.phase);
      if (!isAhead) assert.equal(touching.flat(), [], "no message under way at the end");
      begin(node, rank);
      return true;
    }),
    ...nodes.map((node) => () => {
      if (node.leaving < 0) return false;
      node.leaving = -1;
      return true;
    }),
    ...nodes.map((node) => () => {
      if (node.unread === 0 || node.leaving >= 0) return false;
      node.unread--;
      return true;
    }),
    ...queues.map((queue, at) => () => {
      const [from, to] = [nodes[Math.floor(at / pes)], nodes[at % pes]] as [Node, Node];
      // those of the next phase wait until it has begun there
      if (queue.length === 0 || from.phase > to.phase) return false;
      to.discipline.hear(Math.floor(at / pes), ...(queue.shift() as unknown as [number, number, number]));
      return true;
    }),
  ];
  const weights = events.map(() => random() ** spread);
  const sum = weights.reduce((all, one) => all + one, 0);
  let happened = true;
  for (let step = 1; nodes.some(({ phase }) => phase < phases.length); step++) {
    // what is slow happens at last
    if (step % PATIENCE === 0) {
      for (const event of events) if (event()) happened = true;
      assert.ok(happened, "something can always happen");
      assert.ok(step < MOST_STEPS, "it ends");
      happened = false;
      continue;
    }
    let at = 0;
    for (let left = random() * sum; at < events.length - 1 && left >= (weights[at] as number); at++)
      left -= weights[at] as number;
    if (events[at]?.()) happened = true;
  }
  assert.equal(queues.flat(), []);
  for (const { chunks } of nodes) assert.is(chunks.filter((count) => count > 0).length, 0, "everything is sent");
}

const cases = fc.integer({ min: 1, max: 5 }).chain((pes) =>
  fc.record<Case>({
    pes: fc.constant(pes),
    window: fc.constantFrom(1, 2, 4, 31),
    every: fc.constantFrom(0, 2, 3, 7, 40),
    seed: fc.nat(),
    spread: fc.constantFrom(0, 1, 4, 8),
    phases: fc.array(fc.array(fc.array(fc.nat(pes - 1), { maxLength: 12 }), { minLength: pes, maxLength: pes }), {
      minLength: 1,
      maxLength: 2,
    }),
  }),
);

test("messages of different lanes in any order", () => {
  fc.assert(fc.property(cases, play), { numRuns: rounds(4000, 200_000) });
});

test.run();
