/** One source for threads, MPI and virtual PEs: collectives, a group, conveyors and a selector, all of them awaited. */
import { biconveyor, conveyor, selector, valueConveyor } from "../../../../src/conveyor.ts";
import { allgatherAsync, allreduceAsync, barrierAsync, f64, type Spmd, spmd, u32 } from "../../../../src/index.ts";

const program: Spmd = spmd(async (pe) => {
  const { rank, size } = pe;
  const told: unknown[] = [];
  await pe.barrierAsync();
  told.push(await pe.broadcastAsync(rank === size - 1 ? "hello" : undefined, size - 1));
  told.push(await pe.allreduceAsync(Float64Array.of(rank, 1), "sum"));
  told.push(await pe.alltoallvAsync(Array.from({ length: size }, (_, to) => Uint16Array.of(rank, to))));
  pe.work(500);
  // the free functions, also after something else
  await barrierAsync();
  await new Promise((resolve) => setTimeout(resolve, rank % 3));
  told.push(await allreduceAsync(rank, "max"), await allgatherAsync(Uint8Array.of(rank)));

  const even = Array.from({ length: size }, (_, one) => one).filter((one) => one % 2 === 0);
  if (rank % 2 === 0) {
    using group = pe.group(even);
    told.push(await group.scanAsync(rank + 1, "prod"));
  }

  const c = conveyor(pe, u32, { bufferBytes: 256 });
  let sum = 0;
  await c.beginAsync();
  for (let i = 0; await c.advanceAsync(i === 300); ) {
    for (; i < 300 && c.push((rank + i) % size, i); i++);
    while (c.pull()) sum += c.item;
  }
  c.reset();
  for await (const { columns, count } of c.batches(async (push) => {
    for (let i = 0; i < 200; i++) await push(i % size, i);
  })) {
    for (let i = 0; i < count; i++) sum += columns[i] as number;
  }
  const notes = valueConveyor(pe, { bufferBytes: 256 });
  await notes.beginAsync();
  for (let i = 0; await notes.advanceAsync(i === 40); ) {
    for (; i < 40 && notes.push((rank + i) % size, { n: [i], text: "x".repeat(i * 10) }); i++);
    while (notes.pull()) {
      const { n, text } = notes.value as { n: [number]; text: string };
      sum += n[0] + text.length;
    }
  }
  notes.reset();
  told.push(sum);

  const squares = biconveyor(pe, u32, f64, (x) => x * x);
  told.push(await squares.runAsync(() => squares.askAll(Uint32Array.of(0, size - 1), Uint32Array.of(rank, 7))));

  let replies = 0;
  const actors = selector(pe, { ask: u32, reply: f64 });
  await actors.runAsync(
    async (send) => {
      for (let i = 0; i < 50; i++) await send.ask(i % size, i);
    },
    {
      ask: (x, from) => actors.send.reply(from, 2 * x),
      reply: (x) => {
        replies += x;
      },
    },
  );
  told.push(replies);
  return told;
});

export default program;
