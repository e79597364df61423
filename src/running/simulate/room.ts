/**
 * Rooms: where the conveyors of the virtual world, or of a group of it, are made. All PEs of the world or the group
 * share one, as they share the conveyors.
 */

import { MismatchError } from "../../ground/base/errors.ts";
import { median } from "../../ground/base/math.ts";
import { domainsAmong } from "../../links/world/domains.ts";
import type { Sites } from "../../pe/seat.ts";
import type { CostModel } from "../../plan/model/cost-model.ts";
import { type NodeLayout, oneNode } from "../../route/geometry/conveyor-choice.ts";
import type { Levels } from "../../route/geometry/grid.ts";
import { type GroupNodes, nodesLayout, type RemoteLinks, remoteLinksOf } from "../../route/geometry/nodes.ts";
import type { VirtualMachine } from "./machine.ts";
import type { Peers } from "./porter.ts";
import { SharedConveyor, SimulatedSite } from "./site.ts";
import type { VirtualPE } from "./virtual-pe.ts";

export class ConveyorRoom implements Peers {
  readonly machine: VirtualMachine;
  readonly pes: readonly VirtualPE[];
  readonly nodes: number;
  readonly nodeSize: number;
  readonly #among: GroupNodes;
  readonly #isWorld: boolean;
  /** In the order in which its PEs make them. */
  readonly #conveyors: SharedConveyor[] = [];
  /** Those of all rooms, in the order in which they were made. */
  readonly #all: SharedConveyor[];
  readonly #remoteLinks: RemoteLinks;
  #levels: Levels | undefined;
  #layout: NodeLayout | undefined;
  #costs: CostModel | undefined;

  /** @param pes of a group. @default those of the world @param all gets each conveyor that is made */
  constructor(machine: VirtualMachine, all: SharedConveyor[], pes: readonly VirtualPE[] = machine.pes) {
    const among = nodesOf(pes);
    this.machine = machine;
    this.pes = pes;
    this.nodes = among.sizes.length;
    this.nodeSize = Math.max(...among.sizes);
    this.#among = among;
    this.#isWorld = pes === machine.pes;
    this.#all = all;
    this.#remoteLinks = this.nodes === 1 ? () => 0 : remoteLinksOf(among);
  }

  /** Those of one of its PEs. @param rank in the group */
  sites(rank: number): Sites {
    let made = 0;
    const { machine, pes } = this;
    const levels = () => this.#levelsAmong();
    const layout = () => this.#nodeLayout();
    return {
      rank,
      size: pes.length,
      get levels() {
        return levels();
      },
      get nodeLayout() {
        return layout();
      },
      costs: () => this.#costModel(),
      planning: machine.settings.planning,
      pesOfNode: this.#among.sizes,
      remoteLinks: this.#remoteLinks,
      site: (plan, maxBytes) => {
        const shared = this.#conveyor(made++, plan);
        const { terms } = shared.plan;
        if (terms !== plan.terms) {
          const error = new MismatchError(
            `Another PE has made a conveyor or an exchange with ${terms}, PE ${pes[rank].rank} with ${plan.terms}. All PEs must make ` +
              "theirs in the same order, with the same item and options.",
          );
          machine.end(error);
          throw error;
        }
        if (shared.refusal !== null) throw shared.refusal;
        return new SimulatedSite(shared, rank, plan, maxBytes);
      },
    };
  }

  #conveyor(number: number, plan: SharedConveyor["plan"]): SharedConveyor {
    const known = this.#conveyors[number];
    if (known !== undefined) return known;
    const shared = new SharedConveyor(plan, this);
    this.#conveyors[number] = shared;
    this.#all.push(shared);
    return shared;
  }

  #levelsAmong(): Levels {
    const { levels } = this.machine.settings;
    this.#levels ??= this.#isWorld
      ? levels
      : domainsAmong(
          levels,
          this.pes.map(({ rank }) => rank),
        );
    return this.#levels;
  }

  /** The inputs of conveyors' choices; found when the first is made. */
  #nodeLayout(): NodeLayout {
    const nodeSize = this.#among.isEven ? this.nodeSize : undefined;
    this.#layout ??= {
      ...oneNode(this.#levelsAmong()),
      nodeSize,
      ...(this.nodes > 1 && { bytesOf: nodesLayout(this.#among).bytesOf }),
    };
    return this.#layout;
  }

  #costModel(): CostModel {
    this.#costs ??= this.#isWorld ? this.machine.settings : this.#costsAmong();
    return this.#costs;
  }

  /** As those of real groups (pe/sites.ts): the matrix of the PEs of one node, or what is usual within nodes. */
  #costsAmong(): CostModel {
    const { machine, pes, nodes, nodeSize } = this;
    const { nodeOf: places, numbers } = this.#among;
    const { send, receive, network, costs } = machine.settings;
    const here = pes.filter(({ node }) => node === pes[0].node);
    const among = (matrix: CostModel["send"]) =>
      matrix === null ? null : here.map((a) => here.map((b) => matrix[a.nodeRank][b.nodeRank]));
    const matrices = { send: among(send), receive: among(receive) };
    const usual = (matrix: CostModel["send"]) => median(others(matrix).sort((a, b) => a - b));
    const isKnown = others(matrices.send).length > 0;
    const near = isKnown && { near: { send: usual(matrices.send), receive: usual(matrices.receive) } };
    return {
      pes: pes.length,
      nodes,
      nodeSize,
      network,
      costs,
      levels: this.#levelsAmong(),
      nodeOf: places.map((node) => numbers.indexOf(node)),
      ...(nodes === 1 ? matrices : { send: null, receive: null, ...near }),
    };
  }
}

function nodesOf(pes: readonly VirtualPE[]): GroupNodes {
  const sizeOf = new Map<number, number>();
  for (const { node } of pes) sizeOf.set(node, (sizeOf.get(node) ?? 0) + 1);
  const numbers = [...sizeOf.keys()].sort((a, b) => a - b);
  const sizes = numbers.map((node) => sizeOf.get(node) ?? 0);
  const isEven = new Set(sizes).size === 1;
  return { nodeOf: Int32Array.from(pes, ({ node }) => node), sizes, numbers, isEven, areMapped: false };
}

/** The entries of a matrix beside its diagonal. */
const others = (matrix: CostModel["send"]): number[] =>
  matrix?.flatMap((row, from) => row.filter((_, to) => to !== from)) ?? [];
