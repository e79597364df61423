/** Trees over several nodes that are each like the machine: the map of nodes, and how long they take. */

import type { Tree } from "../../../../trees/model/tree.ts";
import { countText } from "../../../ground/base/units.ts";
import type { MachineModel } from "../../../machine/model/machine-model.ts";
import type { TreesOverNodes } from "../document.ts";
import { bars } from "./charts/bars.ts";
import { figure } from "./charts/figure.ts";
import { type MapMessage, mapPicture } from "./charts/map-picture.ts";
import { columns, heading, note } from "./section.ts";
import { pesText, timeIn } from "./words.ts";

/** Of more PEs a map has dots for nodes. */
const MOST_DRAWN = 512;

export function nodesFigures({ network, isOfModel, trees }: TreesOverNodes, unit: MachineModel["unit"]): string {
  const timeOf = timeIn(unit);
  const { nodes, pes, broadcast, bound } = trees;
  const way = network.send + (network.propagate ?? 0) + network.receive;
  const from = isOfModel
    ? ""
    : `The costs between nodes are assumed, ${timeOf(way)} for a short message: a profile under mpirun measures them.`;
  return [
    heading(`Trees over ${countText(nodes, "node")} of ${pesText(pes)}`),
    from === "" ? "" : note(from, "small"),
    columns([mapFigure(trees.broadcast, trees.sizes), timesFigure()]),
  ].join("");

  function timesFigure(): string {
    const all = [
      { name: "broadcast", value: broadcast.latency, bound: bound.broadcast },
      { name: "reduction", value: trees.reduce.latency, bound: bound.reduce },
      { name: `barrier, ${trees.barrier.kind}`, value: trees.barrier.latency, bound: undefined },
    ];
    return figure({
      id: "nodes-times",
      title: "How long they take",
      caption: `By the model, among all ${pesText(trees.sizes.reduce((sum, size) => sum + size, 0))}.`,
      drawing: bars(all.map((one) => ({ ...one, text: timeOf(one.value), isOurs: true }))),
      table: {
        head: ["operation", "latency", "lower bound"],
        rows: all.map((one) => [
          one.name,
          timeOf(one.value),
          one.bound === undefined ? "not known" : timeOf(one.bound),
        ]),
      },
    });
  }
}

function mapFigure(tree: Tree, sizes: readonly number[]): string {
  const nodeOf = sizes.flatMap((size, node) => Array.from({ length: size }, () => node));
  const messages = Object.entries(tree.children).flatMap(([from, children]) =>
    children.map((to, i): MapMessage => ({ from: Number(from), to, order: i + 1 })),
  );
  const across = messages.filter(({ from, to }) => nodeOf[from] !== nodeOf[to]);
  const isWhole = nodeOf.length <= MOST_DRAWN;
  const node = (rank: number) => nodeOf[rank] as number;
  return figure({
    id: "nodes-map",
    title: "The broadcast over nodes",
    caption: `${isWhole ? "PEs of a node lie together" : "A dot for each node"}; ${across.length} of ${messages.length} messages go to another node.`,
    drawing: isWhole
      ? mapPicture(
          { pes: [...nodeOf.keys()], messages, root: tree.root, domainsOf: (rank) => [node(rank)] },
          { nameOf: (rank) => `PE ${rank}`, colourOf: node },
        )
      : mapPicture(
          {
            pes: [...sizes.keys()],
            messages: across.map(({ from, to, order }) => ({ from: node(from), to: node(to), order })),
            root: node(tree.root),
          },
          { nameOf: (one) => `node ${one}`, colourOf: (one) => one },
        ),
    grow: 1.5,
    table: {
      head: ["from PE", "to PE", "from node", "to node"],
      rows: across.map(({ from, to }) => [from, to, node(from), node(to)]),
    },
  });
}
