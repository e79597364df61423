/** The world as a PE that is a thread has it: its groups, and its services at start, return and leaving. */

import type { Trees } from "../../trees/model/tree.ts";
import { Collectives } from "../collectives/collectives.ts";
import type { RegistrySeat } from "../collectives/team/registry.ts";
import { inGroup, type Seatholder, Team } from "../collectives/team/team.ts";
import { teamBytes } from "../collectives/team/team-block.ts";
import { type RankLostError, StateError, UsageError } from "../ground/base/errors.ts";
import { monotonic } from "../ground/base/event-loop/timers.ts";
import { shortText } from "../ground/base/short-text.ts";
import { Late } from "../ground/base/thread/late.ts";
import { Heap } from "../ground/memory/heap.ts";
import { LOST } from "../ground/wait/layout.ts";
import { pesText } from "../ground/wait/who.ts";
import type { Diagnosis } from "../links/diagnose/diagnose.ts";
import { leavingError, Sessions } from "../links/transport/underway.ts";
import type { PEDescriptor } from "../links/world/layout.ts";
import type { MachineModel } from "../machine/model/machine-model.ts";
import type { Planning, WorldPlan } from "../plan/document/world-plan.ts";
import { type CallsMade, callsMadeIn } from "./calls-made.ts";
import { dropCurrent } from "./current.ts";
import { type Group, newGroup } from "./group.ts";
import type { GroupOptions } from "./group-options.ts";
import { holderOf } from "./holder.ts";
import { Kept } from "./kept.ts";
import { dataCalls } from "./late-calls.ts";
import type { NodeLinks } from "./node-links.ts";
import { OF_PAIRS } from "./pairs/scope.ts";
import type { OwnWorld } from "./pe.ts";
import { postCloned } from "./post.ts";
import type { Seat, ThreadSiteParts } from "./seat.ts";
import { type SeatParts, threadSeat } from "./thread-seat.ts";

const groupTrees = new Late("./group-trees.js", import.meta.url, () => import("./group-trees.ts"));
const inquiry = new Late("./inquiry.js", import.meta.url, () => import("./inquiry.ts"));

/** Ranks that an error names. */
const NAMED = 16;

/** How long a PE that returns waits for what is on its way, where some of it may be for a PE that is lost, ms. */
const UNSENT_MS = 1000;

/** Services of the thread of a PE. */
export interface PEHooks {
  /** Called when it leaves. */
  readonly onLeave?: () => void;
  /** Sends what the program posts; null where nobody gets it. */
  readonly post?: ((value: unknown) => void) | null;
}

/** That of the PE of this thread. */
export class ThreadWorld implements OwnWorld {
  readonly seat: Seat;
  readonly node: number;
  readonly nodes: number;
  readonly nodeRank: number;
  readonly nodeSize: number;
  readonly cpu: number | null;
  readonly trees: Trees;
  /** The machine model that it plans with: a row for each PE of its node. */
  readonly model: MachineModel;
  readonly #place: PEDescriptor;
  readonly #parts: SeatParts;
  /** The parts of a group, whose termination is its own in a world that goes on without lost PEs. */
  readonly #holderFor: (members: readonly number[]) => Seatholder;
  /** The parts that all groups have for their sites. */
  readonly #siteParts: Omit<ThreadSiteParts, "holder" | "team" | "members">;
  readonly #onLeave: () => void;
  readonly #post: ((value: unknown) => void) | null;
  readonly #planning: Planning;
  readonly #sessions: Sessions;
  /** The groups that this PE is in. */
  readonly #groups = new Set<Collectives>();
  readonly #kept = new Kept();
  #left = false;

  /** @param links to other nodes ({@link linksOf}); null if there are none */
  constructor(
    place: PEDescriptor,
    trees: Trees,
    model: MachineModel,
    plan: WorldPlan,
    links: NodeLinks | null,
    { onLeave = () => {}, post = null }: PEHooks = {},
  ) {
    const { holder, holderFor, turns, async, status, nodes, ranks } = holderOf(place);
    const { heap, waiter } = holder;
    const inWorld = holderFor(ranks);
    const { first, domains } = place;
    const here = ranks.slice(first, first + place.nodeSize);
    const team = new Team(inWorld, { members: here, plan: trees, offset: place.teamOffset, group: ranks });
    const overNodes = links?.overNodes(ranks, team) ?? null;
    const collectives = new Collectives(team, async, dataCalls, model.crossovers, place.forced?.by, overNodes);
    const { registryOffset: offset, rank } = place;
    const registry: RegistrySeat = { heap, offset, rank, first, made: new Map(), opened: null };
    const sessions = new Sessions();
    for (const waits of [waiter, turns, async]) waits.sideWork = sessions.sideWork;
    this.#parts = { holder, registry, team, waits: async, links, kept: this.#kept, sessions };
    this.#planning = { world: plan, used: new Set() };
    const problems = (patience: number) => this.diagnose(patience).problems;
    this.#siteParts = {
      registry,
      turns,
      async,
      status,
      sessions,
      problems,
      model,
      first,
      domains,
      links,
      planning: this.#planning,
    };
    this.#holderFor = holderFor;
    this.#sessions = sessions;
    this.#place = place;
    this.#onLeave = onLeave;
    this.#post = post;
    this.node = place.job?.nodes.node ?? 0;
    this.nodes = nodes;
    this.nodeRank = place.rank - first;
    this.nodeSize = place.nodeSize;
    this.cpu = place.cpu;
    this.trees = trees;
    this.model = model;
    this.seat = this.#seatIn(inWorld, ranks, collectives, team);
  }

  #seatIn(holder: Seatholder, members: readonly number[], collectives: Collectives, team: Team): Seat {
    const sites = { ...this.#siteParts, holder, team, members };
    const group = this.group.bind(this);
    const rows = (ranks: readonly number[]) => ranks.map((rank) => rank - this.#place.first);
    const repaired: Seat["repaired"] = (before, ranks, gone) =>
      groupTrees.now.repairedTrees(this.model, rows(ranks), before, gone);
    return { ...threadSeat(this.#parts, { holder, members, collectives, sites }), model: this.model, group, repaired };
  }

  group(ranks: readonly number[], options: GroupOptions = {}): Group {
    const members = Array.from(ranks ?? []);
    const { rank: own, size } = this.seat;
    const isRank = (rank: unknown) => Number.isInteger(rank) && (rank as number) >= 0 && (rank as number) < size;
    if (!members.every(isRank) || new Set(members).size !== members.length || !members.includes(own)) {
      throw new UsageError(
        `group: expected distinct ranks from 0 to ${size - 1}, this PE's own (${own}) among them, ` +
          `got [${members.slice(0, NAMED).map(shortText).join(", ")}${members.length > NAMED ? ", …" : ""}]`,
      );
    }
    const { checkGroupOptions, givenTrees, predictedTrees, reserve } = groupTrees.now;
    checkGroupOptions(options);
    const { collectives: world } = this.seat;
    world.check();
    const { first, forced: forcing, nodeSize, cores } = this.#place;
    const here = members.filter((rank) => rank >= first && rank < first + nodeSize);
    const links = here.length < members.length ? this.#parts.links : null;
    if (links !== null && options.trees !== undefined) {
      throw new UsageError(
        "trees: not allowed for a group over several nodes, as each node has its own trees. Leave it out.",
      );
    }
    const forced = options.trees === undefined ? forcing : null;
    const rows = here.map((rank) => rank - first);
    const trees =
      options.trees === undefined
        ? predictedTrees(this.model, rows, nodeSize > cores, forced?.tree ?? null)
        : givenTrees(options.trees, members.length);
    const bytes = teamBytes(trees, here.length);
    const scope = links === null ? "" : `over nodes ${members.toSorted((a, b) => a - b).join()} `;
    const holder = this.#holderFor(members);
    if (holder.termination.decided) throw holder.termination.error();
    const reserver = { holder, registry: this.#parts.registry, team: world.team };
    const need = { what: `group: ${here.length} PEs`, lower: () => "" };
    const what = { bytes, scope, making: `a group of ${pesText(members)}`, need };
    const makers = links?.makers(members, here) ?? null;
    const offset =
      makers === null ? reserve(reserver, here, what) : (links as NodeLinks).reserve(reserver, makers, what);
    makers?.vote?.close();
    const seed = links === null ? 0 : links.orderOf(members);
    const where = inGroup(members);
    const team = new Team(holder, { members: here, plan: trees, offset, where, seed, group: members });
    const overNodes = links?.overNodes(members, team) ?? null;
    const collectives = new Collectives(
      team,
      this.#parts.waits,
      dataCalls,
      this.model.crossovers,
      forced?.by,
      overNodes,
    );
    this.#groups.add(collectives);
    const seat = this.#seatIn(holder, members, collectives, team);
    return newGroup(seat, () => this.#groups.delete(collectives));
  }

  get now(): number {
    return monotonic() * 1e6;
  }

  /** A real PE takes the time that its program takes. */
  work(): void {}

  post(value: unknown): void {
    if (this.#post === null) {
      throw new StateError(
        "post: expected a PE that launch() or an open world started, got one of join(). Send the value by a port of its thread.",
      );
    }
    postCloned(this.#post, value);
  }

  random(): number {
    return Math.random();
  }

  explain(): readonly string[] {
    // most worlds have no plan
    return this.#planning.world.given === null ? [] : inquiry.now.explainPlanning(this.#planning);
  }

  diagnose(patience?: number): Diagnosis {
    const { heap, wakers, termination } = this.#parts.holder;
    const { statusOffset: offset, nodeSize: size, first } = this.#place;
    return inquiry.now.diagnose({ heap, wakers, termination, offset, size, first }, patience);
  }

  get lost(): readonly number[] {
    return this.#parts.holder.wakers.losses.all();
  }

  leave(pe: object): void {
    if (this.#left) return;
    this.#left = true;
    const error = this.leavingError;
    const { termination, wakers, rank } = this.#parts.holder;
    if (error !== null) termination.decide(LOST, error);
    this.#kept.leave();
    this.seat.collectives.retire();
    for (const collectives of this.#groups) collectives.retire();
    wakers.depart(rank);
    dropCurrent(pe);
    this.#onLeave();
    if (error !== null) throw error;
  }

  /** The error of a PE that leaves now; null if it may, or if the world has ended, which is reported elsewhere. */
  get leavingError(): RankLostError | null {
    const { termination, rank } = this.#parts.holder;
    return termination.decided ? null : leavingError(rank, this.#sessions);
  }

  /** Whether PEs of other nodes may still need this one when its main has returned. */
  get isServing(): boolean {
    return this.#kept.isServing;
  }

  /** Frees what its program has made and not freed, and waits until nobody uses it any more. */
  closeOwn(): Promise<void> {
    return this.#kept.close(this.#parts.waits);
  }

  /** Between two runs: others may still need what its program has kept or freed. @returns what it waits for */
  serveUntil<T>(awaited: Promise<T>): Promise<T> {
    return this.#sessions.sideWork.runUntil(awaited);
  }

  /**
   * The calls of the PE, and the things that it has made with others, for the end of a run.
   * @param isLast whether no other run follows: then a channel that the other PE has not made meets no other one
   */
  callsMade(isLast: boolean): CallsMade {
    const all = [this.seat.collectives, ...this.#groups];
    const made = [...this.#parts.registry.made].filter(([whose]) => !(isLast && whose.startsWith(OF_PAIRS)));
    return callsMadeIn(
      all.map((one) => [one.team.offset, one]),
      made,
    );
  }

  /** Resolves with whether all messages to other nodes were sent; with false when the world ends before. */
  async untilSent(): Promise<boolean> {
    return (await this.#parts.links?.sent(this.#isInVain())) ?? true;
  }

  /** Waits until all messages to other nodes were sent; nothing is received afterwards. */
  async closeLinks(): Promise<void> {
    const { termination, wakers, rank } = this.#parts.holder;
    if ((await this.#parts.links?.close(this.#isInVain())) !== false || termination.decided) return;
    const what = this.#sessions.first?.words.one ?? "a conveyor's session";
    const message = `PE ${rank} returned from its main in the middle of ${what}.`;
    termination.decide(LOST, { rank, message });
    wakers.notifyAll();
  }

  /** Whether it is in vain to wait until all was sent: the world has ended, or it may be for a PE that is lost. */
  #isInVain(): () => boolean {
    const { termination, wakers } = this.#parts.holder;
    let until = 0;
    return () => {
      if (termination.decided) return true;
      if (wakers.losses.count === 0) return false;
      const now = monotonic();
      if (until === 0) until = now + UNSENT_MS;
      return now > until;
    };
  }
}

/**
 * The links of a PE to other nodes, whose code is loaded only where there are any; null if there are none.
 * @throws NoMpiError if the main thread has not opened MPI
 */
export async function linksOf({ job, memory, rank }: PEDescriptor): Promise<NodeLinks | null> {
  if (job === null) return null;
  const { NodeLinks } = await import("./node-links.ts");
  return new NodeLinks(job, Heap.attach(memory), rank);
}
