/** Streams of items with what Node offers, as contenders, each with as many items as its speed allows. */
import { MessageChannel, type MessagePort } from "node:worker_threads";
import { sibling } from "../../src/ground/base/package-file.ts";
import { spawnThread } from "../../src/ground/base/thread/spawn.ts";
import { answersOf } from "../rivals/threads.ts";
import type { Contender } from "../turns/turns.ts";
import type { Size } from "./payloads.ts";
import { queueMemory } from "./shared-queue.ts";
import type { StreamAnswer, StreamJob } from "./streamer.ts";
import { whatOf } from "./variants.ts";

/** The programs, and the bytes and largest number of items of each thread in a batch, of 30 ms or more. */
const RIVALS: readonly { kind: StreamJob["kind"]; name: string; bytes: number; items: number }[] = [
  { kind: "items", name: "postMessage, a message for each item", bytes: 2 ** 20, items: 20_000 },
  { kind: "bundles", name: "postMessage, a message for 1000 items", bytes: 2 ** 23, items: 1e6 },
  { kind: "queues", name: "SharedArrayBuffer queue", bytes: 2 ** 23, items: 300_000 },
];

/** The amount of measurement. */
export interface StreamVolume {
  /** Bytes of an item. */
  readonly sizes: readonly Size[];
  readonly batches: number;
  /** Share of the usual number of items. */
  readonly share: number;
}

/** All of them, on these CPUs. */
export function streamRivals(cpus: readonly number[], { sizes, batches, share }: StreamVolume): Contender[] {
  return RIVALS.flatMap(({ kind, name, bytes, items: most }) =>
    sizes.map((size): Contender => {
      const items = Math.ceil(share * Math.min(most, bytes / size));
      const what = whatOf(size, cpus.length, cpus.length);
      return {
        name: `${name}, ${size} B`,
        run: async () => [{ name, what, batch: items, samples: await streamTimes(kind, cpus, size, items, batches) }],
      };
    }),
  );
}

/** ns per item of each batch. @throws Error if anything was lost */
async function streamTimes(
  kind: StreamJob["kind"],
  cpus: readonly number[],
  size: Size,
  items: number,
  batches: number,
): Promise<readonly number[]> {
  const pes = cpus.length;
  const doubles = size / 8;
  const ports = channels(pes);
  const shared = {
    kind,
    pes,
    doubles,
    items,
    batches,
    queues: cpus.map(() => queueMemory(doubles)),
    counter: new Int32Array(new SharedArrayBuffer(4)),
  };
  const threads = cpus.map((cpu, rank) => {
    const workerData: StreamJob = { ...shared, rank, cpu, ports: ports[rank] };
    return spawnThread({
      entry: sibling("./streamer.js", import.meta.url),
      workerData,
      name: `rival ${kind} ${rank}`,
      transferList: ports[rank].filter((port) => port !== null),
    });
  });
  const answers = await answersOf<StreamAnswer>(threads);
  const total = (of: "sent" | "received") => answers.reduce((sum, answer) => sum + answer[of], 0);
  if (total("sent") === total("received")) return answers[0].samples;
  throw new Error(`expected items with the sum ${total("sent")}, got ${total("received")}`);
}

/** By rank and rank: the ports from one to the other. */
function channels(pes: number): (MessagePort | null)[][] {
  const ports = Array.from({ length: pes }, () => new Array<MessagePort | null>(pes).fill(null));
  for (let a = 0; a < pes; a++) {
    for (let b = 0; b < a; b++) {
      const { port1, port2 } = new MessageChannel();
      ports[a][b] = port1;
      ports[b][a] = port2;
    }
  }
  return ports;
}
