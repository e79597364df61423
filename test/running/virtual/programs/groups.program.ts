/**
 * One source for threads and virtual PEs: conveyors, biconveyors and a selector in groups that overlap, in an order that is not
 * that of the ranks, and while those of all PEs are used.
 */
import { biconveyor, conveyor, elasticConveyor, selector } from "../../../../src/conveyor.ts";
import { f64, type Group, type PE, type Spmd, spmd, u32 } from "../../../../src/index.ts";

const STOP = 40;

/** The sum of what its PEs push to each other, by batches and by advance. */
async function sums(group: Group): Promise<number[]> {
  const { rank, size } = group;
  const told: number[] = [];
  const c = conveyor(group, u32, { bufferBytes: 128, name: "group" });
  let sum = 0;
  for await (const { columns, count } of c.batches(async (push) => {
    for (let i = 0; i < STOP; i++) await push((rank + i) % size, 100 * rank + i);
  })) {
    for (let i = 0; i < count; i++) sum += columns[i] as number;
  }
  c.free();
  told.push(sum);

  const texts = elasticConveyor(group);
  let length = 0;
  await texts.beginAsync();
  for (let i = 0; await texts.advanceAsync(i === STOP); ) {
    // some of them larger than a buffer
    for (; i < STOP && texts.push(i % size, new Uint8Array(i === 7 ? 50_000 : i).fill(rank)); i++);
    while (texts.pull()) length += texts.bytes.length * (1 + (texts.bytes[0] ?? 0)) + texts.from;
  }
  texts.reset();
  told.push(length);
  return told;
}

async function replies(group: Group): Promise<number[]> {
  const { rank, size } = group;
  const c = biconveyor(group, u32, f64, (x, from) => 1000 * rank + 10 * from + x);
  const answers = await c.runAsync(() => c.askAll(Uint32Array.of(0, size - 1), Uint32Array.of(1, 2)));
  let sum = 0;
  const s = selector(group, { ask: u32, reply: f64 });
  await s.runAsync(
    async (send) => {
      for (let i = 0; i < STOP; i++) await send.ask(i % size, i);
    },
    {
      ask: (x, from) => s.send.reply(from, x + rank),
      reply: (x) => {
        sum += x;
      },
    },
  );
  return [...answers, sum];
}

/** What each group has told its PEs, and what all PEs have summed meanwhile. */
async function main(pe: PE): Promise<unknown> {
  const { rank, size } = pe;
  const told: unknown[] = [];
  const all = conveyor(pe, u32, { bufferBytes: 64 });
  await all.beginAsync();
  let pushed = 0;
  let sum = 0;
  const turn = async () => {
    const more = await all.advanceAsync(pushed === STOP);
    for (; pushed < STOP && all.push((rank * pushed) % size, pushed); pushed++);
    while (all.pull()) sum += all.item;
    return more;
  };
  const ranks = Array.from({ length: size }, (_, one) => size - 1 - one);
  const groups = [ranks.filter((one) => one !== 1), ranks.filter((one) => one !== 0), [rank]];
  for (const members of groups) {
    if (!members.includes(rank)) continue;
    // the second time it is another group of the same PEs
    for (let time = 0; time < 2; time++) {
      using group = pe.group(members);
      await turn();
      told.push(await sums(group), await replies(group));
    }
  }
  while (await turn());
  all.reset();
  return [...told, sum];
}

const program: Spmd = spmd(main);

export default program;
