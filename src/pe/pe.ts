/** The PE: one member of a run, with everything it can do. */

import { worldTrees } from "../../trees/generate/world-trees.ts";
import { checkTrees } from "../../trees/model/check-world-trees.ts";
import type { Trees } from "../../trees/model/types.ts";
import { NoPEError, type RankLostError, UsageError } from "../base/errors.ts";
import { checkOptions, optionsOf, unchecked } from "../base/options.ts";
import { shortText } from "../base/short-text.ts";
import { Collectives } from "../collectives/collectives.ts";
import { reserveOverNodes } from "../collectives/hierarchy/agreement.ts";
import { Payload } from "../collectives/team/payload.ts";
import { Registry } from "../collectives/team/registry.ts";
import { reserve } from "../collectives/team/reservation.ts";
import { inGroup, type Seatholder, Team, teamBytes } from "../collectives/team/team.ts";
import { type Diagnosis, diagnose } from "../diagnose/diagnose.ts";
import { selectPEs } from "../machine/select.ts";
import type { MachineModel } from "../machine/types.ts";
import { Heap } from "../memory/heap.ts";
import type { WasmMemory } from "../memory/kernels/webassembly.ts";
import { Status } from "../status/status.ts";
import { Idler } from "../transport/heap/idler.ts";
import { leavingError, type Sessions } from "../transport/underway.ts";
import { AsyncWaiter } from "../wait/async.ts";
import { LOST } from "../wait/layout.ts";
import { chooseStrategy } from "../wait/strategy.ts";
import { Termination } from "../wait/termination.ts";
import { ParkingWaiter } from "../wait/waiter.ts";
import { Wakers } from "../wait/wakers.ts";
import type { Forced, Seat } from "../world/layout.ts";
import { type ContextFor, contextsOf } from "./conveyor-sites.ts";
import { Group } from "./group.ts";
import { NodeLinks, orderOf } from "./node-links.ts";

/** How a group is made. */
export interface GroupOptions {
  /** Trees to run on, over ranks in the group; the same at all its PEs. @default what the machine model prefers */
  readonly trees?: Trees;
}

// with the number of ranks: checkTrees
const GROUP = optionsOf<GroupOptions>({ trees: unchecked });

/** Longest sleep of a PE that drives conveyors, ms: it may look at other things between two turns. */
const CONVEYOR_SLICE_MS = 1;

/**
 * One processing element: the world as a {@link Group}, and what concerns the PE itself. A worker that
 * `launch` started gets its own as the first argument of its `spmd` main; any thread gets one by `join`.
 */
export class PE extends Group {
  /** Number of the node this PE runs on. */
  readonly node: number;
  /** Number of nodes in the world. */
  readonly nodes: number;
  /** This PE's number within its node. */
  readonly nodeRank: number;
  /** Number of PEs of its node. */
  readonly nodeSize: number;
  /** The CPU it is bound to; null when it is not. */
  readonly cpu: number | null;
  /** The trees that its collectives run on within its node. */
  readonly trees: Trees;
  readonly #holder: Seatholder;
  /** To other nodes; null when there are none. */
  readonly #links: NodeLinks | null;
  /** The rank of the node's first PE: that of row 0 of the model. */
  readonly #first: number;
  readonly #async: AsyncWaiter;
  readonly #model: MachineModel;
  /** More PEs on the node than cores. */
  readonly #oversubscribed: boolean;
  readonly #forced: Forced | null;
  readonly #registry: Registry;
  readonly #contextFor: ContextFor;
  readonly #onLeave: () => void;
  readonly #statusOffset: number;
  readonly #sessions: Sessions;
  readonly #world: Collectives;
  /** Of the groups that this PE is in. */
  readonly #groups = new Set<Collectives>();
  #left = false;

  /** @internal made by the worker's start-up code and by join() */
  constructor(seat: Seat, trees: Trees, model: MachineModel, onLeave: () => void = () => {}) {
    const heap = Heap.attach(seat.memory as WasmMemory);
    const wakers = new Wakers(heap.i32, seat.waitOffset, seat.size);
    const termination = new Termination(heap.i32, heap.u8, seat.waitOffset);
    const strategy = chooseStrategy(seat.nodeSize, seat.cores);
    const waiter = new ParkingWaiter(seat.rank, wakers, termination, strategy);
    const turns = new ParkingWaiter(seat.rank, wakers, termination, {
      ...strategy,
      sliceMs: CONVEYOR_SLICE_MS,
    });
    if (seat.waitTimeout !== null) {
      waiter.timeout = seat.waitTimeout;
      turns.timeout = seat.waitTimeout;
    }
    const status = new Status(heap.i32, heap.u8, seat.statusOffset, seat.rank - seat.first);
    waiter.status = status;
    const payload = new Payload(heap);
    const holder = { rank: seat.rank, heap, wakers, termination, waiter, payload, checks: seat.checks };
    const ranks = Array.from({ length: seat.size }, (_, rank) => rank);
    const here = ranks.slice(seat.first, seat.first + seat.nodeSize);
    const async = new AsyncWaiter(seat.rank, heap.i32, wakers, termination);
    const team = new Team(holder, here, trees, seat.teamOffset);
    const links = seat.cluster && new NodeLinks(seat.cluster, heap, seat.rank);
    const hierarchy = links?.hierarchy(ranks, team) ?? null;
    const collectives = new Collectives(team, async, model.crossovers, seat.forced?.by, hierarchy);
    const registry = new Registry(heap, seat.registryOffset, seat.rank, seat.first);
    const idler = new Idler(turns);
    const problems = (patience: number) => this.diagnose(patience).problems;
    const { first } = seat;
    const sessions: Sessions = new Set();
    const resources = { holder, registry, idler, async, status, sessions, problems, model, first, links };
    const contextFor = contextsOf(resources);
    super(collectives, ranks, contextFor(team, ranks));
    this.#sessions = sessions;
    this.#contextFor = contextFor;
    this.#world = collectives;
    this.#links = links;
    this.node = seat.cluster?.nodes.node ?? 0;
    this.nodes = (seat.cluster?.nodes.starts.length ?? 2) - 1;
    this.#first = seat.first;
    this.nodeRank = seat.rank - seat.first;
    this.nodeSize = seat.nodeSize;
    this.cpu = seat.cpu;
    this.trees = trees;
    this.#holder = holder;
    this.#async = async;
    this.#model = model;
    this.#oversubscribed = seat.nodeSize > seat.cores;
    this.#forced = seat.forced;
    this.#registry = registry;
    this.#onLeave = onLeave;
    this.#statusOffset = seat.statusOffset;
  }

  /**
   * A group of some PEs, for collectives among them; this PE must be one. All PEs of the group call it
   * with the same ranks in the same order, and as often: their n-th calls belong together, and one that the
   * others do not make gives a group in which nobody answers. Where the heap has room it does not wait for PEs of its node; where it has
   * none, it waits for what they give back. It waits for one PE of each other node in the group. Groups may overlap,
   * and disjoint ones work at the same time. A group takes some of the heap (280 KB for two PEs) until all
   * its PEs have left it: `using group = pe.group(ranks)`, or {@link Group.leave}.
   * @throws UsageError for ranks that are no ranks, twice the same, or without this PE, and for trees that do
   *   not reach each of the group's ranks once; HeapError at all its PEs when the heap of a node is full, and the world goes
   *   on; what ends a wait;
   *   MismatchError when another PE has made the group with the ranks in another order
   */
  group(ranks: readonly number[], options: GroupOptions = {}): Group {
    const members = Array.from(ranks ?? []);
    const isRank = (rank: unknown) =>
      Number.isInteger(rank) && (rank as number) >= 0 && (rank as number) < this.size;
    if (!members.every(isRank) || new Set(members).size !== members.length || !members.includes(this.rank)) {
      throw new UsageError(
        `group: expected distinct ranks from 0 to ${this.size - 1}, this PE's own (${this.rank}) among them, ` +
          `got [${members.map(shortText).join(", ")}]`,
      );
    }
    checkOptions("group", GROUP, options);
    this.#world.check();
    const here = members.filter((rank) => rank >= this.#first && rank < this.#first + this.nodeSize);
    const links = here.length < members.length ? this.#links : null;
    if (links !== null && options.trees !== undefined) {
      throw new UsageError(
        "trees: a group over several nodes takes none, as each node has trees of its own.",
      );
    }
    const forced = options.trees === undefined ? this.#forced : null;
    const rows = here.map((rank) => rank - this.#first);
    const { trees = worldTrees(selectPEs(this.#model, rows), this.#oversubscribed, forced?.tree ?? null) } =
      options;
    if (options.trees !== undefined) checkTrees(trees, members.length);
    const bytes = teamBytes(trees, here.length);
    const scope = links === null ? "" : `over nodes ${members.toSorted((a, b) => a - b).join()} `;
    const reserver = { holder: this.#holder, registry: this.#registry, team: this.#world.team };
    const what = { bytes, scope };
    const makers = links?.makers(members, here) ?? null;
    const offset = makers === null ? reserve(reserver, here, what) : reserveOverNodes(reserver, makers, what);
    makers?.vote?.close();
    const seed = links === null ? 0 : orderOf(members);
    const team = new Team(this.#holder, here, trees, offset, inGroup(members), seed);
    const hierarchy = links?.hierarchy(members, team) ?? null;
    const collectives = new Collectives(team, this.#async, this.#model.crossovers, forced?.by, hierarchy);
    this.#groups.add(collectives);
    const context = this.#contextFor(team, members);
    return new Group(collectives, members, context, () => this.#groups.delete(collectives));
  }

  /**
   * What each PE of the world was last known to do, and which promise of conveyors (docs/contract.md, K1 to K3) is
   * broken, in a sentence. It waits for nobody.
   * @param patience time without progress after which something is called broken, ms. @default 1000
   */
  diagnose(patience?: number): Diagnosis {
    const { heap, wakers, termination } = this.#holder;
    return diagnose(
      { heap, wakers, termination, offset: this.#statusOffset, size: this.nodeSize, first: this.#first },
      patience,
    );
  }

  /** @internal the error of a PE that leaves now; null when it may, and when the world has ended, of which it is told otherwise */
  get leavingError(): RankLostError | null {
    return this.#holder.termination.decided ? null : leavingError(this.rank, this.#sessions);
  }

  /** @internal waits until what it has sent to other nodes has gone; it receives nothing more then */
  async closeLinks(): Promise<void> {
    const { termination, wakers } = this.#holder;
    if ((await this.#links?.close(() => termination.decided)) !== false || termination.decided) return;
    const message = `PE ${this.rank} has returned from its main in the middle of a conveyor's session.`;
    termination.decide(LOST, { rank: this.rank, message });
    wakers.notifyAll();
  }

  /**
   * Leaves the world: this PE calls nothing more, in its groups either, and who waits for it gets a
   * RankLostError. For PEs from `join`; one that `launch` started leaves when its main returns. The free
   * functions act on the PE that the thread joined before, if there is one. Left twice is left once.
   * @throws RankLostError in the middle of a conveyor's session: it has left then, and the world has ended
   */
  override leave(): void {
    if (this.#left) return;
    this.#left = true;
    const error = this.leavingError;
    const { termination, wakers } = this.#holder;
    if (error !== null) termination.decide(LOST, error);
    this.#world.retire();
    for (const collectives of this.#groups) collectives.retire();
    wakers.depart(this.rank);
    dropPE(this);
    this.#onLeave();
    if (error !== null) throw error;
  }
}

// on the global object, so that they hold for every copy of the package that this thread has loaded
const kCurrent: unique symbol = Symbol.for("tundish.pe");
const kAll: unique symbol = Symbol.for("tundish.pes");
type Holder = { [kCurrent]?: PE; [kAll]?: PE[] };

/** Makes `pe` the PE of this thread, until it leaves. */
export function setCurrentPE(pe: PE): void {
  const holder = globalThis as Holder;
  holder[kAll] ??= [];
  holder[kAll].push(pe);
  holder[kCurrent] = pe;
}

/** The thread's PE is the latest that is left over; the last of all stays, and says that it has left. */
function dropPE(pe: PE): void {
  const holder = globalThis as Holder;
  const others = holder[kAll]?.filter((other) => other !== pe) ?? [];
  if (others.length === 0) return;
  holder[kAll] = others;
  holder[kCurrent] = others.at(-1) as PE;
}

/** The PE of this thread. @throws NoPEError when it is none */
export function currentPE(what: string): PE {
  const pe = (globalThis as Holder)[kCurrent];
  if (pe === undefined) throw new NoPEError(what);
  return pe;
}
