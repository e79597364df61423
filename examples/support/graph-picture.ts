/** A graph drawn: the vertices of the highest rank, as large as their ranks, where a layout of graphology's ecosystem puts them. */
import type { Graph } from "./graphs.ts";
import { WrongOption } from "./options.ts";
import { COLOURS, element, svg, words } from "./svg.ts";

/** Vertices that are drawn, and those of them that are named. */
const DRAWN = 400;
const NAMED = 10;
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
    throw new WrongOption(
      "--picture: expected graphology-layout-forceatlas2, got none; npm install it first",
      {
        cause,
      },
    );
  }
}

/** Draws the vertices whose attribute `pagerank` is largest, and the edges between them. */
export function drawTop(graph: Graph, layout: Layout): string {
  const top = topOf(graph, DRAWN);
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
    return element("line", { x1, y1, x2, y2, stroke: "currentColor", "stroke-opacity": 0.2 });
  });
  const most = graph.getNodeAttribute(top[0], "pagerank") as number;
  const dots = top.map((node, i) => {
    const [cx, cy] = place(node);
    const r = 1.5 + 12 * Math.sqrt((graph.getNodeAttribute(node, "pagerank") as number) / most);
    return element("circle", { cx, cy, r, fill: COLOURS[i < NAMED ? 1 : 0], "fill-opacity": 0.85 });
  });
  const names = top.slice(0, NAMED).map((node) => {
    const [left, above] = place(node);
    return words(left, above + 4, labelOf(graph, node), "middle");
  });
  return svg(SIZE, SIZE, "PageRank: the vertices of the highest ranks, and the edges between them", [
    ...lines,
    ...dots,
    ...names,
  ]);
}

/** The vertices of the highest ranks, that of the highest first. */
export const topOf = (graph: Graph, count: number): string[] =>
  graph
    .mapNodes((node, { pagerank }) => ({ node, rank: pagerank as number }))
    .sort((a, b) => b.rank - a.rank)
    .slice(0, count)
    .map(({ node }) => node);

export const labelOf = (graph: Graph, node: string): string =>
  `${graph.getNodeAttribute(node, "label") ?? node}`;

/** From the range of some values to the width of the picture. */
function scaleOf(values: readonly number[]): (value: number) => number {
  const least = Math.min(...values);
  const span = Math.max(...values) - least || 1;
  return (value) => 40 + ((value - least) / span) * (SIZE - 80);
}
