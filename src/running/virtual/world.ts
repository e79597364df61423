/** The shared state of the virtual PEs of a world: the heap, the end of the world, and the teams. */
import type { Trees } from "../../../trees/model/tree.ts";
import { describeCall } from "../../collectives/team/call-words.ts";
import type { TeamHolder } from "../../collectives/team/team.ts";
import { teamBlockBytes } from "../../collectives/team/team-block.ts";
import { MismatchError, RankLostError, type TundishError, UsageError } from "../../ground/base/errors.ts";
import { fnv1a } from "../../ground/base/hash.ts";
import { LOST } from "../../ground/wait/layout.ts";
import { endingError } from "../../ground/wait/termination.ts";
import type { MachineModel } from "../../machine/model/machine-model.ts";
import { type RemoteCosts, remoteCosts } from "../../machine/model/remote-costs.ts";
import type { VirtualMachine } from "../simulate/machine.ts";
import { ConveyorRoom } from "../simulate/room.ts";
import type { SharedConveyor } from "../simulate/site.ts";
import type { VirtualPE } from "../simulate/virtual-pe.ts";
import { VirtualBlocks } from "./blocks.ts";
import { VirtualHeap } from "./heap.ts";
import { VirtualMailbox } from "./mailbox.ts";
import { VirtualMedium } from "./medium.ts";
import { VirtualPairs } from "./pairs.ts";
import { treesFor } from "./trees.ts";

/** Cost of a message between nodes to its sender, and to its receiver, ns (running/simulate/machine.ts). */
const MESSAGE_COST = 50;
/** The stream of the world's messages between nodes. */
export const WORLD_STREAM = 1;

/** PEs of a node that make calls together, with PEs of other nodes or without; all of them share it. */
export class SharedTeam {
  /** Their ranks in the world, in the order of the first that made it. */
  readonly members: readonly number[];
  /** The group that they are in, on all nodes. */
  readonly group: readonly number[];
  /** The stream of its messages between nodes. */
  readonly stream: number;
  /** Where the group's conveyors are made, on all nodes. */
  readonly room: ConveyorRoom;
  readonly trees: Trees;
  /** Byte offset of the team's block. */
  readonly offset: number;
  readonly medium: VirtualMedium;
  readonly #onEnd: () => void;
  #left = 0;

  /** @param onEnd called when all PEs have left */
  constructor(
    world: VirtualWorld,
    { group, members, trees, stream, room }: Pick<SharedTeam, "group" | "members" | "trees" | "stream" | "room">,
    onEnd: () => void = () => {},
  ) {
    const { machine, heap } = world;
    this.members = members;
    this.group = group;
    this.stream = stream;
    this.room = room;
    this.trees = trees;
    this.offset = heap.allocate(teamBlockBytes(members.length));
    this.#onEnd = onEnd;
    this.medium = new VirtualMedium({ machine, heap, pes: members.map((rank) => machine.pes[rank]) });
  }

  /** A PE has left. */
  leave(): void {
    if (++this.#left < this.members.length) return;
    this.medium.free();
    this.#onEnd();
  }
}

/** Of a group, on all nodes. */
interface SharedRoom {
  readonly room: ConveyorRoom;
  /** Its ranks, in the order of the first that made it. */
  readonly group: readonly number[];
  left: number;
}

/** The world of the virtual PEs of a machine. */
export class VirtualWorld {
  readonly machine: VirtualMachine;
  readonly heap: VirtualHeap;
  /** Of the world itself; {@link terminationOf} its groups. */
  readonly termination: TeamHolder["termination"];
  /** By rank. */
  readonly mailboxes: readonly VirtualMailbox[];
  /** The first rank of each node, and the number of PEs. */
  readonly starts: readonly number[];
  readonly costs: RemoteCosts;
  readonly #model: MachineModel | undefined;
  /** Word index of a word that is not 0 once a PE is lost, or the world has ended. */
  readonly #trouble: number;
  readonly #nodes: SharedTeam[] = [];
  /** All ranks. */
  readonly ranks: readonly number[];
  /** By their members, and how many teams of the same members came before. */
  readonly #teams = new Map<string, SharedTeam>();
  /** By their members' numbers in their node. */
  readonly #trees = new Map<string, Trees>();
  /** All conveyors, in the order in which they were made. */
  readonly conveyors: SharedConveyor[] = [];
  readonly pairs: VirtualPairs = new VirtualPairs(this);
  readonly blocks: VirtualBlocks;
  readonly #room: ConveyorRoom;
  /** As {@link #teams}, those of all nodes together. */
  readonly #rooms = new Map<string, SharedRoom>();

  /** @param model of a node; undefined for equal costs */
  constructor(machine: VirtualMachine, model: MachineModel | undefined) {
    const heap = new VirtualHeap(machine.memory);
    const word = heap.allocate(8) / 4;
    this.#trouble = word + 1;
    this.machine = machine;
    this.heap = heap;
    this.blocks = new VirtualBlocks(heap);
    this.ranks = machine.pes.map(({ rank }) => rank);
    this.#model = model;
    this.#room = new ConveyorRoom(machine, this.conveyors);
    const { nodes, nodeSize, network } = machine.settings;
    this.starts = Array.from({ length: nodes + 1 }, (_, node) => node * nodeSize);
    const mailboxes: VirtualMailbox[] = [];
    if (nodes > 1) for (const pe of machine.pes) mailboxes.push(new VirtualMailbox(machine, heap, pe, mailboxes));
    this.mailboxes = mailboxes;
    const near = model === undefined || nodes === 1 ? 2 * MESSAGE_COST : remoteCosts(model).near;
    const alpha = 2 * MESSAGE_COST + network.alpha + network.receiver;
    this.costs = { alpha, overhead: MESSAGE_COST, near, mpi: null };
    machine.onEnd = () => {
      heap.i32[word] = LOST;
      heap.i32[word + 1] = LOST;
    };
    machine.onLoss = () => {
      heap.i32[word + 1] = LOST;
    };
    machine.whyStuck = () => whyStuck(machine);
    this.termination = {
      word,
      get decided() {
        return machine.termination !== null;
      },
      decide(ending, verdict) {
        return machine.end(endingError(ending, verdict));
      },
      error: () => machine.termination as TundishError,
    };
  }

  /** The termination of a group: its own where losses are survived. @param group by rank in the world */
  terminationOf(group: readonly number[]): TeamHolder["termination"] {
    const { machine, termination } = this;
    if (machine.settings.onLoss === "end") return termination;
    const pes = group.map((rank) => machine.pes[rank]);
    return {
      word: this.#trouble,
      get decided() {
        return machine.endOf(pes) !== null;
      },
      decide: termination.decide,
      error: () => machine.endOf(pes) as TundishError,
    };
  }

  /** The PEs of a node, in the world. */
  teamOf(node: number): SharedTeam {
    const known = this.#nodes[node];
    if (known !== undefined) return known;
    const members = this.ranks.filter((rank) => this.machine.pes[rank].node === node);
    const team = new SharedTeam(this, {
      group: this.ranks,
      members,
      trees: this.#treesOf(members),
      stream: WORLD_STREAM,
      room: this.#room,
    });
    this.#nodes[node] = team;
    return team;
  }

  /** The PEs of a node in a group that one of them makes for the `instance`-th time. @throws MismatchError */
  team(group: readonly number[], node: number, instance: number, given?: Trees): SharedTeam {
    const name = `${group.toSorted((a, b) => a - b).join()}#${instance}`;
    const key = `${name}@${node}`;
    const entry = this.#roomOf(name, group);
    const known = this.#teams.get(key);
    if (known !== undefined) return known;
    const members = group.filter((rank) => this.machine.pes[rank].node === node);
    const trees = given ?? this.#treesOf(members);
    const parts = { group, members, trees, stream: fnv1a(name), room: entry.room };
    const team = new SharedTeam(this, parts, () => {
      this.#teams.delete(key);
      entry.left += members.length;
      if (entry.left === group.length) this.#rooms.delete(name);
    });
    this.#teams.set(key, team);
    return team;
  }

  /** @throws MismatchError, which ends the world, if its ranks came in another order before */
  #roomOf(name: string, group: readonly number[]): SharedRoom {
    const { machine, conveyors } = this;
    const known = this.#rooms.get(name);
    if (known === undefined) {
      const pes = group.map((rank) => machine.pes[rank]);
      const entry = { room: new ConveyorRoom(machine, conveyors, pes), group, left: 0 };
      this.#rooms.set(name, entry);
      return entry;
    }
    if (known.group.every((rank, i) => rank === group[i])) return known;
    const error = new MismatchError(
      `group([${group.join(", ")}]): another PE of this group has called it with the same ranks in another order. ` +
        "All PEs of a group must call it with the same ranks in the same order.",
    );
    machine.end(error);
    throw error;
  }

  #treesOf(members: readonly number[]): Trees {
    const { trees, nodeSize } = this.machine.settings;
    const rows = members.map((rank) => rank % nodeSize);
    if (trees !== null && rows.length === nodeSize && rows.every((row, i) => row === i)) return trees;
    const key = rows.join();
    const known = this.#trees.get(key) ?? treesFor(this.#model, rows);
    this.#trees.set(key, known);
    return known;
  }
}

/** Why PEs wait for ever, if their waits say it. */
function whyStuck(machine: VirtualMachine): TundishError | null {
  const waiting = machine.pes.filter(({ over }) => !over);
  const asked = new Set<string>();
  for (const pe of waiting) {
    for (const wait of waitsOf(pe)) {
      // one PE of a team sees the calls of all
      const key = `${pe.node} ${wait.team}`;
      if (asked.has(key)) continue;
      asked.add(key);
      try {
        wait.verify?.();
      } catch (error) {
        return error as TundishError;
      }
    }
  }
  const other = otherCalls(waiting);
  if (other !== null) return other;
  for (const pe of waiting) {
    for (const { peer = -1 } of waitsOf(pe)) {
      if (peer < 0 || !machine.pes[peer].over || machine.pes[peer].crashed) continue;
      return new RankLostError(
        peer,
        `PE ${peer} has returned from its main, or left, without the call that PE ${pe.rank} waits in. ` +
          "Collectives must be called by all PEs, in the same order.",
      );
    }
  }
  return null;
}

/** The error of PEs of several nodes that wait in different calls of a group. */
function otherCalls(waiting: readonly VirtualPE[]): MismatchError | null {
  const seen = new Map<string, { readonly rank: number; readonly words: string }>();
  for (const { rank, awaiting } of waiting) {
    for (const { team = "", calling } of awaiting?.waits ?? []) {
      if (calling === undefined) continue;
      const words = describeCall(calling);
      const key = `${calling.sequence}${team}`;
      const first = seen.get(key);
      if (first === undefined) seen.set(key, { rank, words });
      else if (first.words !== words) {
        return new MismatchError(
          `PE ${first.rank} called ${first.words}; PE ${rank} called ${words} (call number ${calling.sequence}${team}). ` +
            "All PEs must make the same collective calls in the same order, with the same op, type, length and root.",
        );
      }
    }
  }
  return null;
}

const waitsOf = (pe: VirtualPE) => pe.awaiting?.waits ?? [];

/** @throws UsageError unless these are distinct ranks, with `rank` among them */
export function checkMembers(members: readonly unknown[], rank: number, size: number): void {
  const isRank = (one: unknown) => Number.isInteger(one) && (one as number) >= 0 && (one as number) < size;
  if (members.every(isRank) && new Set(members).size === members.length && members.includes(rank)) return;
  throw new UsageError(
    `group: expected distinct ranks from 0 to ${size - 1}, this PE's own (${rank}) among them, got [${members.join(", ")}]`,
  );
}
