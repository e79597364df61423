/**
 * The links of a virtual team: messages of one line, and signals, in virtual time.
 *
 * A message occupies its sender as the machine model says, is visible at the receiver when it has propagated, and
 * occupies the receiver when it takes it: so a broadcast takes what trees/model/latency.ts predicts. A channel has
 * memory only for the messages that are under way.
 */

import type { PassingEnd, RaisingEnd, ReceivingEnd, SendingEnd, TeamLinks } from "../../collectives/team/medium.ts";
import { Fifo } from "../../ground/base/fifo.ts";
import { blocks } from "../../ground/wait/blocking.ts";
import type { VirtualMachine } from "../simulate/machine.ts";
import type { VirtualLine } from "../simulate/messages.ts";
import type { VirtualPE } from "../simulate/virtual-pe.ts";
import type { VirtualHeap } from "./heap.ts";

/** Messages that a channel of a team holds, as those of real PEs do (collectives/team/link-map.ts). */
const SLOTS = 64;

/** The shared state of the PEs of a team. */
export interface TeamRoom {
  readonly machine: VirtualMachine;
  readonly heap: VirtualHeap;
  /** By rank in the team. */
  readonly pes: readonly VirtualPE[];
}

interface Line {
  readonly at: number;
  readonly tag: number;
}

/** The messages from one PE to another, both ends of them. */
class VirtualChannel implements VirtualLine {
  arrivesAt = 0;
  readonly arrived = new Fifo<Line>();
  /** Lines that were sent and not released. */
  used = 0;
  /** Of these, those that have not arrived. */
  flying = 0;
  readonly slots: number;
  readonly #room: TeamRoom;
  readonly from: VirtualPE;
  readonly to: VirtualPE;
  readonly sending: SendingEnd;
  readonly receiving: ReceivingEnd;

  constructor(room: TeamRoom, from: VirtualPE, to: VirtualPE, slots: number) {
    this.slots = slots;
    this.#room = room;
    this.from = from;
    this.to = to;
    this.sending = new ChannelSender(this, room);
    this.receiving = new ChannelReceiver(this, room);
  }

  send(line: Line): void {
    const { machine } = this.#room;
    this.used++;
    this.flying++;
    machine.messages.sendLine(this.from, this.to, this, (time) => {
      this.flying--;
      this.arrived.add(line);
      machine.wake(this.to, time);
    });
  }

  release({ at }: Line): void {
    const { machine, heap } = this.#room;
    heap.leaveLine(at);
    this.used--;
    if (this.used === this.slots - 1) machine.wake(this.from, this.to.clock);
  }
}

class ChannelSender implements SendingEnd {
  readonly peer: number;
  readonly #channel: VirtualChannel;
  readonly #room: TeamRoom;
  /** The line that was claimed; -1 for none. */
  #claimed = -1;

  constructor(channel: VirtualChannel, room: TeamRoom) {
    this.peer = channel.to.rank;
    this.#channel = channel;
    this.#room = room;
  }

  tryClaim(): number {
    if (this.#claimed < 0 && this.#channel.used < this.#channel.slots) this.#claimed = this.#room.heap.takeLine();
    return this.#claimed;
  }

  publish(tag: number): void {
    this.#channel.send({ at: this.#claimed, tag });
    this.#claimed = -1;
  }

  ready(): boolean {
    return this.#claimed >= 0 || this.#channel.used < this.#channel.slots;
  }

  spin(): boolean {
    return this.ready();
  }

  claim(): never {
    throw blocks("claim", "the Async form of the call");
  }
}

class ChannelReceiver implements ReceivingEnd {
  readonly peer: number;
  readonly #channel: VirtualChannel;
  readonly #room: TeamRoom;
  /** The message that was seen. */
  #seen: Line | null = null;

  constructor(channel: VirtualChannel, room: TeamRoom) {
    this.peer = channel.from.rank;
    this.#channel = channel;
    this.#room = room;
  }

  tryWait(): number {
    const { arrived, from, to } = this.#channel;
    if (this.#seen === null) {
      this.#seen = arrived.first ?? null;
      if (this.#seen === null) return -1;
      to.clock += this.#room.machine.messages.receiving(from, to);
      to.heard = from.rank;
    }
    return this.#seen.at;
  }

  get tag(): number {
    return (this.#seen as Line).tag;
  }

  release(): void {
    const channel = this.#channel;
    channel.arrived.leave();
    channel.release(this.#seen as Line);
    this.#seen = null;
  }

  ready(): boolean {
    return this.#channel.arrived.length > 0;
  }

  spin(): boolean {
    return this.ready();
  }

  wait(): never {
    throw blocks("wait", "the Async form of the call");
  }
}

/** A signal from one PE to another, both ends of it. */
class VirtualSignal implements RaisingEnd, PassingEnd, VirtualLine {
  arrivesAt = 0;
  readonly peer: number;
  readonly #room: TeamRoom;
  readonly #from: VirtualPE;
  readonly #to: VirtualPE;
  readonly #tags = new Fifo<number>();

  constructor(room: TeamRoom, from: VirtualPE, to: VirtualPE) {
    this.peer = from.rank;
    this.#room = room;
    this.#from = from;
    this.#to = to;
  }

  raise(tag: number): void {
    const { machine } = this.#room;
    machine.messages.sendLine(this.#from, this.#to, this, (time) => {
      this.#tags.add(tag);
      machine.wake(this.#to, time);
    });
  }

  ready(): boolean {
    return this.#tags.length > 0;
  }

  spin(): boolean {
    return this.ready();
  }

  pass(tag: number): boolean {
    this.#to.clock += this.#room.machine.messages.receiving(this.#from, this.#to);
    this.#to.heard = this.#from.rank;
    const raised = this.#tags.first;
    this.#tags.leave();
    return raised === tag;
  }
}

/** The links of all PEs of a team, each made at its first use. */
export class VirtualLinks {
  readonly #room: TeamRoom;
  readonly #channels = new Map<number, VirtualChannel>();
  readonly #signals = new Map<number, VirtualSignal>();
  readonly #slots: number;

  /** @param slots messages that a channel holds */
  constructor(room: TeamRoom, slots: number = SLOTS) {
    this.#slots = slots;
    this.#room = room;
  }

  /** Those of one PE. */
  of(rank: number): TeamLinks {
    return {
      signalTo: (peer) => this.#signal(rank, peer),
      signalFrom: (peer) => this.#signal(peer, rank),
      sender: (peer) => this.#channel(rank, peer).sending,
      receiver: (peer) => this.#channel(peer, rank).receiving,
    };
  }

  /** Whether a message from one to the other has been sent and has not arrived. */
  isFlying(from: number, to: number): boolean {
    return this.#channel(from, to).flying > 0;
  }

  #channel(from: number, to: number): VirtualChannel {
    return this.#once(this.#channels, from, to, VirtualChannel);
  }

  #signal(from: number, to: number): VirtualSignal {
    return this.#once(this.#signals, from, to, VirtualSignal);
  }

  #once<T>(
    made: Map<number, T>,
    from: number,
    to: number,
    Made: new (room: TeamRoom, from: VirtualPE, to: VirtualPE, slots: number) => T,
  ): T {
    const { pes } = this.#room;
    const key = from * pes.length + to;
    let one = made.get(key);
    if (one === undefined) {
      one = new Made(this.#room, pes[from], pes[to], this.#slots);
      made.set(key, one);
    }
    return one;
  }
}
