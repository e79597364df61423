/** What one process of an MPI job does in the tests of links: `node link.program.js beat COUNT` or `… rate LEAST,…`. Rank 0 prints lines of JSON. */
import { Mpi } from "../../../src/machine/mpi/mpi.ts";

/** More than what sockets and a limit's burst take at once. */
const MESSAGE = 1_048_576;
const MESSAGES = 8;
/** How often a rate is measured that is below what is expected: others use the CPUs too. */
const TRIES = 10;
/** Between two beats: few enough that a test sees them come one by one. */
const BEAT_MS = 20;

/** Waits for all requests; gives no way to anybody else, as a rank that waits does. */
function complete(requests: ReturnType<Mpi["requests"]>): void {
  while (requests.active > 0) requests.test();
}

/** MB/s from rank 0 to a peer, until the peer has answered that all has come. */
function rate(mpi: Mpi, peer: number): number {
  const requests = mpi.requests(MESSAGES + 1);
  const messages = Array.from({ length: MESSAGES }, () => new Uint8Array(MESSAGE));
  const answer = new Uint8Array(1);
  const started = performance.now();
  for (const [slot, message] of messages.entries()) {
    if (mpi.rank === 0) requests.send(slot, message, peer, slot);
    else requests.receive(slot, message, 0, slot);
  }
  if (mpi.rank === 0) requests.receive(MESSAGES, answer, peer, MESSAGES);
  complete(requests);
  if (mpi.rank !== 0) requests.send(MESSAGES, answer, 0, MESSAGES);
  complete(requests);
  return (MESSAGES * MESSAGE) / (performance.now() - started) / 1000;
}

function say(answer: object): void {
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}

/** All ranks hear from all, again and again: none of it passes a link that is cut. */
async function beat(mpi: Mpi, count: number): Promise<void> {
  for (let beat = 0; beat < count; beat++) {
    mpi.allgather(Uint8Array.of(beat & 0xff));
    if (mpi.rank === 0) say({ beat });
    await new Promise((resolve) => setTimeout(resolve, BEAT_MS));
  }
}

/** Says the rate to a peer, once it is at least as expected. All ranks wait meanwhile. */
function sayRate(mpi: Mpi, peer: number, least: number): void {
  for (let tries = TRIES; tries > 0; tries--) {
    const found = mpi.rank === 0 || mpi.rank === peer ? rate(mpi, peer) : 0;
    const [isOver] = mpi.allgather(Uint8Array.of(found > least || tries === 1 ? 1 : 0));
    if (isOver === 0) continue;
    if (mpi.rank === 0) say({ peer, rate: found });
    return;
  }
}

const [what, list = ""] = process.argv.slice(2);
const mpi = Mpi.open();
if (what === "beat") await beat(mpi, Number(list));
for (let peer = 1; what === "rate" && peer < mpi.size; peer++) {
  sayRate(mpi, peer, Number(list.split(",")[peer]));
}
mpi.barrier();
mpi.finalize();
