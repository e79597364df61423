/**
 * A group over several nodes, as one of its PEs has it: which PEs live together, the messages between those that do
 * not, and the schedules of its collectives. What they run on is made of it in engine.ts.
 */

import type { Post } from "../../links/transport/messages/post.ts";
import { BY_MPI, heapAt, type Nodes, nodeOf } from "../../links/transport/nodes.ts";
import type { RemoteCosts } from "../../machine/model/remote-costs.ts";
import { Choice } from "../calls/mpi-choice.ts";
import type { Team } from "../team/team.ts";
import { Messages } from "./messages.ts";
import { MpiCollectives } from "./mpi-collectives.ts";
import { Schedules } from "./schedules.ts";
import { HeapScratch } from "./scratch.ts";
import { Subgroups } from "./subgroups.ts";

/** Access of a PE to other nodes. */
export interface OtherNodes {
  readonly mailbox: Post;
  readonly nodes: Nodes;
  readonly costs: RemoteCosts;
}

/** One PE's view of a group over several nodes. */
export class Hierarchy {
  readonly subgroups: Subgroups;
  /** The PEs of this one's subgroup. */
  readonly team: Team;
  readonly messages: Messages;
  readonly mailbox: Post;
  /** Of messages; the same at all members, and of no other group. */
  readonly stream: number;
  /** Of messages between nodes. */
  readonly costs: RemoteCosts;
  readonly mpi: MpiCollectives;
  /** Which steps between nodes are by the MPI library. */
  readonly choice: Choice;
  /** Without copies: of numbers and packed values. */
  readonly schedules: Schedules;
  /** With the steps that copy an array from where it cannot be sent. */
  readonly arraySchedules: Schedules;
  /** Memory for received elements. */
  readonly scratch: HeapScratch;
  /** For this PE's own elements where they do not lie in the heap. */
  readonly staging: HeapScratch;
  readonly #onLeave: () => void;

  /**
   * @param members of the group, as the world numbers them
   * @param team those of them on this node
   * @param stream of messages; the same at all members, and of no other group
   * @param onLeave called when this PE leaves the group
   */
  constructor(
    { mailbox, nodes, costs }: OtherNodes,
    members: readonly number[],
    team: Team,
    stream: number,
    onLeave: () => void = () => {},
  ) {
    this.#onLeave = onLeave;
    this.mailbox = mailbox;
    this.stream = stream;
    this.subgroups = new Subgroups(nodes, members, team.rank);
    this.team = team;
    this.costs = costs;
    this.messages = new Messages(mailbox, members, team, stream);
    const { subgroups, messages } = this;
    const ofSubgroups = subgroups.all.map(({ leader }) => nodeOf(nodes, members[leader] as number));
    this.mpi = new MpiCollectives({
      mailbox,
      team,
      subgroups,
      messages,
      members,
      nodes: ofSubgroups,
      stream,
    });
    const isMapped = ofSubgroups.every((node) => node === nodes.node || heapAt(nodes, node) !== BY_MPI);
    // measured were messages by MPI: those through memory are faster than the library's collectives
    this.choice = new Choice(subgroups.all.length, isMapped ? { ...costs, mpi: null } : costs);
    this.schedules = new Schedules(this.subgroups, costs, false);
    this.arraySchedules = new Schedules(this.subgroups, costs, true);
    this.scratch = new HeapScratch(team.heap);
    this.staging = new HeapScratch(team.heap);
  }

  leave(): void {
    this.mpi.leave(this.team.isRunning);
    this.messages.leave();
    this.scratch.free();
    this.staging.free();
    this.#onLeave();
  }
}
