/** What PEs do with shared objects, on threads and on virtual PEs. */
import * as assert from "uvu/assert";
import { condition } from "../../../../src/facilities/shared/sync/condition-variable.ts";
import { latch } from "../../../../src/facilities/shared/sync/latch.ts";
import { lock } from "../../../../src/facilities/shared/sync/lock.ts";
import { once } from "../../../../src/facilities/shared/sync/once.ts";
import { rwlock } from "../../../../src/facilities/shared/sync/read-write-lock.ts";
import { semaphore } from "../../../../src/facilities/shared/sync/semaphore.ts";
import { TimeoutError } from "../../../../src/index.ts";
import type { PE } from "../../../../src/pe/pe.ts";

type Kind = "lock" | "rwlock" | "semaphore" | "condition" | "once" | "latch";

export interface Play {
  readonly kind: Kind;
  readonly turns: number;
  readonly blocks: boolean;
  readonly seed: number;
}

/** A whole number below n that depends on the words. */
export function pick(n: number, ...words: readonly number[]): number {
  let hash = 0x811c9dc5;
  for (const word of words) hash = Math.imul(hash ^ (word | 0), 0x01000193) ^ (hash >>> 15);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) % n;
}

/** Words that are not atomic: two PEs at once would lose additions. */
const words = (pe: PE): Promise<Int32Array> => pe.allocSharedAsync(Int32Array, 16);
/** Work under a lock, during which others come. */
async function hold(pe: PE, { seed, blocks }: Play, turn: number): Promise<void> {
  const ns = pick(5, seed, turn, pe.rank) * 200;
  if (blocks) {
    for (let k = 0; k < ns; k++) (busy[0] as number)++;
  } else {
    pe.work(ns);
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}
const busy = new Int32Array(1);

const KINDS: Record<Kind, (pe: PE, play: Play) => Promise<void>> = {
  async lock(pe, play) {
    const a = lock(pe, { name: "a" });
    const sum = await words(pe);
    let own = 0;
    for (let turn = 0; turn < play.turns; turn++) {
      const how = pick(8, play.seed, 1, turn, pe.rank);
      let held = how === 0 ? a.tryLock() : null;
      if (held === null && how === 1) {
        try {
          held = play.blocks ? a.lock({ timeout: 0 }) : await a.lockAsync({ timeout: 0 });
        } catch (error) {
          assert.instance(error, TimeoutError);
          assert.not(a.isHeld);
          continue;
        }
      }
      held ??= play.blocks && how < 6 ? a.lock() : await a.lockAsync();
      assert.ok(a.isHeld);
      const before = sum[0] as number;
      await hold(pe, play, turn);
      sum[0] = before + 1;
      own++;
      held.unlock();
    }
    const all = await pe.allreduceAsync(own, "sum");
    assert.is(sum[0], all);
    a.leave();
  },
  async rwlock(pe, play) {
    const a = rwlock(pe);
    const pair = await words(pe);
    let writes = 0;
    for (let turn = 0; turn < play.turns; turn++) {
      const how = pick(10, play.seed, 2, turn, pe.rank);
      if (how < 7) {
        const held = how === 0 ? a.tryLockRead() : play.blocks && how < 5 ? a.lockRead() : await a.lockReadAsync();
        if (held === null) continue;
        const first = pair[0];
        await hold(pe, play, turn);
        assert.is(pair[1], first, "a reader beside a writer");
        held.unlock();
      } else {
        const held = how === 7 ? a.tryLockWrite() : play.blocks && how < 9 ? a.lockWrite() : await a.lockWriteAsync();
        if (held === null) continue;
        writes++;
        pair[0] = (pair[0] as number) + 1;
        await hold(pe, play, turn);
        pair[1] = (pair[1] as number) + 1;
        held.unlock();
      }
    }
    assert.is(await pe.allreduceAsync(writes, "sum"), pair[0]);
    a.leave();
  },
  async semaphore(pe, play) {
    const permits = 1 + pick(2, play.seed, 3);
    const a = semaphore(pe, permits);
    const inside = await words(pe);
    for (let turn = 0; turn < play.turns; turn++) {
      if (play.blocks && pick(3, play.seed, 4, turn, pe.rank) > 0) a.acquire();
      else await a.acquireAsync();
      assert.ok(Atomics.add(inside, 0, 1) < permits, "more than there are permits");
      await hold(pe, play, turn);
      Atomics.sub(inside, 0, 1);
      a.release();
    }
    await pe.barrierAsync();
    assert.is(a.permits, permits);
    a.leave();
  },
  async condition(pe, play) {
    // a queue of at most 3 numbers between all PEs; the even ones put, the odd ones take
    const a = lock(pe);
    const changed = condition(pe, a);
    const queue = await words(pe);
    const [LENGTH, SUM] = [0, 1];
    const puts = pe.rank % 2 === 0;
    const takers = Math.floor(pe.size / 2);
    const putters = pe.size - takers;
    const items = takers === 0 ? 0 : play.turns * takers * putters;
    const mine = puts ? items / putters : items / takers;
    for (let turn = 0; turn < mine; turn++) {
      const held = play.blocks ? a.lock() : await a.lockAsync();
      const isFree = () => (puts ? (queue[LENGTH] as number) < 3 : (queue[LENGTH] as number) > 0);
      if (play.blocks) changed.wait(isFree);
      else await changed.waitAsync(isFree);
      (queue[LENGTH] as number) += puts ? 1 : -1;
      if (puts) (queue[SUM] as number)++;
      changed.notifyAll();
      held.unlock();
    }
    await pe.barrierAsync();
    assert.equal([queue[LENGTH], queue[SUM]], [0, items]);
    changed.leave();
    a.leave();
  },
  async once(pe, play) {
    for (let turn = 0; turn < Math.ceil(play.turns / 8); turn++) {
      const a = once(pe);
      const ran = await words(pe);
      const work = () => {
        (ran[0] as number)++;
      };
      const isMine = play.blocks ? a.run(work) : await a.runAsync(work);
      assert.is(ran[0], 1);
      assert.ok(a.isDone);
      assert.is(await pe.allreduceAsync(isMine ? 1 : 0, "sum"), 1);
      a.leave();
    }
  },
  async latch(pe, play) {
    for (let turn = 0; turn < Math.ceil(play.turns / 8); turn++) {
      const a = latch(pe, pe.size);
      const done = await words(pe);
      Atomics.add(done, 0, 1);
      a.countDown();
      if (play.blocks) a.wait();
      else await a.waitAsync();
      assert.is(Atomics.load(done, 0), pe.size);
      assert.is(a.left, 0);
      a.leave();
    }
  },
};

export const kinds: readonly Play["kind"][] = Object.keys(KINDS) as Kind[];

export async function playKind(pe: PE, play: Play): Promise<void> {
  await KINDS[play.kind](pe, play);
}
