/**
 * MPI within one thread, for tests: what one process sends lies in the network until the receiver looks, a few messages at a look.
 *
 * As in Open MPI: a test that finds nothing over takes some messages from the network, which the next test then finds; a message for
 * which no receive is under way is kept until there is one.
 */
import type { Mpi } from "../../src/machine/mpi/mpi.ts";
import type { Requests } from "../../src/machine/mpi/requests.ts";

interface Sent {
  readonly from: number;
  readonly tag: number;
  readonly content: Uint8Array;
  onReceive(): void;
}

interface Receive {
  readonly source: number;
  readonly tag: number;
  readonly into: Uint8Array;
  over(message: Sent | null): void;
}

/** Messages that one look takes from the network. */
const AT_ONCE = 4;

const fits = ({ source, tag }: Receive, sent: Sent): boolean =>
  tag === sent.tag && (source < 0 || source === sent.from);

/** One process's end. */
class Port {
  readonly coming: Sent[] = [];
  readonly #unexpected: Sent[] = [];
  readonly #receives: Receive[] = [];

  progress(): void {
    for (const sent of this.coming.splice(0, AT_ONCE)) {
      const at = this.#receives.findIndex((receive) => fits(receive, sent));
      if (at < 0) this.#unexpected.push(sent);
      else this.#meet(this.#receives.splice(at, 1)[0] as Receive, sent);
    }
  }

  post(receive: Receive): void {
    const at = this.#unexpected.findIndex((sent) => fits(receive, sent));
    if (at < 0) this.#receives.push(receive);
    else this.#meet(receive, this.#unexpected.splice(at, 1)[0] as Sent);
  }

  cancel(receive: Receive): void {
    const at = this.#receives.indexOf(receive);
    if (at < 0) return;
    this.#receives.splice(at, 1);
    receive.over(null);
  }

  #meet(receive: Receive, sent: Sent): void {
    receive.into.set(sent.content);
    sent.onReceive();
    receive.over(sent);
  }
}

/** The requests of one thread of a process. */
class PlayedRequests {
  active = 0;
  readonly slots: Int32Array;
  readonly sources: Int32Array;
  readonly tags: Int32Array;
  readonly bytes: Int32Array;
  readonly #network: Network;
  readonly #rank: number;
  readonly #receives: (Receive | undefined)[] = [];
  readonly #prepared: (() => void)[] = [];
  #over: { readonly slot: number; readonly message: Sent | null }[] = [];

  constructor(network: Network, rank: number, size: number) {
    this.#network = network;
    this.#rank = rank;
    [this.slots, this.sources, this.tags, this.bytes] = [0, 0, 0, 0].map(() => new Int32Array(size));
  }

  send(slot: number, bytes: Uint8Array, dest: number, tag: number, length: number = bytes.length, start = 0): void {
    this.active++;
    this.#network.send(
      dest,
      this.#message(bytes.slice(start, start + length), tag, () => {}),
    );
    this.#over.push({ slot, message: null });
  }

  sendSynchronously(slot: number, bytes: Uint8Array, dest: number, tag: number): void {
    this.active++;
    const onReceive = () => void this.#over.push({ slot, message: null });
    this.#network.send(dest, this.#message(bytes.slice(), tag, onReceive));
  }

  #message(content: Uint8Array, tag: number, onReceive: () => void): Sent {
    return { from: this.#rank, tag, content, onReceive };
  }

  receive(slot: number, into: Uint8Array, source: number, tag: number): void {
    this.active++;
    const over = (message: Sent | null) => void this.#over.push({ slot, message });
    const receive = { source, tag, into, over };
    this.#receives[slot] = receive;
    this.#network.ports[this.#rank]?.post(receive);
  }

  cancel(slot: number): void {
    if (!this.#network.hangs) this.#network.ports[this.#rank]?.cancel(this.#receives[slot] as Receive);
  }

  prepare(slot: number, into: Uint8Array, source: number, tag: number): void {
    this.#prepared[slot] = () => this.receive(slot, into, source, tag);
  }

  start(slot: number): void {
    this.#prepared[slot]?.();
  }

  unprepare(): void {
    this.#prepared.length = 0;
  }

  testOne(slot: number): boolean {
    const isOver = ({ slot: other }: { readonly slot: number }) => other === slot;
    if (!this.#over.some(isOver)) this.#network.ports[this.#rank]?.progress();
    const at = this.#over.findIndex(isOver);
    if (at < 0) return false;
    this.bytes[0] = this.#over[at]?.message?.content.length ?? 0;
    this.#over.splice(at, 1);
    this.active--;
    return true;
  }

  test(): number {
    const over = this.#over;
    this.#over = [];
    if (over.length === 0) this.#network.ports[this.#rank]?.progress();
    for (const [i, { slot, message }] of over.entries()) {
      this.slots[i] = slot;
      this.sources[i] = message?.from ?? -1;
      this.tags[i] = message?.tag ?? -1;
      this.bytes[i] = message?.content.length ?? 0;
    }
    this.active -= over.length;
    return over.length;
  }
}

export class Network {
  readonly ports: readonly Port[];
  /** Whether what is cancelled never ends, as a receive whose message has begun to come from a process that is no more. */
  hangs = false;

  constructor(processes: number) {
    this.ports = Array.from({ length: processes }, () => new Port());
  }

  send(dest: number, sent: Sent): void {
    this.ports[dest]?.coming.push(sent);
  }

  /** MPI as mailboxes and wires of a process use it. */
  mpi(rank: number): Mpi {
    const requests = (size: number) => new PlayedRequests(this, rank, size) as unknown as Requests;
    return { rank, size: this.ports.length, requests } as unknown as Mpi;
  }
}
