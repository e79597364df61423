/**
 * What the main threads of the nodes tell each other: who is there, how the world has ended, and that they live.
 *
 *     hello   to all, when a world begins: what this node has
 *     end     to all, from the node where the world ended before its time: how, and the error
 *     gone    to all, when the threads of a node have ended
 *     bye     to all, when a process exits well: it takes part in nothing more
 *     beat    to the next node, once in a while: so each node is missed by the one after it
 *
 * Every message names the world by its number, so one that comes early waits for its world.
 */

import type { FarCosts } from "../collectives/cluster/part-tree.ts";
import { UsageError, WorldClosedError } from "../errors.ts";
import type { Mpi } from "../mpi/mpi.ts";
import type { Requests } from "../mpi/requests.ts";
import { setting } from "../settings.ts";
import { encodeVerdict, inWords } from "../wait/account.ts";
import type { EndRecord } from "../wait/fate.ts";
import { FATE_TEXT_BYTES, LOST } from "../wait/layout.ts";
import { ReceiveRing } from "./receive-ring.ts";
import { CONTROL_TAG } from "./tags.ts";

/** What a node says of itself at the start. */
export interface Hello {
  /** PEs that it was told to have; null when it was not. */
  readonly pes: number | null;
  /** CPUs that it can use, in order, as many as it is given the time of. */
  readonly cpus: readonly number[];
  /** The same for nodes on one machine. */
  readonly host: string;
  /** Whether its PEs compare their calls. */
  readonly checks: boolean;
  /** What messages cost, as far as it knows; that of node 0 counts, so that all have the same trees. */
  readonly costs: FarCosts;
}

type Said =
  | { readonly kind: "hello"; readonly hello: Hello }
  | { readonly kind: "end"; readonly end: EndRecord; readonly silent: number }
  | { readonly kind: "gone" }
  | { readonly kind: "bye" }
  | { readonly kind: "beat" };

interface Envelope {
  readonly epoch: number;
  readonly node: number;
  readonly said: Said;
}

/** What is to be sent to a node. */
interface Parcel {
  readonly node: number;
  readonly bytes: Uint8Array;
}

const SLOTS_IN = 4;
/** Bytes of a message: a list of thousands of CPUs fits, and an account of an error (wait/layout.ts), escaped. */
const MESSAGE_BYTES = 65_536;
const POLL_MS = 5;
const BEAT_MS = 1000;
/** How long the word of an exit may take, ms. */
const BYE_MS = 500;
/** How long a node that has ended waits for the others when the world has failed, ms. */
const END_PATIENCE_MS = 5000;

/** The end of a world that lacks something. */
const lost = (rank: number, message: string, cause?: unknown): EndRecord => {
  const account = encodeVerdict({ rank, message, cause }, FATE_TEXT_BYTES);
  return { ending: LOST, rank, text: new TextDecoder().decode(account) };
};

/** One world of this job, for the main thread of a node. */
export class Epoch {
  readonly number: number;
  readonly #control: Control;
  readonly hellos: (Hello | undefined)[];
  readonly gone: boolean[];
  /** How another node says that the world has ended; the first to come. */
  end: EndRecord | null = null;
  /** The node that was lost then, and is not waited for; -1 for none. */
  silent = -1;
  /** The first rank of each node, once it is known. */
  starts: readonly number[] | null = null;
  /** Called now and then, when something may have come. */
  onNews: () => void = () => {};
  #left = false;

  /** @internal */
  constructor(control: Control, number: number) {
    this.#control = control;
    this.number = number;
    this.hellos = new Array<Hello | undefined>(control.nodes).fill(undefined);
    this.gone = new Array<boolean>(control.nodes).fill(false);
  }

  get node(): number {
    return this.#control.node;
  }

  get mpi(): Mpi {
    return this.#control.mpi;
  }

  /** Says what this node has; resolves with what all have. @throws the reason of `stop`, or what ended the world */
  async meet(hello: Hello, stop: AbortSignal): Promise<readonly Hello[]> {
    this.hellos[this.node] = hello;
    this.#control.tellAll(this.number, { kind: "hello", hello });
    await this.#until(() => this.end !== null || this.hellos.every((one) => one !== undefined), stop);
    return this.hellos as Hello[];
  }

  /**
   * Says that the world has ended, unless another node has.
   * @param silent the node that does not answer; -1 for none
   */
  tellEnd(end: EndRecord, silent = -1): void {
    if (this.end !== null) return;
    this.end = end;
    this.silent = silent;
    this.#control.tellAll(this.number, { kind: "end", end, silent });
  }

  /** Says that this node could not go on, unless the world has ended already. */
  fail(error: Error): void {
    const rank = this.starts?.[this.node] ?? -1;
    this.tellEnd(lost(rank, `Node ${this.node} could not start the world: ${inWords(error)}`, error));
  }

  /**
   * Says that this node has come to its end; resolves when all have, or when the world has failed and they have had
   * the time to learn of it. Once more does nothing.
   */
  async leave(): Promise<void> {
    if (this.#left) return;
    this.#left = true;
    this.gone[this.node] = true;
    this.#control.tellAll(this.number, { kind: "gone" });
    let since = 0;
    await this.#until(() => {
      if (this.end !== null) since ||= performance.now();
      const left = this.gone.every((gone, node) => gone || node === this.silent);
      return left || (since > 0 && performance.now() - since > END_PATIENCE_MS);
    });
    this.#control.close(this);
  }

  #until(ready: () => boolean, stop?: AbortSignal): Promise<void> {
    const control = this.#control;
    return new Promise((resolve, reject) => {
      const look = () => {
        if (ready()) resolve();
        else if (stop?.aborted) reject(stop.reason as Error);
        else return;
        control.unwatch(look);
        stop?.removeEventListener("abort", look);
      };
      control.watch(look);
      stop?.addEventListener("abort", look);
      look();
    });
  }
}

/** The main thread's messages. */
export class Control {
  readonly mpi: Mpi;
  readonly node: number;
  readonly nodes: number;
  readonly #requests: Requests;
  readonly #ring: ReceiveRing;
  readonly #in: readonly Uint8Array[];
  readonly #lengths = new Int32Array(SLOTS_IN);
  /** By slot: what is being sent. */
  readonly #out: (Uint8Array | undefined)[] = [];
  readonly #free: number[] = [];
  readonly #queue: Parcel[] = [];
  readonly #looks = new Set<() => void>();
  #epoch: Epoch | null = null;
  #epochs = 0;
  /** Messages of worlds that have not begun here. */
  #early: Envelope[] = [];
  #timer: NodeJS.Timeout | undefined;
  #beatAt = 0;
  #heardAt = 0;
  #failed = false;
  #settled = false;
  #cut = false;
  /** Nodes whose processes have exited. */
  readonly #exited = new Set<number>();
  /** Silence of the node before this one after which it is lost, ms. */
  readonly #patience: number;

  constructor(mpi: Mpi) {
    this.mpi = mpi;
    const patience = Number(setting("nodeTimeout"));
    if (!(patience >= 0)) {
      throw new UsageError(
        `TUNDISH_NODE_TIMEOUT: expected milliseconds, or 0 for no limit, got ${setting("nodeTimeout")}`,
      );
    }
    this.#patience = patience || Number.POSITIVE_INFINITY;
    this.node = mpi.rank;
    this.nodes = mpi.size;
    const out = 4 * this.nodes;
    this.#requests = mpi.requests(SLOTS_IN + out);
    this.#in = Array.from({ length: SLOTS_IN }, () => new Uint8Array(new SharedArrayBuffer(MESSAGE_BYTES)));
    this.#ring = new ReceiveRing(this.#requests, this.#in, CONTROL_TAG);
    for (let slot = 0; slot < out; slot++) this.#free.push(SLOTS_IN + slot);
  }

  /**
   * Begins the next world.
   * @throws WorldClosedError when there is one, or when one has failed: nodes may have left since
   */
  begin(): Epoch {
    if (this.#epoch !== null || this.#failed) {
      throw new WorldClosedError(
        this.#failed
          ? "A world over several nodes has failed in this MPI job, so no other can begin: end the process."
          : "A world over several nodes is running already; launch one after the other under mpirun.",
      );
    }
    const epoch = new Epoch(this, this.#epochs++);
    this.#epoch = epoch;
    this.#heardAt = performance.now();
    this.#timer = setInterval(() => this.#turn(), POLL_MS);
    const early = this.#early;
    this.#early = [];
    for (const envelope of early) this.#hear(envelope);
    return epoch;
  }

  /** Whether no world is under way, and all nodes know how the last one ended. */
  get isSettled(): boolean {
    return this.#epoch === null && this.#settled;
  }

  /** Whether a node has been lost that did not answer. */
  get isCut(): boolean {
    return this.#cut;
  }

  /** Says that this process is about to exit, and receives nothing more. */
  bye(): void {
    clearInterval(this.#timer);
    this.tellAll(this.#epochs, { kind: "bye" });
    const until = performance.now() + BYE_MS;
    while (this.#requests.active > SLOTS_IN && performance.now() < until) this.#receive();
    this.#ring.cancel();
    this.#requests.test();
  }

  /** @internal the world is over */
  close(epoch: Epoch): void {
    if (this.#epoch !== epoch) return;
    this.#epoch = null;
    this.#failed = epoch.end !== null;
    this.#cut = epoch.silent >= 0 && !this.#exited.has(epoch.silent);
    this.#settled = epoch.gone.every((gone, node) => gone || this.#exited.has(node));
    clearInterval(this.#timer);
  }

  /** @internal calls `look` now and then */
  watch(look: () => void): void {
    this.#looks.add(look);
  }

  /** @internal */
  unwatch(look: () => void): void {
    this.#looks.delete(look);
  }

  /** @internal */
  tellAll(epoch: number, said: Said): void {
    for (let node = 0; node < this.nodes; node++) if (node !== this.node) this.#tell(node, epoch, said);
  }

  #tell(node: number, epoch: number, said: Said): void {
    const text = Buffer.from(JSON.stringify({ epoch, node: this.node, said } satisfies Envelope));
    const bytes = new Uint8Array(new SharedArrayBuffer(text.length));
    bytes.set(text);
    this.#queue.push({ node, bytes });
    this.#send();
  }

  #send(): void {
    while (this.#queue.length > 0 && this.#free.length > 0) {
      const { node, bytes } = this.#queue.shift() as Parcel;
      const slot = this.#free.pop() as number;
      // kept until it has gone: MPI reads it meanwhile
      this.#out[slot] = bytes;
      this.#requests.send(slot, bytes, node, CONTROL_TAG);
    }
  }

  #turn(): void {
    this.#receive();
    this.#send();
    const epoch = this.#epoch;
    if (epoch !== null) this.#live(epoch);
    for (const look of [...this.#looks]) look();
    epoch?.onNews();
  }

  #receive(): void {
    const { slots, bytes } = this.#requests;
    const count = this.#requests.test();
    for (let i = 0; i < count; i++) {
      const slot = slots[i];
      if (slot < SLOTS_IN) {
        this.#lengths[slot] = bytes[i];
        this.#ring.came(slot);
      } else {
        this.#out[slot] = undefined;
        this.#free.push(slot);
      }
    }
    for (let slot = this.#ring.next(); slot >= 0; slot = this.#ring.next()) {
      const text = Buffer.from(this.#in[slot].slice(0, this.#lengths[slot])).toString();
      this.#ring.again();
      this.#hear(JSON.parse(text) as Envelope);
    }
  }

  #hear(envelope: Envelope): void {
    const { node, said } = envelope;
    const epoch = this.#epoch;
    if (node === this.#before) this.#heardAt = performance.now();
    if (said.kind === "bye") this.#exited.add(node);
    else if (envelope.epoch >= this.#epochs) {
      this.#early.push(envelope);
    } else if (envelope.epoch === epoch?.number) {
      if (said.kind === "hello") epoch.hellos[node] = said.hello;
      else if (said.kind === "gone") epoch.gone[node] = true;
      else if (said.kind === "end" && epoch.end === null) {
        epoch.end = said.end;
        epoch.silent = said.silent;
      }
    }
  }

  /** The node that this one misses when nothing comes. */
  get #before(): number {
    return (this.node + this.nodes - 1) % this.nodes;
  }

  #live(epoch: Epoch): void {
    const now = performance.now();
    for (const node of this.#exited) {
      if (epoch.gone[node] || epoch.end !== null) continue;
      const message = `The process of node ${node} has exited, and is missed in this world: every process calls launch as often.`;
      epoch.tellEnd(lost(epoch.starts?.[node] ?? -1, message), node);
    }
    if (now - this.#beatAt >= BEAT_MS) {
      this.#beatAt = now;
      // one that has not gone says as much as two
      if (this.#queue.length === 0) this.#tell((this.node + 1) % this.nodes, epoch.number, { kind: "beat" });
    }
    const silent = now - this.#heardAt;
    const before = this.#before;
    // one that has not come yet is not missed: it may have other things to do first
    if (epoch.hellos[before] === undefined || epoch.gone[before] || epoch.end !== null) return;
    if (silent < this.#patience) return;
    const message =
      `Node ${before} has not been heard of for ${Math.round(silent / 1000)} s: it has died, or hangs, or the link to it is ` +
      "down. TUNDISH_NODE_TIMEOUT sets how long that may be (ms).";
    epoch.tellEnd(lost(epoch.starts?.[before] ?? -1, message), before);
  }
}
