/** The simulated porter: buffers arrive after a delay, in order on each link. */
import { type Buffers, type Hop, LAST, type Porter } from "../../links/transport/contract.ts";
import type { SessionWord } from "../../links/transport/session-word.ts";
import { openPush } from "../../plan/model/open-buffers.ts";
import type { VirtualMachine } from "./machine.ts";
import { CONTROL } from "./messages.ts";
import type { VirtualPE } from "./virtual-pe.ts";

/** The PEs of a conveyor: those of the world, or of a group. */
export interface Peers {
  readonly machine: VirtualMachine;
  /** By rank in the conveyor. */
  readonly pes: readonly VirtualPE[];
  /** Nodes that they are on, and PEs of the largest. */
  readonly nodes: number;
  readonly nodeSize: number;
}

/** The traffic of one hop of a conveyor, over all PEs. */
export interface HopTraffic {
  messages: number;
  bytes: number;
  items: number;
  /** Messages between nodes. */
  remoteMessages: number;
  remoteBytes: number;
  /** Largest number of buffers in existence at once: in total, and at one PE. */
  buffers: number;
  peakBuffers: number;
  peakBuffersOfOne: number;
}

export const noTraffic = (): HopTraffic => ({
  messages: 0,
  bytes: 0,
  items: 0,
  remoteMessages: 0,
  remoteBytes: 0,
  buffers: 0,
  peakBuffers: 0,
  peakBuffersOfOne: 0,
});

/** A buffer in transit, or waiting to be taken. */
export interface Letter {
  readonly link: number;
  readonly start: number;
  readonly bytes: number;
  readonly count: number;
  readonly items: number;
  readonly stamp: number;
  /** See session-word.ts. */
  readonly session: number;
  /** Byte offset of the whole buffer. */
  readonly buffer: number;
}

interface PorterParts {
  readonly session: SessionWord;
  readonly hop: Hop;
  readonly buffers: Buffers;
  readonly traffic: HopTraffic;
  /** Whether it has control messages only. */
  readonly isControl: boolean;
  /** By rank in the conveyor: the buffers on their way to each PE over this hop. */
  readonly lettersOf: readonly Letter[][];
  /** The porter of the same hop at a PE that has sent a buffer. */
  readonly peerOf: (rank: number) => SimulatedPorter;
}

export class SimulatedPorter implements Porter {
  readonly links: number;
  source = 0;
  start = 0;
  bytes = 0;
  count = 0;
  stamp = 0;
  readonly #machine: VirtualMachine;
  readonly #pe: VirtualPE;
  /** By rank in the conveyor. */
  readonly #pes: readonly VirtualPE[];
  readonly #session: SessionWord;
  readonly #hop: Hop;
  readonly #buffers: Buffers;
  readonly #traffic: HopTraffic;
  readonly #lettersOf: readonly Letter[][];
  readonly #peerOf: (rank: number) => SimulatedPorter;
  readonly #isControl: boolean;
  /** By link: the open buffer, 0 for none; number of buffers not returned; arrival time of the last one. */
  readonly #open: Float64Array;
  readonly #out: Uint8Array;
  readonly #arrives: Float64Array;
  /** By link: messages that a congested network has not taken in; when the last other one leaves the node. */
  readonly #entering: Int32Array;
  readonly #leaves: Float64Array;
  #live = 0;
  /** Last buffers sent in a session, and its word. */
  #lasts = 0;
  #lastsOf = 0;
  /** Open buffers, and the most at once so far: what is sent was pushed while others were open. */
  #opened = 0;
  #mostOpened = 1;
  /** Sent buffers that were not finished. */
  #unread = 0;
  /** Received buffers in order of arrival; those before `next` were borrowed. */
  readonly #letters: Letter[];
  #next = 0;
  #held: Letter | null = null;
  #finished = false;

  /** @param rank of its PE in the conveyor */
  constructor(
    { machine, pes }: Peers,
    rank: number,
    { session, hop, buffers, traffic, isControl, lettersOf, peerOf }: PorterParts,
  ) {
    this.links = hop.friends.length;
    this.#machine = machine;
    this.#pe = pes[rank];
    this.#pes = pes;
    this.#session = session;
    this.#hop = hop;
    this.#buffers = buffers;
    this.#traffic = traffic;
    this.#lettersOf = lettersOf;
    this.#letters = lettersOf[rank];
    this.#peerOf = peerOf;
    this.#isControl = isControl;
    this.#open = new Float64Array(this.links);
    this.#out = new Uint8Array(this.links);
    this.#arrives = new Float64Array(this.links);
    this.#entering = new Int32Array(this.links);
    this.#leaves = new Float64Array(this.links);
  }

  open(link: number): number {
    if (this.#out[link] >= this.#buffers.perLink) return -1;
    this.#out[link]++;
    this.#mostOpened = Math.max(this.#mostOpened, ++this.#opened);
    const buffer = this.#machine.memory.take(this.#buffers.bytes);
    this.#open[link] = buffer;
    const traffic = this.#traffic;
    traffic.peakBuffersOfOne = Math.max(traffic.peakBuffersOfOne, ++this.#live);
    traffic.peakBuffers = Math.max(traffic.peakBuffers, ++traffic.buffers);
    return buffer;
  }

  hasAnother(link: number): boolean {
    return this.#out[link] < this.#buffers.perLink;
  }

  send(link: number, start: number, bytes: number, count: number, items: number, stamp = 0): void {
    const machine = this.#machine;
    const pe = this.#pe;
    const friend = this.#hop.friends[link];
    const peer = this.#pes[friend];
    const { push, open } = machine.settings.costs;
    pe.clock += machine.delay(items * (push + openPush(open, this.#mostOpened, bytes * this.#buffers.perLink)));
    this.#opened--;
    this.#countLast(count);
    const traffic = this.#traffic;
    traffic.messages++;
    traffic.bytes += bytes;
    traffic.items += items;
    if (peer.node !== pe.node) {
      traffic.remoteMessages++;
      traffic.remoteBytes += bytes;
    }
    this.#unread++;
    const session = this.#session.value;
    const number = { bytes, count, items, stamp, session };
    const letter = { link: this.#hop.self, start, buffer: this.#open[link], ...number };
    this.#open[link] = 0;
    pe.moved = true;
    const arrive = (time: number) => {
      this.#lettersOf[friend].push(letter);
      machine.wake(peer, time);
    };
    const onInjected = (time: number) => {
      this.#entering[link]--;
      machine.wake(pe, time);
    };
    const leaves = machine.messages.send(pe, peer, bytes, arrive, {
      times: this.#arrives,
      link,
      onInjected,
      isControl: this.#isControl,
    });
    if (leaves === Number.POSITIVE_INFINITY) this.#entering[link]++;
    else this.#leaves[link] = leaves;
  }

  #countLast(count: number): void {
    if ((count & LAST) === 0) return;
    const { value } = this.#session;
    this.#lasts = this.#lastsOf === value ? this.#lasts + 1 : 1;
    this.#lastsOf = value;
  }

  /** Links that an advance looks at: all, until their last buffers are sent. */
  get lookedAt(): number {
    const { friends, skipsSelf } = this.#hop;
    const all = friends.length - (skipsSelf === true ? 1 : 0);
    return this.#lasts === all && this.#lastsOf === this.#session.value ? 0 : all;
  }

  /** The first received buffer of the open session; undefined if there is none. */
  #take(): Letter | undefined {
    const letters = this.#letters;
    for (let at = this.#next; at < letters.length; at++) {
      if (!this.#session.admits(letters[at].session)) continue;
      if (at > this.#next) return letters.splice(at, 1)[0];
      const letter = letters[this.#next++];
      if (this.#next > 64 && this.#next * 2 > letters.length) {
        letters.splice(0, this.#next);
        this.#next = 0;
      }
      return letter;
    }
    return undefined;
  }

  borrow(): boolean {
    const letter = this.#take();
    if (letter === undefined) return false;
    this.#held = letter;
    this.#finished = false;
    this.source = letter.link;
    this.start = letter.start;
    this.bytes = letter.bytes;
    this.count = letter.count;
    this.stamp = letter.stamp;
    const pe = this.#pe;
    pe.moved = true;
    const { costs } = this.#machine.settings;
    pe.clock += this.#machine.messages.receiving(this.#sender().#pe, pe);
    pe.clock += this.#machine.delay(letter.items * costs.pull);
    return true;
  }

  /** The sender of the current buffer. */
  #sender(): SimulatedPorter {
    return this.#peerOf(this.#hop.friends[this.source]);
  }

  finish(): void {
    if (this.#held === null || this.#finished) return;
    this.#finished = true;
    this.#tell((sender) => {
      sender.#unread--;
    });
  }

  release(): void {
    const letter = this.#held;
    if (letter === null) return;
    const finished = this.#finished;
    this.#held = null;
    const { self } = this.#hop;
    this.#tell((sender) => {
      if (!finished) sender.#unread--;
      sender.#out[self]--;
      sender.#live--;
      this.#traffic.buffers--;
      this.#machine.memory.give(letter.buffer, this.#buffers.bytes);
    });
  }

  /** Sends a notification to the sender of the current buffer; it takes as long as a small message. */
  #tell(change: (sender: SimulatedPorter) => void): void {
    const sender = this.#sender();
    this.#pe.moved = true;
    this.#machine.messages.send(
      this.#pe,
      sender.#pe,
      8,
      (time) => {
        change(sender);
        this.#machine.wake(sender.#pe, time);
      },
      CONTROL,
    );
  }

  settled(): boolean {
    return this.#unread === 0;
  }

  /** Bytes that are read in place would cost nothing. */
  reads(): boolean {
    return false;
  }

  isSending(link: number): boolean {
    return this.#entering[link] > 0 || this.#leaves[link] > this.#machine.now;
  }

  /** The machine delivers what was sent. */
  handedOver(): boolean {
    return true;
  }
}
