/** Messages, and the packets that they travel in: one, or several of a given size. */
import type { Recurring } from "../time/event.ts";
import type { Standing } from "./line.ts";

/** The network's view of a message. */
export interface SentMessage {
  /** Numbers of its nodes. */
  readonly from: number;
  readonly to: number;
  /** The PE that takes it out of the network. */
  readonly pe: number;
  readonly bytes: number;
  /** Called when all of it has been taken out. */
  readonly deliver: (time: number) => void;
  /** Arrival times by link: those of one link are in the order in which it has sent. */
  readonly times: Float64Array | null;
  readonly link: number;
  /** Whether it may pass others at both nodes, and needs no place. */
  readonly isControl: boolean;
  /** Called when all of it has been injected. */
  readonly onInjected?: ((time: number) => void) | undefined;
}

/** A message. Its event is its departure: it joins the injection of its node. */
export class NetworkMessage implements Recurring, Standing<NetworkMessage> {
  readonly sent: SentMessage;
  /** The links that it takes. */
  readonly path: readonly number[];
  /** Whether it does so. */
  readonly isControl: boolean;
  /** Bytes that have not been injected, and that have not been received. */
  left: number;
  missing: number;
  next: NetworkMessage | null = null;
  time: number = 0;
  tie: number = 0;
  readonly #depart: (message: NetworkMessage) => void;

  constructor(
    sent: SentMessage,
    path: readonly number[],
    isControl: boolean,
    depart: (message: NetworkMessage) => void,
  ) {
    this.sent = sent;
    this.path = path;
    this.isControl = isControl;
    this.left = sent.bytes;
    this.missing = sent.bytes;
    this.#depart = depart;
  }

  run(): void {
    this.#depart(this);
  }
}

/** A packet. Its event is its arrival at the receiving node. */
export class Packet implements Recurring, Standing<Packet> {
  readonly message: NetworkMessage;
  readonly bytes: number;
  /** How many links of its path it has entered. */
  entered: number = 0;
  /** When its last byte has left the slowest link so far. */
  tail: number = 0;
  next: Packet | null = null;
  time: number = 0;
  tie: number = 0;
  readonly #arrive: (packet: Packet) => void;

  constructor(message: NetworkMessage, bytes: number, arrive: (packet: Packet) => void) {
    this.message = message;
    this.bytes = bytes;
    this.#arrive = arrive;
  }

  run(): void {
    this.#arrive(this);
  }
}
