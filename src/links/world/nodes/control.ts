/**
 * Control messages between the main threads of the nodes: which nodes are present, how the world ended, and that they
 * are alive.
 *
 *     hello   to all, when a world begins: what this node has
 *     mapped  to all, after the hellos: whether it has mapped the heaps of the other nodes of its machine
 *     domains to all, after that: which of its PEs are near each other
 *     window  to all, when a PE anywhere wants a window over all heaps: this node makes it when all have said so
 *     window made  to all, when this node has made it
 *     returned  to all, when the main of a PE has returned that still serves pushes of others
 *     lost    to all, when a PE is lost in a world that goes on without it
 *     lost node  to all, when a node does not answer, or has exited, in such a world
 *     end     to all, from the node where the world ended early: how, and the error
 *     gone    to all, when the threads of a node have ended
 *     bye     to all, when a process exits normally: it sends nothing more
 *     beat    periodically: each node is monitored by the one after it, and by those between that have left already
 *
 * Every message contains the world's number, so a message that arrives early is kept until its world begins.
 */

import { MpiError, WorldClosedError } from "../../../ground/base/errors.ts";
import { clearTimeout, monotonic, setTimeout } from "../../../ground/base/event-loop/timers.ts";
import { setting } from "../../../ground/base/settings.ts";
import type { Mpi } from "../../../machine/mpi/mpi.ts";
import type { Requests } from "../../../machine/mpi/requests.ts";
import { ReceiveRing } from "../../transport/messages/receive-ring.ts";
import { CONTROL_TAG } from "../../transport/messages/tags.ts";
import { Epoch, type EpochControl } from "./epoch.ts";
import type { ControlPayload } from "./said.ts";

interface Envelope {
  readonly epoch: number;
  readonly node: number;
  readonly said: ControlPayload;
}

/** A message to a node. */
interface ControlMessage {
  readonly node: number;
  readonly bytes: Uint8Array;
}

const SLOTS_IN = 4;
/** Bytes of a message: enough for thousands of CPUs, and for an error's account (ground/wait/layout.ts) in base64. */
const MESSAGE_BYTES = 65_536;
/** Time between two polls, ms. While the PEs work it is longer: a poll takes 0.1 ms of a PE's CPU. */
const POLL_MS = 5;
const CALM_MS = 20;
const BEAT_MS = 1000;
/** Longest time for sending `bye`, ms. */
const BYE_MS = 500;

function unlessMpiError(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof MpiError)) throw error;
  }
}

/** The main thread's control messages. */
export class Control implements EpochControl {
  readonly mpi: Mpi;
  readonly node: number;
  readonly nodes: number;
  readonly tagsUsed: Int32Array = new Int32Array(new SharedArrayBuffer(4));
  readonly #requests: Requests;
  readonly #ring: ReceiveRing;
  readonly #in: readonly Uint8Array[];
  readonly #free: number[] = [];
  readonly #queue: ControlMessage[] = [];
  readonly #looks = new Set<() => void>();
  #epoch: Epoch | null = null;
  #epochs = 0;
  /** Messages for worlds that have not begun here. */
  #early: Envelope[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** Whether the timer keeps the process alive. */
  #keeps = true;
  #beatAt = 0;
  /** The node that this one monitors. */
  #before = -1;
  /** By node: when a message of it came last. */
  readonly #heardAt: Float64Array;
  #failed = false;
  #settled = false;
  #cut = false;
  /** Nodes whose processes have exited. */
  readonly #exited = new Set<number>();
  /** Time without a message from the previous node after which that node counts as lost, ms. */
  readonly #patience: number;

  constructor(mpi: Mpi) {
    this.mpi = mpi;
    this.#patience = Number(setting("nodeTimeout")) || Number.POSITIVE_INFINITY;
    this.node = mpi.rank;
    this.nodes = mpi.size;
    this.#heardAt = new Float64Array(mpi.size);
    const out = 4 * this.nodes;
    this.#requests = mpi.requests(out);
    this.#in = Array.from({ length: SLOTS_IN }, () => new Uint8Array(new SharedArrayBuffer(MESSAGE_BYTES)));
    this.#ring = new ReceiveRing(mpi, this.#in, CONTROL_TAG);
    for (let slot = 0; slot < out; slot++) this.#free.push(slot);
  }

  /** Begins the next world. @throws WorldClosedError if one is running, or has failed: nodes may have left */
  begin(): Epoch {
    if (this.#epoch !== null || this.#failed) {
      throw new WorldClosedError(
        this.#failed
          ? "A world over several nodes has failed in this MPI job, so no other one can begin. End the process."
          : "A world over several nodes is running already. Under mpirun, launch worlds one after another.",
      );
    }
    const epoch = new Epoch(this, this.#epochs++);
    this.#epoch = epoch;
    this.#heardAt.fill(monotonic());
    this.#wind();
    const early = this.#early;
    this.#early = [];
    for (const envelope of early) this.#hear(envelope);
    return epoch;
  }

  /** Whether a world is running, so that PEs may be in MPI. */
  get isRunning(): boolean {
    return this.#epoch !== null;
  }

  /** Whether no world is running and all nodes know how the last one ended. */
  get isSettled(): boolean {
    return this.#epoch === null && this.#settled;
  }

  /** Whether a node was lost that does not answer. */
  get isCut(): boolean {
    return this.#cut;
  }

  /** Reports that this process is about to exit and receives nothing more. */
  bye(): void {
    clearTimeout(this.#timer);
    // a process that has exited cannot be notified; some libraries report that only now
    unlessMpiError(() => {
      this.sendToAll(this.#epochs, { kind: "bye" });
      const until = monotonic() + BYE_MS;
      while (this.#requests.active > 0 && monotonic() < until) this.#receive();
    });
    unlessMpiError(() => this.#ring.close());
  }

  /** Called when the world has ended. */
  close(epoch: Epoch): void {
    if (this.#epoch !== epoch) return;
    this.#epoch = null;
    this.#failed = epoch.end !== null;
    this.#cut =
      (epoch.silent >= 0 && !this.#exited.has(epoch.silent)) || [...epoch.cut].some((node) => !this.#exited.has(node));
    this.#settled = epoch.gone.every((gone, node) => gone || this.#exited.has(node));
    clearTimeout(this.#timer);
    this.#keeps = true;
  }

  /** Calls `look` periodically. */
  watch(look: () => void): void {
    this.#looks.add(look);
    if (this.#epoch === null) return;
    clearTimeout(this.#timer);
    this.#wind();
  }

  unwatch(look: () => void): void {
    this.#looks.delete(look);
  }

  sendToAll(epoch: number, said: ControlPayload): void {
    for (let node = 0; node < this.nodes; node++) if (node !== this.node) this.#encodeThrown(node, epoch, said);
  }

  #encodeThrown(node: number, epoch: number, said: ControlPayload): void {
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
    if (!this.#keeps) this.#timer.unref();
  }

  /** Whether the world keeps the process alive: not while an open one waits for its next run. */
  keep(keeps: boolean): void {
    this.#keeps = keeps;
    if (keeps) this.#timer?.ref();
    else this.#timer?.unref();
  }

  #turn(): void {
    this.#wind();
    this.#receive();
    this.#send();
    const epoch = this.#epoch;
    if (epoch !== null) this.#live(epoch);
    for (const look of [...this.#looks]) look();
    for (const look of [...(epoch?.looks ?? [])]) look();
  }

  #receive(): void {
    const { slots } = this.#requests;
    const count = this.#requests.test();
    for (let i = 0; i < count; i++) this.#free.push(slots[i]);
    for (let slot = this.#ring.look(); slot >= 0; slot = this.#ring.look()) {
      const text = Buffer.from(this.#in[slot].slice(0, this.#ring.bytes)).toString();
      this.#ring.again();
      this.#hear(JSON.parse(text) as Envelope);
    }
  }

  #hear(envelope: Envelope): void {
    const { node, said } = envelope;
    const epoch = this.#epoch;
    this.#heardAt[node] = monotonic();
    if (said.kind === "bye") this.#exited.add(node);
    else if (envelope.epoch >= this.#epochs) {
      this.#early.push(envelope);
    } else if (envelope.epoch === epoch?.number) epoch.hear(node, said);
  }

  /** The nearest node before this one that has not left. Also monitored once this node has left and waits. */
  #monitored(epoch: Epoch): number {
    let node = this.node;
    do node = (node + this.nodes - 1) % this.nodes;
    while (epoch.gone[node] && node !== this.node);
    return node;
  }

  /** Whose nearest one this node is: those after it, up to the first that has not left. */
  #monitors(epoch: Epoch): number[] {
    const found: number[] = [];
    for (let step = 1; step < this.nodes; step++) {
      const node = (this.node + step) % this.nodes;
      if (!this.#exited.has(node) && !epoch.cut.has(node)) found.push(node);
      if (!epoch.gone[node]) break;
    }
    return found;
  }

  #live(epoch: Epoch): void {
    const now = monotonic();
    for (const node of this.#exited) {
      if (epoch.gone[node] || epoch.end !== null) continue;
      const message = `The process of node ${node} has exited and is missing in this world: every process must call launch the same number of times.`;
      epoch.lose(node, message);
    }
    if (now - this.#beatAt >= BEAT_MS) {
      this.#beatAt = now;
      // one unsent beat is enough
      if (this.#queue.length === 0)
        for (const after of this.#monitors(epoch)) this.#encodeThrown(after, epoch.number, { kind: "beat" });
    }
    const before = this.#monitored(epoch);
    if (before !== this.#before) {
      // it may not know yet that this one monitors it
      this.#before = before;
      this.#heardAt[before] = now;
    }
    const silent = now - (this.#heardAt[before] as number);
    // a node that has not sent its hello is not late: it may do other work first
    if (epoch.hellos[before] === undefined || before === this.node || epoch.end !== null) return;
    if (silent < this.#patience) return;
    const message =
      `Node ${before} has sent no message for ${Math.round(silent / 1000)} s: it has died, it hangs, or the network to it is ` +
      "down. TUNDISH_NODE_TIMEOUT sets the limit (ms).";
    epoch.lose(before, message);
  }
}
