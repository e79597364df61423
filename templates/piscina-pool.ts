// A pool of piscina whose threads join a world: one task for each PE, which work together; then ordinary tasks again.
import { availableParallelism } from "node:os";
import { Piscina } from "piscina";
import { createWorld, isEntry, join, type Ticket } from "tundish";

type Task = { ticket: Ticket; points: number };

/** A task of the pool: its thread is a PE meanwhile. @returns pi, as all PEs together find it */
export async function together({ ticket, points }: Task): Promise<number> {
  const pe = await join(ticket);
  try {
    const inside = pe.allreduce(countInside(points, 1 + pe.rank), "sum"); // blocks this thread, as any computation does
    return (4 * inside) / (points * pe.size);
  } finally {
    pe.leave(); // after an error, too: then the other PEs' waits end with one that names this PE
  }
}

/** An ordinary task. */
export default function alone(points: number): number {
  return (4 * countInside(points, 1)) / points;
}

/** How many of some random points in a square are in the circle. */
function countInside(points: number, seed: number): number {
  let inside = 0;
  const random = () => {
    seed = (48271 * seed) % 2147483647;
    return seed / 2147483647;
  };
  for (let i = 0; i < points; i++) if (random() ** 2 + random() ** 2 < 1) inside++;
  return inside;
}

/** Threads of Node 20 read TypeScript only where each of them registers tsx. */
function loading(): string[] {
  if (!import.meta.url.endsWith("ts")) return [];
  const code = `import { register } from ${JSON.stringify(import.meta.resolve("tsx/esm/api"))}; register();`;
  return ["--import", `data:text/javascript,${encodeURIComponent(code)}`];
}

// the pool's threads import this file as well: only the main thread makes the pool
if (isEntry(import.meta)) {
  const pes = Math.max(2, availableParallelism());
  // as many free threads as PEs, as their tasks wait for each other
  const pool = new Piscina({
    filename: import.meta.url,
    minThreads: pes,
    maxThreads: pes,
    execArgv: loading(),
  });
  const host = await createWorld({ pes, waitTimeout: 60_000 });
  const task = (rank: number): Task => ({ ticket: host.ticket(rank), points: 10_000_000 });
  const results = await Promise.all(
    Array.from({ length: pes }, (_, rank) => pool.run(task(rank), { name: "together" })),
  );
  host.close();
  console.log(`${pes} PEs: pi is about ${results[0].toFixed(4)}`);
  console.log(`a task by itself: about ${(await pool.run(1_000_000)).toFixed(2)}`);
  await pool.destroy();
}
