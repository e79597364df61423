/** The costs of messages between nodes, as text. */

import { amountText, bytesText, countText, durationText, percentText } from "../../../ground/base/units.ts";
import type { Internode, InternodePEs, MpiTimes } from "../../../machine/model/internode.ts";
import { tableText } from "./table.ts";

/** Tables, and sentences about them. */
export function internodeText(internode: Internode): string {
  const { alpha, beta, nodes, machines, library, pes = [], sizes = [], spread, noisy = [] } = internode;
  const where = nodes === undefined ? "" : ` ${countText(nodes, "node")},`;
  const shared =
    nodes === undefined || machines === undefined || machines >= nodes
      ? ""
      : ` All on ${countText(machines, "machine")}: there MPI uses shared memory instead of a network, unless configured otherwise.`;
  const lines = [
    `${where} a message of m bytes takes ${durationText(alpha)} + ${amountText(beta)} ns x m.${shared}`.trim(),
    // the rest of a version describes the build
    library?.split(",")[0] ?? "",
  ];
  if (pes.length > 0) lines.push("", fitsText(pes), "", ...pieceLines(pes), timesText(pes, sizes));
  lines.push("", ...incastLines(internode), ...bulkLines(internode));
  if (internode.collectives !== undefined) lines.push("", ...collectivesLines(internode.collectives));
  if (spread !== undefined) lines.push(`The middle half of the batches spreads by ${percentText(spread)}.`);
  if (noisy.length > 0) lines.push("Too much to plan with:", ...noisy.map((figure) => `  ${figure}`));
  return lines.join("\n");
}

function fitsText(pes: readonly InternodePEs[]): string {
  const rows = pes.map(({ pes: count, alpha, beta, residual, gap, overhead }) => [
    `${countText(count, "PE")} a node`,
    ...[alpha, beta].map(amountText),
    `${percentText(residual.median)}, ${percentText(residual.worst)}`,
    ...[gap.message, gap.byte].map(amountText),
    `${percentText(gap.residual.median)}, ${percentText(gap.residual.worst)}`,
    // all PEs of a node together; bytes per ns are GB/s
    amountText(gap.byte > 0 ? count / gap.byte : Number.NaN),
    amountText(overhead),
  ]);
  return tableText(["ns", "alpha", "beta", "off by", "gap", "a byte", "off by", "GB/s a node", "send"], rows);
}

/** Two lines for sizes where a single line fits badly. */
function pieceLines(pes: readonly InternodePEs[]): string[] {
  return pes.flatMap(({ pes: count, pieces = [] }) =>
    pieces.length === 0
      ? []
      : [
          `${countText(count, "PE")} a node, in two pieces: ${pieces
            .map(
              ({ from, to, alpha, beta, residual }) =>
                `${bytesText(from)} to ${bytesText(to)} ${durationText(alpha)} + ${amountText(beta)} ns x m ` +
                `(${percentText(residual.median)}, at worst ${percentText(residual.worst)} off)`,
            )
            .join("; ")}`,
          "",
        ],
  );
}

function timesText(pes: readonly InternodePEs[], sizes: readonly number[]): string {
  const rows = (["latency", "stream"] as const).flatMap((kind) =>
    pes.map((one) => [`${kind}, ${countText(one.pes, "PE")} a node`, ...one[kind].map((ns) => amountText(ns / 1000))]),
  );
  return tableText(["us", ...sizes.map(bytesText)], rows);
}

function collectivesLines(times: MpiTimes): string[] {
  const rows = (["barrier", "broadcast", "allreduce"] as const).map((call) => {
    const { messages, mpi, faster } = times[call];
    return [`${call}${call === "barrier" ? "" : " of a number"}`, ...[messages, mpi].map(amountText), faster];
  });
  return [tableText([`ns, ${countText(times.nodes, "node")}`, "messages", "mpi", "used"], rows)];
}

/** How long a receiver takes for each of several senders' large messages; a line that falls means that it keeps up. */
function bulkLines({ bulk = [] }: Internode): string[] {
  if (bulk.length === 0) return [];
  const rows = bulk.map(({ senders, bytes, time }) => [
    `${countText(senders, "sender")}, ${bytesText(bytes)}`,
    ...[time / 1000, (1000 * bytes) / time].map(amountText),
  ]);
  return ["", tableText(["at one receiver", "us a message", "MB/s"], rows)];
}

function incastLines({ incast = [], receiver }: Internode): string[] {
  if (incast.length === 0 || receiver === undefined) return [];
  const rows = incast.map(({ senders, time, busy }) => [countText(senders, "sender"), ...[time, busy].map(amountText)]);
  const { fixed, sender, residual } = receiver;
  return [
    tableText(["ns at one receiver", "a message", "of it work"], rows),
    `A message from each of k senders keeps it busy for ${durationText(fixed)} + ${durationText(sender)} x k ` +
      `(${percentText(residual.median)}, at worst ${percentText(residual.worst)} off).`,
  ];
}
