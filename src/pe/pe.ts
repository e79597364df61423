/** The PE: one member of a run, with all its operations. */

import { worldTrees } from "../../trees/generate/world-trees.ts";
import { checkTrees } from "../../trees/model/check-world-trees.ts";
import type { Trees } from "../../trees/model/types.ts";
import { Collectives } from "../collectives/collectives.ts";
import { reserveOverNodes } from "../collectives/hierarchy/agreement.ts";
import { Registry } from "../collectives/team/registry.ts";
import { reserve } from "../collectives/team/reservation.ts";
import { inGroup, type Seatholder, Team, teamBytes } from "../collectives/team/team.ts";
import { OwnAppends } from "../facilities/append/seat.ts";
import { closeChannels } from "../facilities/messages/close.ts";
import { type RankLostError, StateError, UsageError } from "../ground/base/errors.ts";
import { monotonic } from "../ground/base/event-loop/timers.ts";
import { checkOptions, optionsOf, unchecked } from "../ground/base/options.ts";
import { shortText } from "../ground/base/short-text.ts";
import type { AsyncWaiter } from "../ground/wait/async.ts";
import { LOST } from "../ground/wait/layout.ts";
import { pesText } from "../ground/wait/who.ts";
import { type Diagnosis, diagnose } from "../links/diagnose/diagnose.ts";
import { Idler } from "../links/transport/heap/idler.ts";
import { leavingError, Sessions } from "../links/transport/underway.ts";
import type { Forced, Seat } from "../links/world/layout.ts";
import { selectPEs } from "../machine/model/select.ts";
import type { MachineModel } from "../machine/model/types.ts";
import { explainPlanning, type Planning, type WorldPlan } from "../plan/document/world-plan.ts";
import { appendSeat } from "./append-seat.ts";
import { type CallsMade, callsMadeIn } from "./calls-made.ts";
import { type ContextFor, contextsOf } from "./conveyor-sites.ts";
import { dropCurrent } from "./current.ts";
import { Group } from "./group.ts";
import { holderOf } from "./holder.ts";
import { NodeLinks, orderOf } from "./node-links.ts";
import { PAIRS, type PairResources, pairSeat } from "./pair-seat.ts";
import { postCloned } from "./post.ts";
import { checkWork } from "./work.ts";

/** Options of a group. */
export interface GroupOptions {
  /**
   * Trees over the ranks in the group; the same at all its PEs. @default those that the machine model predicts to be
   * fastest
   */
  readonly trees?: Trees;
}

// with the number of ranks: checkTrees
const GROUP = optionsOf<GroupOptions>({ trees: unchecked });

/** Ranks that an error names. */
const NAMED = 16;

/** How long a PE that returns waits for what is on its way, where some of it may be for a PE that is lost, ms. */
const UNSENT_MS = 1000;

/** What the thread of a PE does for it. */
export interface PEHooks {
  /** Called when it leaves. */
  readonly onLeave?: () => void;
  /** Sends what the program posts; null where nobody gets it. */
  readonly post?: ((value: unknown) => void) | null;
}

/**
 * One processing element: the world as a {@link Group}, and what concerns the PE itself. A worker started by `launch`
 * gets its PE as the first argument of its `spmd` main. Any thread gets one from `join`.
 */
export class PE extends Group {
  /** Number of the node this PE runs on. */
  readonly node: number;
  /** Number of nodes in the world. */
  readonly nodes: number;
  /** This PE's rank within its node. */
  readonly nodeRank: number;
  /** Number of PEs on its node. */
  readonly nodeSize: number;
  /** The CPU that it is bound to; null if it is not bound. */
  readonly cpu: number | null;
  /** The trees of its collectives within its node. */
  readonly trees: Trees;
  readonly #holder: Seatholder;
  /** The same for a group, whose termination is its own in a world that goes on without lost PEs. */
  readonly #holderFor: (members: readonly number[]) => Seatholder;
  /** Links to other nodes; null if there are none. */
  readonly #links: NodeLinks | null;
  /** The rank of the node's first PE, which is row 0 of the model. */
  readonly #first: number;
  readonly #async: AsyncWaiter;
  readonly #model: MachineModel;
  /** Whether the node has more PEs than cores. */
  readonly #oversubscribed: boolean;
  readonly #forced: Forced | null;
  readonly #registry: Registry;
  readonly #contextFor: ContextFor;
  readonly #onLeave: () => void;
  readonly #post: ((value: unknown) => void) | null;
  readonly #statusOffset: number;
  readonly #planning: Planning;
  readonly #sessions: Sessions;
  readonly #world: Collectives;
  /** The groups that this PE is in. */
  readonly #groups = new Set<Collectives>();
  readonly #appends: OwnAppends;
  readonly #pairing: PairResources;
  #left = false;

  /** @internal called by the worker's start-up code and by join() */
  constructor(
    seat: Seat,
    trees: Trees,
    model: MachineModel,
    plan: WorldPlan,
    { onLeave = () => {}, post = null }: PEHooks = {},
  ) {
    const { holder, holderFor, turns, async, status, nodes, ranks } = holderOf(seat);
    const { heap, waiter } = holder;
    const inWorld = holderFor(ranks);
    const here = ranks.slice(seat.first, seat.first + seat.nodeSize);
    const team = new Team(inWorld, here, trees, seat.teamOffset, "", 0, ranks);
    const links = seat.job && new NodeLinks(seat.job, heap, seat.rank);
    const hierarchy = links?.hierarchy(ranks, team) ?? null;
    const collectives = new Collectives(team, async, model.crossovers, seat.forced?.by, hierarchy);
    const registry = new Registry(heap, seat.registryOffset, seat.rank, seat.first);
    const idler = new Idler(turns);
    const problems = (patience: number) => this.diagnose(patience).problems;
    const { first, domains } = seat;
    const sessions = new Sessions();
    for (const waits of [waiter, turns, async]) waits.sideWork = sessions.sideWork;
    const planning: Planning = { world: plan, used: new Set() };
    const seats = {
      holder,
      holderFor,
      registry,
      idler,
      async,
      status,
      sessions,
      problems,
      model,
      first,
      domains,
      links,
    };
    const resources = { ...seats, planning };
    const appends = new OwnAppends();
    const pairing: PairResources = { holder, registry, team, waits: async, links, channels: new Set() };
    const contextFor = contextsOf(resources);
    super(
      collectives,
      ranks,
      contextFor(team, ranks),
      appendSeat(inWorld, async, ranks, links, appends),
      pairSeat(pairing, ranks),
      (members) => this.group(members),
    );
    this.#appends = appends;
    this.#pairing = pairing;
    this.#planning = planning;
    this.#sessions = sessions;
    this.#contextFor = contextFor;
    this.#world = collectives;
    this.#links = links;
    this.node = seat.job?.nodes.node ?? 0;
    this.nodes = nodes;
    this.#first = seat.first;
    this.nodeRank = seat.rank - seat.first;
    this.nodeSize = seat.nodeSize;
    this.cpu = seat.cpu;
    this.trees = trees;
    this.#holder = holder;
    this.#holderFor = holderFor;
    this.#async = async;
    this.#model = model;
    this.#oversubscribed = seat.nodeSize > seat.cores;
    this.#forced = seat.forced;
    this.#registry = registry;
    this.#onLeave = onLeave;
    this.#post = post;
    this.#statusOffset = seat.statusOffset;
  }

  /**
   * Makes a group of some PEs, including this one, for collectives among them. Collective: all PEs of the group call it
   * with the same ranks in the same order. The n-th calls with the same ranks belong together; if a PE makes one call
   * more than the others, it gets a group in which nobody answers. It waits for PEs of its own node only if the heap is
   * full, until they free memory. It waits for one PE of each other node in the group. Groups may overlap, and disjoint
   * groups work at the same time. A group uses heap memory (280 KB for two PEs) until all its PEs have left it:
   * `using group = pe.group(ranks)`, or {@link Group.leave}.
   * @throws UsageError for invalid or repeated ranks, for ranks without this PE, and for trees that do not reach each
   *   rank of the group once; HeapError at all its PEs if the heap of a node is full (the world continues);
   *   MismatchError if another PE made the group with the ranks in another order; any error that ends a wait
   */
  group(ranks: readonly number[], options: GroupOptions = {}): Group {
    const members = Array.from(ranks ?? []);
    const isRank = (rank: unknown) =>
      Number.isInteger(rank) && (rank as number) >= 0 && (rank as number) < this.size;
    if (!members.every(isRank) || new Set(members).size !== members.length || !members.includes(this.rank)) {
      throw new UsageError(
        `group: expected distinct ranks from 0 to ${this.size - 1}, this PE's own (${this.rank}) among them, ` +
          `got [${members.slice(0, NAMED).map(shortText).join(", ")}${members.length > NAMED ? ", …" : ""}]`,
      );
    }
    checkOptions("group", GROUP, options);
    this.#world.check();
    const here = members.filter((rank) => rank >= this.#first && rank < this.#first + this.nodeSize);
    const links = here.length < members.length ? this.#links : null;
    if (links !== null && options.trees !== undefined) {
      throw new UsageError(
        "trees: not allowed for a group over several nodes, as each node has its own trees. Leave it out.",
      );
    }
    const forced = options.trees === undefined ? this.#forced : null;
    const rows = here.map((rank) => rank - this.#first);
    const { trees = worldTrees(selectPEs(this.#model, rows), this.#oversubscribed, forced?.tree ?? null) } =
      options;
    if (options.trees !== undefined) checkTrees(trees, members.length);
    const bytes = teamBytes(trees, here.length);
    const scope = links === null ? "" : `over nodes ${members.toSorted((a, b) => a - b).join()} `;
    const holder = this.#holderFor(members);
    if (holder.termination.decided) throw holder.termination.error();
    const reserver = { holder, registry: this.#registry, team: this.#world.team };
    const need = { what: `group: ${here.length} PEs`, lower: () => "" };
    const what = { bytes, scope, making: `a group of ${pesText(members)}`, need };
    const makers = links?.makers(members, here) ?? null;
    const offset = makers === null ? reserve(reserver, here, what) : reserveOverNodes(reserver, makers, what);
    makers?.vote?.close();
    const seed = links === null ? 0 : orderOf(members);
    const team = new Team(holder, here, trees, offset, inGroup(members), seed, members);
    const hierarchy = links?.hierarchy(members, team) ?? null;
    const collectives = new Collectives(team, this.#async, this.#model.crossovers, forced?.by, hierarchy);
    this.#groups.add(collectives);
    const context = this.#contextFor(team, members);
    const seat = appendSeat(holder, this.#async, members, this.#links, this.#appends);
    const pairs = pairSeat(this.#pairing, members);
    const left = () => this.#groups.delete(collectives);
    return new Group(collectives, members, context, seat, pairs, (ranks) => this.group(ranks), left);
  }

  /** The time of this PE, ns: that of its thread, or the virtual time of a PE in the simulator. */
  get now(): number {
    return monotonic() * 1e6;
  }

  /**
   * Declares that what the program does next takes `ns` of computation. A virtual PE's time goes on by it; a real one takes
   * the time that it takes. @throws UsageError unless it is a number >= 0
   */
  work(ns: number): void {
    checkWork(ns);
  }

  /**
   * Sends a value to the thread that launched the run, which gets it by `run.on("message", (value, rank) => …)`: progress, partial
   * results. It waits for nobody. Values of a PE arrive in their order, and before the run resolves.
   * @param value anything that can be cloned
   * @throws UsageError for a value that cannot be cloned; StateError for a PE of `join`, whose thread has ports of its own
   */
  post(value: unknown): void {
    if (this.#post === null) {
      throw new StateError(
        "post: expected a PE that launch() or an open world started, got one of join(). Send the value by a port of its thread.",
      );
    }
    postCloned(this.#post, value);
  }

  /** A random number from 0 to 1; in the simulator it is determined by the seed. */
  random(): number {
    return Math.random();
  }

  /** The algorithm of each collective and the reason for it, one line each; the world's plan and what of it is used. */
  override explain(): string {
    return [super.explain(), ...explainPlanning(this.#planning)].join("\n");
  }

  /**
   * The last reported state of each PE of the world, and a sentence that names a broken rule of conveyors
   * (docs/contract.md, K1 to K3). It does not wait.
   * @param patience time without progress after which a rule counts as broken, ms. @default 1000
   */
  diagnose(patience?: number): Diagnosis {
    const { heap, wakers, termination } = this.#holder;
    return diagnose(
      { heap, wakers, termination, offset: this.#statusOffset, size: this.nodeSize, first: this.#first },
      patience,
    );
  }

  /** @internal the machine model that it plans with: a row for each PE of its node */
  get model(): MachineModel {
    return this.#model;
  }

  /**
   * @internal the error of a PE that leaves now; null if it may leave, and if the world has ended, which is reported in
   *   another way
   */
  get leavingError(): RankLostError | null {
    return this.#holder.termination.decided ? null : leavingError(this.rank, this.#sessions);
  }

  /** @internal frees the append buffers and channels that its program has not freed, and waits until nobody uses them any more */
  async closeOwn(): Promise<void> {
    await this.#appends.close();
    await closeChannels(this.#pairing.channels, this.#async);
  }

  /**
   * @internal between two runs: others may still need what its program has kept or freed. @returns what it waits for
   */
  serveUntil<T>(awaited: Promise<T>): Promise<T> {
    return this.#sessions.sideWork.runUntil(awaited);
  }

  /**
   * @internal what it has called and made with others, for the end of a run
   * @param isLast whether no other run follows: then a channel that the other PE has not made meets no other one
   */
  callsMade(isLast: boolean): CallsMade {
    const all = [this.#world, ...this.#groups];
    const reserved = [...this.#registry.made].filter(([whose]) => !(isLast && whose.startsWith(PAIRS)));
    return callsMadeIn(
      all.map((one) => [one.team.offset, one]),
      reserved,
    );
  }

  /** The PEs of the world that are lost, by rank: not empty only in a world that goes on without them (`onLoss: "continue"`). */
  get lost(): readonly number[] {
    return this.#holder.wakers.losses.all();
  }

  /** @internal resolves with whether all messages to other nodes were sent; with false when the world ends before */
  async untilSent(): Promise<boolean> {
    return (await this.#links?.sent(this.#isInVain())) ?? true;
  }

  /** Whether it is in vain to wait until all was sent: the world has ended, or it may be for a PE that is lost. */
  #isInVain(): () => boolean {
    const { termination, wakers } = this.#holder;
    let until = 0;
    return () => {
      if (termination.decided) return true;
      if (wakers.losses.count === 0) return false;
      const now = monotonic();
      if (until === 0) until = now + UNSENT_MS;
      return now > until;
    };
  }

  /** @internal whether PEs of other nodes may still need this one when its main has returned */
  get isServing(): boolean {
    return this.#appends.remotes.size > 0 || this.#pairing.channels.size > 0;
  }

  /** @internal waits until all messages to other nodes were sent; nothing is received afterwards */
  async closeLinks(): Promise<void> {
    const { termination, wakers } = this.#holder;
    if ((await this.#links?.close(this.#isInVain())) !== false || termination.decided) return;
    const what = this.#sessions.first?.words.one ?? "a conveyor's session";
    const message = `PE ${this.rank} returned from its main in the middle of ${what}.`;
    termination.decide(LOST, { rank: this.rank, message });
    wakers.notifyAll();
  }

  /**
   * Leaves the world: this PE makes no more calls, including calls in its groups. A PE that waits for it gets a
   * RankLostError. For PEs from `join`; a PE started by `launch` leaves when its main returns. The free functions then
   * act on the PE that the thread joined before, if there is one. A second call has no effect.
   * @throws RankLostError in the middle of a conveyor's session; the PE has then left and the world has ended
   */
  override leave(): void {
    if (this.#left) return;
    this.#left = true;
    const error = this.leavingError;
    const { termination, wakers } = this.#holder;
    if (error !== null) termination.decide(LOST, error);
    for (const channel of this.#pairing.channels) {
      channel.end();
      channel.abandon();
    }
    this.#world.retire();
    for (const collectives of this.#groups) collectives.retire();
    wakers.depart(this.rank);
    dropCurrent(this);
    this.#onLeave();
    if (error !== null) throw error;
  }
}
