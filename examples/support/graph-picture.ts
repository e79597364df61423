/** A graph drawn: the vertices of the highest ranks and some near them, as large as their ranks, where a layout of graphology's ecosystem puts them. */
import type { Graph } from "./graphs.ts";
import { WrongOption } from "./options.ts";
import { COLOURS, element, escaped, svg, words } from "./svg.ts";

/** Vertices that are drawn, and those of them that are named. */
const DRAWN = 60;
const NAMED = 15;
const SIZE = 560;

/** Of graphology-layout-forceatlas2: gives all vertices new places, attributes x and y. */
export type Layout = (graph: Graph) => void;

/** @throws WrongOption if the package of the layout is not installed */
export async function loadLayout(): Promise<Layout> {
  try {
    const { default: layout } = (await import("graphology-layout-forceatlas2")) as unknown as {
      default: { assign(graph: Graph, options: object): void; inferSettings(graph: Graph): object };
    };
    return (graph) => layout.assign(graph, { iterations: 500, settings: layout.inferSettings(graph) });
  } catch (cause) {
    throw new WrongOption("--picture: expected graphology-layout-forceatlas2, got none; npm install it first", {
      cause,
    });
  }
}

/** Draws the vertices whose attribute `pagerank` is largest, some that have edges with them, and the edges between all. */
export function drawTop(graph: Graph, layout: Layout): string {
  const named = topOf(graph, NAMED);
  const near = new Set(named.flatMap((node) => graph.neighbors(node)));
  for (const node of named) near.delete(node);
  const others = byRank(graph, [...near]).slice(0, DRAWN - named.length);
  const top = [...named, ...others];
  const part = graph.nullCopy();
  // at first on a spiral, so that the layout is the same in every run
  for (const [i, node] of top.entries())
    part.addNode(node, { x: Math.sqrt(i) * Math.cos(i), y: Math.sqrt(i) * Math.sin(i) });
  for (const node of top) {
    for (const other of graph.outboundNeighbors(node))
      if (part.hasNode(other) && other !== node) part.mergeEdge(node, other);
  }
  layout(part);
  const x = scaleOf(top.map((node) => part.getNodeAttribute(node, "x") as number));
  const y = scaleOf(top.map((node) => part.getNodeAttribute(node, "y") as number));
  const place = (node: string) => {
    const { x: left, y: above } = part.getNodeAttributes(node);
    return [x(left), y(above)] as const;
  };
  const lines = part.mapEdges((_edge, _attributes, from, to) => {
    const [[x1, y1], [x2, y2]] = [place(from), place(to)];
    return element("line", { x1, y1, x2, y2, stroke: "currentColor", "stroke-opacity": 0.45 });
  });
  const most = graph.getNodeAttribute(top[0], "pagerank") as number;
  const dots = top.map((node, i) => {
    const [cx, cy] = place(node);
    const r = 2 + 12 * Math.sqrt((graph.getNodeAttribute(node, "pagerank") as number) / most);
    return element("circle", { cx, cy, r, fill: COLOURS[i < NAMED ? 1 : 0], "fill-opacity": 0.85 });
  });
  const names = namesOf(named.map((node) => ({ at: place(node), name: labelOf(graph, node) })));
  const shown = `${top.length} of ${graph.order} vertices: red those of the highest ranks, blue some that have edges with them`;
  return svg(SIZE, SIZE + 24, `PageRank: ${shown}`, [
    ...lines,
    ...dots,
    ...names,
    words(SIZE / 2, SIZE + 16, shown, "middle"),
  ]);
}

/** Names below their dots, or above them; those that would lie on another name are left out. */
function namesOf(all: readonly { readonly at: readonly [number, number]; readonly name: string }[]): string[] {
  const places: (readonly [x: number, y: number, half: number])[] = [];
  const isFree = (x: number, y: number, half: number) =>
    places.every(([left, above, other]) => Math.abs(y - above) > 14 || Math.abs(x - left) > half + other);
  return all.flatMap(({ at: [x, y], name }) => {
    const half = 3.5 * name.length + 2;
    const middle = Math.min(SIZE - half, Math.max(half, x));
    const line = [y + 4, y + 20, y - 12].find((one) => isFree(middle, one, half));
    if (line === undefined) return [];
    places.push([middle, line, half]);
    return [element("text", { x: middle, y: line, "text-anchor": "middle", class: "over" }, escaped(name))];
  });
}

/** The vertices of the highest ranks, that of the highest first. */
export const topOf = (graph: Graph, count: number): string[] => byRank(graph, graph.nodes()).slice(0, count);

function byRank(graph: Graph, nodes: readonly string[]): string[] {
  const ranked = nodes.map((node) => ({ node, rank: graph.getNodeAttribute(node, "pagerank") as number }));
  return ranked.sort((a, b) => b.rank - a.rank).map(({ node }) => node);
}

export const labelOf = (graph: Graph, node: string): string => `${graph.getNodeAttribute(node, "label") ?? node}`;

/** From the range of some values to the width of the picture. */
function scaleOf(values: readonly number[]): (value: number) => number {
  const least = Math.min(...values);
  const span = Math.max(...values) - least || 1;
  return (value) => 40 + ((value - least) / span) * (SIZE - 80);
}
