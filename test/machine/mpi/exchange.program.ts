/**
 * What one process of an MPI job does in the tests: `node exchange.program.js WHAT`. Prints a line of JSON; an error by its code.
 */
import { isMainThread, Worker, workerData } from "node:worker_threads";
import { Mpi } from "../../../src/machine/mpi/mpi.ts";
import { Requests } from "../../../src/machine/mpi/requests.ts";
import { ROUNDS, SIZES } from "./exchange-sizes.ts";

const byteAt = (from: number, tag: number, i: number): number => (31 * from + 7 * tag + i) & 0xff;

/** Sends to all ranks, oneself among them, and receives from all, round after round, from shared memory into shared memory. */
function exchange(mpi: Mpi, thread: number): number {
  const { rank, size } = mpi;
  const most = Math.max(...SIZES);
  const requests = mpi.requests(2 * size);
  const memory = () => new Uint8Array(new SharedArrayBuffer(most));
  const [out, into] = [Array.from({ length: size }, memory), Array.from({ length: size }, memory)];
  let checked = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const bytes = SIZES[round % SIZES.length] as number;
    const tag = 1000 * thread + round;
    for (let peer = 0; peer < size; peer++) {
      requests.receive(peer, into[peer] as Uint8Array, round % 2 === 0 ? peer : -1, 100_000 * (peer + 1) + tag);
      const message = (out[peer] as Uint8Array).subarray(0, bytes);
      for (let i = 0; i < bytes; i++) message[i] = byteAt(rank, tag, i);
      requests.send(size + peer, message, peer, 100_000 * (rank + 1) + tag);
    }
    while (requests.active > 0) {
      const over = requests.test();
      for (let k = 0; k < over; k++) {
        const peer = requests.slots[k] as number;
        if (peer >= size) continue;
        const found = into[peer] as Uint8Array;
        if (requests.sources[k] !== peer || requests.bytes[k] !== bytes) {
          throw new Error(`from ${requests.sources[k]}: ${requests.bytes[k]} bytes; expected ${peer}, ${bytes}`);
        }
        for (let i = 0; i < bytes; i++) {
          if (found[i] !== byteAt(peer, tag, i)) throw new Error(`byte ${i} of ${bytes} from ${peer} is wrong`);
        }
        checked += bytes;
      }
    }
  }
  return checked;
}

/** Sends to all ranks what goes in pieces, and receives it from all; on top of it a message that needs one piece only. */
function exchangePieces(mpi: Mpi): number {
  const { rank, size } = mpi;
  const piece = 1000;
  const requests = new Requests(mpi, 4 * size, piece);
  let checked = 0;
  for (const bytes of [piece - 1, piece, piece + 1, 3 * piece, 70 * piece + 123]) {
    const lengths = [bytes, 5] as const;
    const outs = lengths.map((length) => new Uint8Array(new SharedArrayBuffer(length)));
    const intos = Array.from({ length: size }, () =>
      lengths.map((length) => new Uint8Array(new SharedArrayBuffer(length))),
    );
    for (const [k, out] of outs.entries()) {
      for (let i = 0; i < out.length; i++) out[i] = byteAt(rank, bytes + k, i);
      for (let peer = 0; peer < size; peer++) {
        requests.receive(2 * peer + k, intos[peer]?.[k] as Uint8Array, peer, 10 + k);
        const slot = 2 * size + 2 * peer + k;
        if (bytes % 2 === 0) requests.send(slot, out, peer, 10 + k);
        else requests.sendSynchronously(slot, out, peer, 10 + k);
      }
    }
    let over = 0;
    while (requests.active > 0) over += requests.test();
    if (over !== 4 * size) throw new Error(`${over} over, expected ${4 * size}`);
    for (const [peer, both] of intos.entries()) {
      for (const [k, into] of both.entries()) {
        for (const [i, byte] of into.entries()) {
          if (byte !== byteAt(peer, bytes + k, i)) throw new Error(`byte ${i} of ${bytes} from ${peer} is wrong`);
        }
        checked += into.length;
      }
    }
  }
  return checked;
}

function say(answer: object): void {
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}

/** Threads of one process that all use MPI at the same time. */
async function threads(mpi: Mpi): Promise<number> {
  const workers = [1, 2].map((thread) => new Worker(new URL(import.meta.url), { workerData: thread }));
  const checked = await Promise.all(
    workers.map(
      (worker) =>
        new Promise<number>((resolve, reject) => {
          worker.once("message", resolve);
          worker.once("error", reject);
        }),
    ),
  );
  mpi.barrier();
  return checked.reduce((sum, one) => sum + one, 0);
}

async function main(what: string): Promise<void> {
  const mpi = Mpi.open();
  const { rank, size } = mpi;
  if (what === "abort") {
    mpi.barrier();
    if (rank === 1) mpi.abort(17);
    mpi.barrier();
  }
  if (what === "wrong") {
    const codes: string[] = [];
    const requests = mpi.requests(1);
    for (const wrong of [() => requests.send(0, new Uint8Array(1), size, 0), () => Mpi.open()]) {
      try {
        wrong();
      } catch (error) {
        codes.push(`${(error as { code?: string }).code}: ${(error as Error).message}`);
      }
    }
    say({ rank, codes, active: requests.active });
  }
  if (what === "exchange") {
    const all = mpi.allgather(Uint8Array.of(rank, 10 * rank));
    const { version, isMultiple } = mpi;
    say({
      rank,
      size,
      isMultiple,
      version,
      yields: process.env.OMPI_MCA_mpi_yield_when_idle,
      all: [...all],
      checked: exchange(mpi, 0),
      pieces: exchangePieces(mpi),
    });
  }
  if (what === "threads")
    say({ rank, size, checked: await threads(mpi), yields: process.env.OMPI_MCA_mpi_yield_when_idle });
  mpi.barrier(); // nobody is to go whom others wait for
  mpi.finalize();
  mpi.finalize(); // does nothing
}

if (isMainThread) {
  main(process.argv[2] as string).catch((error: { code?: string; message: string }) => {
    say({ code: error.code, message: error.message });
    process.exitCode = 3;
  });
} else {
  const { parentPort } = await import("node:worker_threads");
  parentPort?.postMessage(exchange(Mpi.join(), workerData as number));
}
