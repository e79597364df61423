/**
 * A replicated key-value store under load: each loader sets and gets keys of 8 bytes with values of 16, and waits for each answer.
 *
 *     tundish run kvs.js -n 4 -- --replicas 3 --ops 10000 --clients 16
 *
 * The first PEs are the replicas, the others load; without others all do. `--clients` loaders in each of these PEs make `--ops` calls
 * together, of which 80 of 100 are gets, from the nearest replica's copy. Source: Smelt, 5.7. Checked: all replicas end
 * equal, and what each loader has set last under a key of its own is there.
 */
import type { PE, Spmd } from "tundish";
import { openStore, type Store, type StoreOptions } from "tundish/store";
import { oneOf, program, read, type Values, whole, word } from "./options.ts";

const OPTIONS = {
  replicas: whole(undefined, 1, 4096),
  clients: whole(16, 1, 2 ** 16),
  ops: whole(10_000, 1, 2 ** 31),
  keys: whole(1000, 1, 2 ** 24),
  gets: whole(80, 0, 100),
  log: word("a folder (default: no log)"),
  fsync: oneOf("always", "interval", "never"),
  dissemination: oneOf("sequential", "tree"),
  seed: whole(1, 0, 2 ** 32),
};

/** What PE 0 has to say of a run. */
interface KvsReport {
  readonly app: "kvs";
  readonly pes: number;
  readonly replicas: number;
  readonly clients: number;
  readonly ops: number;
  readonly seconds: number;
  readonly opsPerSecond: number;
  readonly setsPerSecond: number;
  /** Of a set, microseconds. */
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly most: number;
  readonly errors: number;
}

async function main(pe: PE, args: unknown): Promise<KvsReport | undefined> {
  const told = read(args, OPTIONS);
  const count = Math.min(told.replicas ?? 3, pe.size);
  const loaders = Array.from({ length: pe.size }, (_, rank) => rank).filter(
    (rank) => count === pe.size || rank >= count,
  );
  const isReplica = pe.rank < count;
  // a store that has a log still has what earlier runs have set
  const run = String(await pe.broadcastAsync(pe.rank === 0 ? Date.now() : 0));
  const store = openStore(pe, optionsOf(pe, told, count));
  const errors: string[] = [];

  const started = pe.now;
  let latencies: number[] = [];
  if (loaders.includes(pe.rank)) {
    latencies = await load(pe, store, told);
    await store.setAsync(`done ${pe.rank}`, run);
  }
  const seconds = (pe.now - started) / 1e9;
  let sum = 0;
  if (isReplica) {
    // when the last one is done, this copy has all that the loaders have set
    await store.serveAsync(() => loaders.every((rank) => store.get(`done ${rank}`) === run));
    sum = checksum(store);
    for (const rank of loaders) {
      for (let client = 0; client < told.clients; client++) {
        const key = `last ${rank} ${client}`;
        if (store.get(key) !== lastOf(told, client)) errors.push(`${key}: ${store.get(key)}`);
      }
    }
  }
  await store.closeAsync();

  const sums = await pe.allgatherAsync(Float64Array.of(sum));
  const differing = sums.slice(0, count).filter((one) => one !== sums[0]).length;
  const wrong = differing + (await pe.allreduceAsync(errors.length, "sum"));
  const all = (await pe.gatherAsync(Float64Array.from(latencies)))?.sort();
  const longest = await pe.allreduceAsync(loaders.includes(pe.rank) ? seconds : 0, "max");
  if (wrong > 0) throw new Error(`kvs: errors = ${wrong}, at ${pe.size} PEs: ${errors.slice(0, 3).join("; ")}`);
  if (pe.rank > 0 || all === undefined) return undefined;
  const at = (part: number) => Number(((all[Math.ceil(part * all.length) - 1] ?? 0) / 1000).toFixed(1));
  const ops = told.ops * loaders.length;
  return {
    ...({ app: "kvs", pes: pe.size, replicas: count, clients: told.clients * loaders.length, ops } as const),
    seconds: Number(longest.toPrecision(4)),
    opsPerSecond: Math.round(ops / longest),
    setsPerSecond: Math.round(all.length / longest),
    ...{ p50: at(0.5), p90: at(0.9), p99: at(0.99), most: at(1), errors: wrong },
  };
}

function optionsOf(pe: PE, { log, fsync, dissemination }: Values<typeof OPTIONS>, count: number): StoreOptions {
  const replicas = Array.from({ length: count }, (_, rank) => rank);
  return {
    replicas,
    agreement: { dissemination, ...(dissemination === "tree" && { treeFor: binaryTree(count) }) },
    ...(log !== undefined && { log: `${log}/${pe.rank}`, fsync }),
  };
}

/** The children of each replica, in a binary tree from any root. */
const binaryTree = (count: number) => (root: number) =>
  Array.from({ length: count }, (_, rank) => {
    const place = (rank - root + count) % count;
    return [2 * place + 1, 2 * place + 2].filter((one) => one < count).map((one) => (one + root) % count);
  });

/** Calls of one loader. */
const callsOf = ({ ops, clients }: Values<typeof OPTIONS>, client: number): number =>
  Math.floor((ops * (client + 1)) / clients) - Math.floor((ops * client) / clients);

/** What a loader sets last under its own key. */
const lastOf = (told: Values<typeof OPTIONS>, client: number): string => `${callsOf(told, client)} calls`;

/** Runs the loaders of this PE. @returns the times of the sets, ns */
async function load(pe: PE, store: Store, told: Values<typeof OPTIONS>): Promise<number[]> {
  const latencies: number[] = [];
  const client = async (number: number) => {
    let state = (told.seed + 7919 * (pe.rank * told.clients + number)) >>> 0;
    // xorshift
    const below = (n: number) => {
      state ^= state << 13;
      state ^= state >>> 17;
      state = (state ^ (state << 5)) >>> 0;
      return state % n;
    };
    state ||= 1;
    for (let call = callsOf(told, number); call > 0; call--) {
      const key = String(below(told.keys)).padStart(8, "k");
      if (below(100) < told.gets) {
        await store.getAsync(key);
        continue;
      }
      const value = `${pe.rank}.${number}.${call}`.padStart(16, ".");
      const began = pe.now;
      await store.setAsync(key, value);
      latencies.push(pe.now - began);
    }
    await store.setAsync(`last ${pe.rank} ${number}`, lastOf(told, number));
  };
  await Promise.all(Array.from({ length: told.clients }, (_, number) => client(number)));
  return latencies;
}

/** Of all keys and values, in their order. */
function checksum(store: Store): number {
  let sum = 0;
  for (const key of store.keys()) {
    const text = `${key}=${store.get(key)};`;
    for (let i = 0; i < text.length; i++) sum = (Math.imul(sum, 31) + text.charCodeAt(i)) | 0;
  }
  return sum;
}

const app: Spmd = program("kvs", OPTIONS, main);
export default app;
