/** The world as a virtual PE has it: the same collectives and sites as those of threads, in virtual time. */

import { checkTrees } from "../../../trees/model/check-world-trees.ts";
import type { Trees } from "../../../trees/model/tree.ts";
import type { Collectives } from "../../collectives/collectives.ts";
import { inGroup } from "../../collectives/team/team.ts";
import { UsageError } from "../../ground/base/errors.ts";
import type { Diagnosis } from "../../links/diagnose/diagnose.ts";
import { type CallsMade, callsMadeIn } from "../../pe/calls-made.ts";
import { type Group, newGroup } from "../../pe/group.ts";
import type { GroupOptions } from "../../pe/group-options.ts";
import type { OwnWorld } from "../../pe/pe.ts";
import { postCloned } from "../../pe/post.ts";
import type { Seat } from "../../pe/seat.ts";
import { explainPlanning } from "../../plan/document/world-plan.ts";

import type { VirtualMachine } from "../simulate/machine.ts";
import type { VirtualPE } from "../simulate/virtual-pe.ts";
import { Station } from "./station.ts";
import { checkMembers, type VirtualWorld, WORLD_STREAM } from "./world.ts";

/** That of one virtual PE. */
export class VirtualOwnWorld implements OwnWorld {
  readonly seat: Seat;
  readonly node: number;
  readonly nodes: number;
  readonly nodeRank: number;
  readonly nodeSize: number;
  readonly cpu: null = null;
  readonly trees: Trees;
  readonly #station: Station;
  readonly #machine: VirtualMachine;
  readonly #pe: VirtualPE;
  /** The groups that it is in, with their streams, which are the same at all their PEs. */
  readonly #groups = new Map<Collectives, number>();
  /** Groups that it has made, by their members. */
  readonly #instances = new Map<string, number>();

  constructor(world: VirtualWorld, pe: VirtualPE) {
    const { machine } = world;
    const station = new Station(world, pe, this.group.bind(this));
    const shared = world.teamOf(pe.node);
    this.seat = station.seat(shared.group, station.collectives(shared, ""), shared.room.sites(pe.rank));
    this.#station = station;
    this.#machine = machine;
    this.#pe = pe;
    this.node = pe.node;
    this.nodes = machine.settings.nodes;
    this.nodeRank = pe.nodeRank;
    this.nodeSize = machine.settings.nodeSize;
    this.trees = shared.trees;
  }

  get now(): number {
    return this.#pe.clock;
  }

  post(value: unknown): void {
    const { onMessage } = this.#machine.settings;
    postCloned((given) => onMessage(structuredClone(given), this.#pe.rank), value);
  }

  work(ns: number): void {
    this.#pe.clock = Math.max(this.#pe.clock, this.#machine.now) + ns;
    this.#pe.moved = true;
  }

  random(): number {
    return this.#machine.random();
  }

  group(ranks: readonly number[], options: GroupOptions = {}): Group {
    const members = Array.from(ranks ?? []);
    checkMembers(members, this.#pe.rank, this.seat.size);
    if (options.trees !== undefined) checkTrees(options.trees, members.length);
    this.seat.collectives.check();
    const { world } = this.#station;
    const termination = world.terminationOf(members);
    if (termination.decided) throw termination.error();
    const key = members.toSorted((a, b) => a - b).join();
    const instance = (this.#instances.get(key) ?? 0) + 1;
    this.#instances.set(key, instance);
    const isOverNodes = members.some((rank) => this.#machine.pes[rank].node !== this.node);
    if (isOverNodes && options.trees !== undefined) {
      throw new UsageError(
        "trees: not allowed for a group over several nodes, as each node has its own trees. Leave it out.",
      );
    }
    const shared = world.team(members, this.node, instance, options.trees);
    const collectives = this.#station.collectives(shared, inGroup(members));
    this.#groups.set(collectives, shared.stream);
    const seat = this.#station.seat(members, collectives, shared.room.sites(members.indexOf(this.#pe.rank)));
    return newGroup(seat, () => {
      if (this.#groups.delete(collectives)) shared.leave();
    });
  }

  /** As that of a real PE. */
  get callsMade(): CallsMade {
    const groups = [...this.#groups].map(([group, stream]) => [stream, group] as const);
    return callsMadeIn([[WORLD_STREAM, this.seat.collectives], ...groups], this.#instances);
  }

  closeOwn(): Promise<void> {
    const { kept, waits } = this.#station;
    return kept.close(waits);
  }

  explain(): readonly string[] {
    return explainPlanning(this.#machine.settings.planning);
  }

  diagnose(): Diagnosis {
    throw new UsageError("diagnose: expected a real PE: a virtual one that waits for ever ends its world.");
  }

  get lost(): readonly number[] {
    return [...this.#machine.lost.keys()].map(({ rank }) => rank).toSorted((a, b) => a - b);
  }

  leave(): never {
    throw new UsageError("leave: a virtual PE leaves when its program ends, as one that launch() started does.");
  }
}
