/** Figure 5 as SVG: the bandwidth of a node by the logarithm of their number; lines are predicted, dots simulated. */
import { figureSvg, LINES, polyline, stroke, text } from "../curves/svg.ts";
import type { Figure5 } from "./figure5.ts";

/** The drawing as a document. */
export function figure5Svg({ nodeSize, itemBytes, load, points }: Figure5): string {
  const steps = Math.max(1, ...points.map(({ nodes }) => Math.log2(nodes)));
  const values = points.flatMap(({ predicted, simulated }) => [predicted, simulated ?? 0]);
  const most = niceAbove(Math.max(...values));
  return figureSvg({
    title: `Injection bandwidth of a node, ${load} items of ${itemBytes} B from each of ${nodeSize} PEs a node`,
    subtitle: "GB/s; lines: predicted, dots: simulated",
    below: "nodes",
    left: 56,
    right: 16,
    rules: Array.from({ length: 5 }, (_, i) => (most * i) / 4).map((value) => [
      value,
      String(Number(value.toPrecision(2))),
    ]),
    marks: [...new Set(points.map(({ nodes }) => nodes))].map((nodes) => [nodes, String(nodes)]),
    across: (nodes) => Math.log2(nodes) / steps,
    up: (bandwidth) => bandwidth / most,
    curves: ({ x, y, at, right, top }) =>
      LINES.flatMap((line, i) => {
        const own = points.filter(({ hops }) => hops === i + 1);
        if (own.length === 0) return [];
        const dots = own.filter(({ simulated }) => simulated !== null);
        const below = top + 16 * i;
        return [
          polyline(
            own.map((one) => at(one.nodes, one.predicted)),
            stroke(line),
          ),
          ...dots.map(
            (one) =>
              `<circle cx="${x(one.nodes).toFixed(1)}" cy="${y(one.simulated ?? 0).toFixed(1)}" r="3.5" fill="${line[0]}"/>`,
          ),
          `<path d="M${right - 100},${below + 8}h28" ${stroke(line)}/>`,
          text(right - 66, below + 12, i === 0 ? "1 hop" : `${i + 1} hops`),
        ];
      }),
  });
}

/** The next of 1, 2, 4, 8 times a power of ten. */
function niceAbove(value: number): number {
  const ten = 10 ** Math.floor(Math.log10(value));
  return (([1, 2, 4, 8, 10].find((one) => one * ten >= value) as number) * ten) as number;
}
