/** Two-phase commits on virtual PEs: each proposes, votes at random, while PEs crash and stall. */
import * as assert from "uvu/assert";
import { openTwoPhaseCommit, type TwoPhaseOptions } from "../../../../src/agree.ts";
import { assertLinearizable } from "../support/linearizable.ts";
import { decisionModel } from "../support/models.ts";
import { Random } from "../support/network.ts";
import { drawsOf, opened, runIn, settingOf, TimedHistory, workUntil } from "./setting.ts";

export interface CommitOutcome {
  readonly committed: number;
  readonly aborted: number;
  readonly doubts: number;
  readonly crashes: number;
  readonly events: number;
}

/** A transaction: its number, and the places that refuse it. What it is to a member. */
interface Seen {
  voted?: boolean;
  decided?: boolean;
  doubted?: boolean;
}

const numberOf = (bytes: Uint8Array): number => bytes[0] as number;

/** @param ignoresNo one member votes yes where it must refuse */
export async function commitRun(seed: number, ignoresNo = false): Promise<CommitOutcome> {
  const random = new Random(seed);
  const setting = settingOf(random, seed, 2);
  const { members, suspectAfter, calm, crashes } = setting;
  const options: TwoPhaseOptions = {
    voteWithin: suspectAfter * random.pick([0.3, 2, 100]),
    window: random.pick([1, 3, 256]),
    dissemination: random.pick(["tree", "sequential"]),
  };
  const idle = random.pick([0, 0.1, 1]) * 1e6 * suspectAfter;
  /** What became of each transaction, in virtual time; and at whom. */
  const histories: TimedHistory<string, string>[] = [];
  const refused = new Set<number>();
  const seen: Seen[][] = members.map(() => []);
  const open = new Set<number>();
  const done = new Set<number>();
  const busy = new Map<number, boolean>();
  const sum = { committed: 0, aborted: 0, unknown: 0 };
  const wrong: string[] = [];
  let settled = false;

  const { events } = await runIn(setting, async (pe) => {
    if (!members.includes(pe.rank)) return;
    const place = members.indexOf(pe.rank);
    const own = seen[place] as Seen[];
    const learn = (number: number, outcome: string) => histories[number]?.invoke(pe, outcome)(outcome);
    const commit = opened(() =>
      openTwoPhaseCommit(
        pe.group(members),
        {
          vote(bytes) {
            const number = numberOf(bytes);
            const no = bytes.subarray(1).includes(place);
            assert.is(own[number]?.voted, undefined, `${number}: ${place} is asked twice`);
            own[number] = { voted: !no };
            if (no) {
              refused.add(number);
              learn(number, "aborted");
            }
            return !no || (ignoresNo && place === 0);
          },
          decide(bytes, committed) {
            const number = numberOf(bytes);
            assert.is(own[number]?.decided, undefined, `${number}: ${place} is told twice`);
            own[number] = { ...own[number], decided: committed };
            learn(number, committed ? "committed" : "aborted");
          },
          doubt(bytes) {
            const number = numberOf(bytes);
            // told at the end: an error here would end the member, and show as what follows from that
            if (own[number]?.voted !== true) wrong.push(`${number}: ${place} is in doubt about its own no`);
            own[number] = { ...own[number], doubted: true };
          },
        },
        options,
      ),
    );
    open.add(pe.rank);
    workUntil(pe, setting);
    const draws = drawsOf(seed, pe.rank);
    const caller = async () => {
      for (let left = draws.whole(1, 6); left > 0; left--) {
        if (draws.chance(0.3)) pe.work(2000 * draws.next());
        if (draws.chance(0.3)) pe.work(idle * draws.next());
        const number = histories.push(new TimedHistory()) - 1;
        const no = [...members.keys()].filter(() => draws.chance(0.1));
        const outcome = await commit.waitAsync(commit.propose(Uint8Array.of(number, ...no)));
        learn(number, outcome);
        sum[outcome]++;
      }
    };
    await Promise.all(Array.from({ length: draws.whole(0, 3) }, caller));
    done.add(pe.rank);
    // a second may pass until it looks again
    const limit = calm + 3e9;
    await commit.serveAsync(() => {
      busy.set(pe.rank, commit.isBusy || own.some(({ decided, doubted }) => decided === undefined && doubted !== true));
      const living = [...open].filter((rank) => !pe.lost.includes(rank));
      settled ||= pe.now > calm && living.every((rank) => done.has(rank) && busy.get(rank) === false);
      return settled || pe.now > limit;
    });
    const undecided = own.filter(({ decided }) => decided === undefined).length;
    assert.ok(commit.inDoubt.length >= undecided, `${place}: neither decided nor in doubt`);
    commit.close();
  });

  assert.equal(wrong, [], `seed ${seed}: ${wrong}`);
  for (const [number, { operations }] of histories.entries()) {
    assertLinearizable(decisionModel, operations, `seed ${seed}, transaction ${number}`);
    const all = seen.map((one) => one[number]?.decided);
    if (all.includes(true)) {
      assert.not.ok(refused.has(number), `seed ${seed}: ${number} was refused`);
      for (const [place, rank] of members.entries())
        assert.ok(crashes.has(rank) || seen[place]?.[number]?.voted, `${number}: without ${place}`);
    }
  }
  if (!settled)
    throw new Error(
      `seed ${seed}: not decided: ${JSON.stringify([[...busy], [...done], seen.map((own) => own.flatMap((one, i) => (one?.decided === undefined ? [[i, one]] : [])))])}`,
    );
  const doubts = seen.flat().filter((one) => one?.decided === undefined && one?.doubted).length;
  return { ...{ committed: sum.committed, aborted: sum.aborted }, doubts, crashes: crashes.size, events };
}
