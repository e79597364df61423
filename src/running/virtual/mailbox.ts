/**
 * The mailbox of a virtual PE: messages to PEs of other nodes, over the network of the simulator, where they queue and
 * wait with those of conveyors.
 *
 * Limits: the content is copied when it is sent, so a sender never waits for room.
 */
import { UsageError } from "../../ground/base/errors.ts";
import { Fifo } from "../../ground/base/fifo.ts";
import { HEAD_BYTES } from "../../links/transport/messages/layout.ts";
import type { Envelope, Transfer } from "../../links/transport/messages/mailbox.ts";
import { MismatchProbes } from "../../links/transport/messages/mismatch-probe.ts";
import type { Post } from "../../links/transport/messages/post.ts";
import type { StreamMessage } from "../../links/transport/messages/unexpected-queue.ts";
import type { Mpi } from "../../machine/mpi/mpi.ts";
import type { VirtualMachine } from "../simulate/machine.ts";
import type { VirtualPE } from "../simulate/virtual-pe.ts";
import type { VirtualHeap } from "./heap.ts";

const OVER: Transfer = { over: true };

/** Received messages, by stream and sender. */
class Received {
  /** Number of messages received, ever. */
  kept = 0;
  readonly #machine: VirtualMachine;
  readonly #heap: VirtualHeap;
  readonly #pe: VirtualPE;
  readonly #queues = new Map<number, Map<number, Fifo<StreamMessage>>>();

  constructor(machine: VirtualMachine, heap: VirtualHeap, pe: VirtualPE) {
    this.#machine = machine;
    this.#heap = heap;
    this.#pe = pe;
  }

  add(stream: number, message: StreamMessage): void {
    this.kept++;
    const senders = this.#queues.get(stream) ?? new Map<number, Fifo<StreamMessage>>();
    this.#queues.set(stream, senders);
    const queue = senders.get(message.from) ?? new Fifo<StreamMessage>();
    senders.set(message.from, queue);
    queue.add(message);
  }

  count(stream: number, from: number): number {
    return this.#queues.get(stream)?.get(from)?.length ?? 0;
  }

  take(stream: number, from: number): StreamMessage | undefined {
    const queue = this.#queues.get(stream)?.get(from);
    const message = queue?.first;
    if (message === undefined) return undefined;
    queue?.leave();
    this.#pe.clock += this.#machine.messages.receiving(this.#machine.pes[from], this.#pe);
    return message;
  }

  drop(stream: number): void {
    this.#queues.delete(stream);
  }

  copy(message: StreamMessage, address: number): void {
    this.#heap.u8.set(this.content(message), address);
  }

  content({ aside }: StreamMessage): Uint8Array {
    return aside ?? new Uint8Array(0);
  }
}

/** One PE's messages. */
export class VirtualMailbox implements Post {
  readonly unexpected: Received;
  readonly probes: MismatchProbes = new MismatchProbes();
  readonly finds = 0;
  readonly hasRings = false;
  readonly #machine: VirtualMachine;
  readonly #heap: VirtualHeap;
  readonly #pe: VirtualPE;
  /** By rank in the world. */
  readonly #mailboxes: readonly VirtualMailbox[];
  /** By receiver: when the last message arrives. */
  readonly #times = new Map<number, Float64Array>();
  /** By receiver: messages that have not arrived. */
  readonly #flying = new Map<number, number>();

  constructor(machine: VirtualMachine, heap: VirtualHeap, pe: VirtualPE, mailboxes: readonly VirtualMailbox[]) {
    this.unexpected = new Received(machine, heap, pe);
    this.#machine = machine;
    this.#heap = heap;
    this.#pe = pe;
    this.#mailboxes = mailboxes;
  }

  get mpi(): Mpi {
    throw new UsageError('algorithm: virtual PEs have no MPI library, so "mpi" is not possible there. Leave it out.');
  }

  canSend(): boolean {
    return true;
  }

  /** Whether a message for a PE is on its way. */
  isFlying(to: number): boolean {
    return (this.#flying.get(to) ?? 0) > 0;
  }

  send(to: number, envelope: Envelope, address: number, bytes: number): Transfer {
    this.#post(to, envelope, this.#heap.u8.slice(address, address + bytes), 0);
    return OVER;
  }

  sendNumber(to: number, envelope: Envelope, x: number, transfer?: Transfer): void {
    this.#post(to, envelope, new Uint8Array(Float64Array.of(x).buffer), x);
    if (transfer !== undefined) transfer.over = true;
  }

  #post(to: number, { stream, tag, word, count, root }: Envelope, aside: Uint8Array, number: number): void {
    const machine = this.#machine;
    const pe = this.#pe;
    const peer = machine.pes[to];
    const bytes = aside.length;
    const message = {
      from: pe.rank,
      tag,
      word,
      count,
      root,
      bytes,
      number,
      rendezvous: 0,
      place: 0,
      aside,
    };
    let times = this.#times.get(to);
    if (times === undefined) {
      times = new Float64Array(1);
      this.#times.set(to, times);
    }
    pe.clock = Math.max(pe.clock, machine.now);
    this.#flying.set(to, (this.#flying.get(to) ?? 0) + 1);
    const arrive = (time: number) => {
      this.#flying.set(to, (this.#flying.get(to) as number) - 1);
      this.#mailboxes[to].unexpected.add(stream, message);
      machine.wake(peer, time);
    };
    machine.messages.send(pe, peer, HEAD_BYTES + bytes, arrive, { times });
  }

  /** Calls that do not match are found when nothing happens any more (world.ts). */
  sendProbe(): void {}

  canFetch(): boolean {
    return true;
  }

  /** Nothing goes by rendezvous. */
  fetch(): Transfer {
    return OVER;
  }

  /** Messages arrive by themselves. */
  poll(): boolean {
    return false;
  }
}
