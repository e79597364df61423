/**
 * The lanes of one hop of a conveyor, under a discipline. A lane leads to each PE that this one shares receivers or
 * senders with (geometry/lane-numbers.ts); a chunk is one buffer, which is kept by the hop's porter until the
 * discipline lets it go.
 *
 * A phase of the discipline is a session of the conveyor. It begins with the session, and is over when all PEs have
 * handed over their last buffers and everything was read, at all PEs: so the next session finds all lanes empty. Its
 * votes are those of the site of the control messages, and do not mix with those of the conveyor.
 *
 * The conveyor's advance makes it go on; and so does every wait on behalf of the PE, as others may wait for its tokens.
 */
import { randomNumbers } from "../../ground/base/random.ts";
import type { SideTask } from "../../ground/wait/side-work.ts";
import type { Site } from "../../links/transport/contract.ts";
import { ControlMessages } from "./control.ts";
import type { Discipline, Lanes } from "./discipline.ts";
import type { DisciplinedPorter } from "./disciplined-porter.ts";
import { makeDiscipline } from "./make-discipline.ts";
import { type DisciplineName, exchangeChoice } from "./options.ts";

/** The PEs that send to each other under a discipline, as seen by one of them. */
export interface LaneMap {
  /** Number of PEs, and this PE's number among them. */
  readonly size: number;
  readonly self: number;
  /** By lane: the link of the hop; -1 for none. */
  readonly linkOf: Int32Array;
  /** By link: the lane; -1 for none. */
  readonly laneOf: Int32Array;
}

/** The sites of a conveyor, and of the control messages of its discipline. */
export interface HopSites {
  readonly data: Site;
  readonly control: Site;
}

/** Steps of the discipline between two looks at what else there is. */
const BURST = 16;

export class HopLanes implements Lanes, SideTask {
  readonly size: number;
  readonly self: number;
  /** Set by the conveyor: whether nothing more enters the hop in this session. */
  isClosed = false;
  readonly vote: Lanes["vote"];
  readonly random: () => number;
  readonly pollMs: number | undefined;
  /** Whether the last turn has brought this PE's buffers on. Passing tokens are no progress without data. */
  moved = false;
  readonly #sites: HopSites;
  readonly #porter: DisciplinedPorter;
  readonly #map: LaneMap;
  readonly #control: ControlMessages;
  readonly #discipline: Discipline;
  readonly #hear: (lane: number, kind: number, a: number, b: number) => void;
  /** Of the session, from 1 on. */
  #number = 0;
  /** Whether this session begins with a vote that is not over. */
  #isVoting = false;
  #isBusy = false;
  /** Control messages of a PE that is alone on its lanes: a token comes back to it. */
  readonly #own: number[] = [];

  constructor(sites: HopSites, porter: DisciplinedPorter, map: LaneMap, name: DisciplineName) {
    const { control } = sites;
    this.size = map.size;
    this.self = map.self;
    this.vote = control.vote;
    this.random = randomNumbers((control.rank + 1) * 0x9e3779b1);
    this.pollMs = control.pollMs;
    this.#sites = sites;
    this.#porter = porter;
    this.#map = map;
    this.#control = new ControlMessages(control.porters[0], control.views);
    this.#discipline = makeDiscipline(name, this, exchangeChoice({ discipline: name }));
    this.#hear = (lane, kind, a, b) => this.#discipline.hear(lane, kind, a, b);
  }

  waiting(lane: number): number {
    const link = this.#map.linkOf[lane];
    return link >= 0 && this.#porter.isKept(link) ? 1 : 0;
  }

  get backlog(): number {
    return this.#porter.kept;
  }

  get oldest(): number {
    const link = this.#porter.oldest;
    return link < 0 ? -1 : this.#map.laneOf[link];
  }

  /** A kept buffer has its room already. */
  hasRoom(lane: number): boolean {
    return this.waiting(lane) > 0;
  }

  hasLeft(lane: number): boolean {
    return !this.#porter.isSending(this.#map.linkOf[lane]);
  }

  get isRead(): boolean {
    return this.#porter.settled();
  }

  tell(lane: number, kind: number, a = 0, b = 0): void {
    if (lane === this.self) this.#own.push(kind, a, b);
    else this.#control.tell(lane, kind, a, b);
  }

  get isHeard(): boolean {
    return this.#control.isHeard;
  }

  /** Before the first push of a session. */
  begin(): void {
    const { control } = this.#sites;
    this.#number++;
    this.isClosed = false;
    this.#own.length = 0;
    control.session.begin(this.#number, "");
    this.#isVoting = control.firstByVote && this.#number === 1;
    if (this.#isVoting) control.vote.cast(0);
    this.#discipline.begin();
    control.sessions.sideWork.add(this);
  }

  /** Whether the session needs nothing more of this PE here. */
  get isOver(): boolean {
    return this.#discipline.isOver;
  }

  /** Sends what the discipline allows, and answers control messages. @returns whether there was anything */
  turn(): boolean {
    this.moved = false;
    if (this.isOver) return false;
    this.#isBusy = true;
    try {
      const { control } = this.#sites;
      control.look(false, this.#number);
      if (this.#isVoting && control.vote.poll() < 0) return false;
      this.#isVoting = false;
      const heard = this.#listen();
      const stepped = this.#send();
      if (this.isOver) this.#complete();
      return heard || stepped;
    } finally {
      this.#isBusy = false;
    }
  }

  #listen(): boolean {
    const own = this.#own.splice(0);
    for (let at = 0; at < own.length; at += 3) this.#hear(this.self, own[at], own[at + 1], own[at + 2]);
    return this.#control.serve(this.#hear) || own.length > 0;
  }

  #send(): boolean {
    const discipline = this.#discipline;
    let stepped = false;
    for (let left = BURST; left > 0; left--) {
      const lane = discipline.next();
      if (lane < 0 && !discipline.moved) return stepped;
      stepped = true;
      if (this.backlog > 0) this.moved = true;
      if (lane < 0) continue;
      this.#porter.sendKept(this.#map.linkOf[lane]);
      discipline.sent(true);
    }
    // it has more to do
    this.moved = true;
    return stepped;
  }

  #complete(): void {
    const { control } = this.#sites;
    this.moved = true;
    // marks that this PE may leave, for the check for PEs that leave too early
    control.mark(this.#number);
    control.sessions.sideWork.delete(this);
  }

  /** The work of this PE for others while it waits elsewhere. */
  serve(): boolean {
    if (this.#isBusy) return false;
    const { data } = this.#sites;
    try {
      const any = this.turn();
      data.look(any, this.#number);
      // the conveyor may go on: its PE must not sleep now
      if (this.moved) data.alarm(data.now());
      return any;
    } catch (error) {
      data.fail(error as Error);
      return false;
    }
  }

  free(): void {
    this.#sites.control.free();
  }
}
