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

import { MpiError, WorldClosedError } from "../../base/errors.ts";
import { setting } from "../../base/settings.ts";
import type { Mpi } from "../../mpi/mpi.ts";
import type { Requests } from "../../mpi/requests.ts";
import { ReceiveRing } from "../../transport/messages/receive-ring.ts";
import { CONTROL_TAG } from "../../transport/messages/tags.ts";
import { Epoch, type EpochControl, lost, type Said } from "./epoch.ts";

interface Envelope {
  readonly epoch: number;
  readonly node: number;
  readonly said: Said;
}

/** What is to be sent to a node. */
interface ControlMessage {
  readonly node: number;
  readonly bytes: Uint8Array;
}

const SLOTS_IN = 4;
/** Bytes of a message: a list of thousands of CPUs fits, and an account of an error (wait/layout.ts) in base64. */
const MESSAGE_BYTES = 65_536;
/** Time between two looks, ms: while something is waited for, and while the PEs work, on whose CPUs a look takes 0.1 ms. */
const POLL_MS = 5;
const CALM_MS = 20;
const BEAT_MS = 1000;
/** How long the word of an exit may take, ms. */
const BYE_MS = 500;

function unlessMpiError(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof MpiError)) throw error;
  }
}

/** The main thread's messages. */
export class Control implements EpochControl {
  readonly mpi: Mpi;
  readonly node: number;
  readonly nodes: number;
  readonly tagsUsed: Int32Array = new Int32Array(new SharedArrayBuffer(4));
  readonly #requests: Requests;
  readonly #notify: ReceiveRing;
  readonly #in: readonly Uint8Array[];
  readonly #lengths = new Int32Array(SLOTS_IN);
  readonly #free: number[] = [];
  readonly #queue: ControlMessage[] = [];
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
    this.#patience = Number(setting("nodeTimeout")) || Number.POSITIVE_INFINITY;
    this.node = mpi.rank;
    this.nodes = mpi.size;
    const out = 4 * this.nodes;
    this.#requests = mpi.requests(SLOTS_IN + out);
    this.#in = Array.from({ length: SLOTS_IN }, () => new Uint8Array(new SharedArrayBuffer(MESSAGE_BYTES)));
    this.#notify = new ReceiveRing(this.#requests, this.#in, CONTROL_TAG);
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
    this.#wind();
    const early = this.#early;
    this.#early = [];
    for (const envelope of early) this.#hear(envelope);
    return epoch;
  }

  /** Whether a world is under way, so that PEs may be in MPI. */
  get isRunning(): boolean {
    return this.#epoch !== null;
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
    clearTimeout(this.#timer);
    // who has exited before cannot be told, which some libraries say only now, and need not be
    unlessMpiError(() => {
      this.tellAll(this.#epochs, { kind: "bye" });
      const until = performance.now() + BYE_MS;
      while (this.#requests.active > SLOTS_IN && performance.now() < until) this.#receive();
    });
    unlessMpiError(() => {
      this.#notify.cancel();
      this.#requests.test();
    });
  }

  /** @internal the world is over */
  close(epoch: Epoch): void {
    if (this.#epoch !== epoch) return;
    this.#epoch = null;
    this.#failed = epoch.end !== null;
    this.#cut = epoch.silent >= 0 && !this.#exited.has(epoch.silent);
    this.#settled = epoch.gone.every((gone, node) => gone || this.#exited.has(node));
    clearTimeout(this.#timer);
  }

  /** @internal calls `look` now and then */
  watch(look: () => void): void {
    this.#looks.add(look);
    if (this.#epoch === null) return;
    clearTimeout(this.#timer);
    this.#wind();
  }

  /** @internal */
  unwatch(look: () => void): void {
    this.#looks.delete(look);
  }

  /** @internal */
  tellAll(epoch: number, said: Said): void {
    for (let node = 0; node < this.nodes; node++)
      if (node !== this.node) this.#encodeThrown(node, epoch, said);
  }

  #encodeThrown(node: number, epoch: number, said: Said): void {
    const text = Buffer.from(JSON.stringify({ epoch, node: this.node, said } satisfies Envelope));
    const bytes = new Uint8Array(new SharedArrayBuffer(text.length));
    bytes.set(text);
    this.#queue.push({ node, bytes });
    this.#send();
  }

  #send(): void {
    while (this.#queue.length > 0 && this.#free.length > 0) {
      const { node, bytes } = this.#queue.shift() as ControlMessage;
      const slot = this.#free.pop() as number;
      this.#requests.send(slot, bytes, node, CONTROL_TAG);
    }
  }

  #wind(): void {
    this.#timer = setTimeout(() => this.#turn(), this.#looks.size > 0 ? POLL_MS : CALM_MS);
  }

  #turn(): void {
    this.#wind();
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
        this.#notify.came(slot);
      } else {
        this.#free.push(slot);
      }
    }
    for (let slot = this.#notify.next(); slot >= 0; slot = this.#notify.next()) {
      const text = Buffer.from(this.#in[slot].slice(0, this.#lengths[slot])).toString();
      this.#notify.again();
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
      if (this.#queue.length === 0)
        this.#encodeThrown((this.node + 1) % this.nodes, epoch.number, { kind: "beat" });
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
