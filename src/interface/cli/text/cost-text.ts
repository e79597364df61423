/** The costs of a machine model as text: matrices for a small model, a summary by nearness for a large one. */

import { median } from "../../../ground/base/math.ts";
import { amountText, bytesText, percentText } from "../../../ground/base/units.ts";
import type { ItemTimes, MachineModel, MachinePE, Matrix, OpenTimes } from "../../../machine/model/machine-model.ts";
import type { CommandOutput } from "../terminal/output.ts";
import { tableText } from "./table.ts";

/** Up to this many PEs the matrices are printed in full. */
const MOST_IN_MATRIX = 16;

const titles = {
  send: "Send: the sender is busy, {unit}; row = sender, column = receiver",
  receive: "Receive: the receiver is busy, {unit}; row = sender",
  propagate: "Propagate: neither is busy, {unit}; row = sender",
  stream: "Stream: per message of a long stream, ns; row = sender",
  bandwidth: "Bandwidth: bulk copies, GB/s; row = sender",
} as const;

/** Prints the costs between the PEs of a model, as a section for each kind that was measured. */
export function printCosts(model: MachineModel, output: CommandOutput): void {
  const size = model.pes.length;
  if (size === 1) {
    output.print("One PE: it has no PE to send to, so there are no costs.\n");
  } else if (size <= MOST_IN_MATRIX) {
    for (const [kind, title] of Object.entries(titles) as [keyof typeof titles, string][]) {
      const matrix = model[kind];
      if (matrix) output.section(title.replace("{unit}", model.unit), matrixText(matrix, model.pes));
    }
  } else {
    const words = `${size} PEs make ${size} x ${size} numbers: only their medians are printed; the model has all of them.`;
    output.section(`Costs by what two PEs share, ${model.unit}`, `${summaryText(model)}\n${words}`);
  }
}

/** The costs of conveyors' items, in a sentence; empty if not measured. */
export function itemsText({ items }: MachineModel): string {
  if (items === undefined) return "";
  const part = (name: keyof ItemTimes) => `${name} ${amountText(items[name])} + ${amountText(items.byte[name])} a byte`;
  const { buffer, open } = items;
  const buffers =
    buffer === undefined
      ? ""
      : ` Their buffers: ${amountText(buffer.handle)} each, ${amountText(buffer.wait)} to wait for one, ${amountText(buffer.shared)} where PEs share a CPU.`;
  return `Items of conveyors, ns: ${part("push")}, ${part("pivot")} (to the next hop), ${part("pull")}.${buffers}${open === undefined ? "" : openText(open)}`;
}

/** Example: ` With 1024 open a push takes more: 0.51 (512 B), 4.2 (32 KiB); each takes 4.4 of an advance.` */
function openText({ look, buffers, sizes }: OpenTimes): string {
  const more = sizes.map(({ bytes, push }) => `${amountText((push.at(-1) as number) - push[0])} (${bytesText(bytes)})`);
  return ` With ${buffers.at(-1)} open a push takes more: ${more.join(", ")}; each takes ${amountText(look)} of an advance.`;
}

/** What forwarding costs and a check of it, in a sentence or two; for two PEs or more. */
export function relayText({ relay, ring, pes, unit, send, receive, propagate }: MachineModel): string {
  if (relay === undefined) return "Relay: not measured, which takes three PEs or more: forwarding counts as 0.";
  const range = `Relay, ${unit}: forwarding takes a PE ${amountText(least(relay))} to ${amountText(most(relay))} more than its pairs, median ${amountText(median(relay))}.`;
  if (ring === undefined) return range;
  const predicted = relay.reduce((sum, time, pe) => {
    const to = (pe + 1) % pes.length;
    const edge = (send[pe]?.[to] ?? 0) + (propagate?.[pe]?.[to] ?? 0) + (receive[pe]?.[to] ?? 0);
    // the first PE starts the message and does not forward it
    return sum + edge + (pe === 0 ? 0 : time);
  }, 0);
  return `${range} Once round all: ${amountText(ring)}, by the model ${amountText(predicted)}.`;
}

/** The reliability of a measured model, in a sentence. */
export function noiseText({ noise, pes }: MachineModel): string {
  if (pes.length === 1) return "Noise: none, as one PE sends nothing.";
  if (noise === undefined) return "Noise: unknown, nothing was measured.";
  const { spread, passes, stable, probe } = noise;
  const range =
    probe.length === 0 ? "" : `, probe ${amountText(Math.min(...probe))} to ${amountText(Math.max(...probe))} ns`;
  const verdict = stable
    ? "stable"
    : "NOT STABLE: the passes disagree or the distance of the CPUs changed; measure again on an idle machine";
  return `Noise: ${percentText(spread)} between ${passes} passes${range}: ${verdict}.`;
}

function matrixText(matrix: Matrix, pes: readonly MachinePE[]): string {
  return tableText(
    ["", ...pes.map((_, pe) => `PE ${pe}`)],
    matrix.map((row, from) => [
      `PE ${from} (CPU ${pes[from]?.cpu})`,
      ...row.map((cost, to) => (from === to ? "-" : amountText(cost))),
    ]),
  );
}

const relations = ["same core", "same last-level cache", "same NUMA node", "same package", "other package"];

/** The nearest level that two PEs share; an unknown level is not shared. */
function relation(a: MachinePE, b: MachinePE): number {
  const share = (x: number | null | undefined, y: number | null | undefined) => x != null && x === y;
  if (share(a.core, b.core)) return 0;
  if (share(a.l3, b.l3)) return 1;
  if (share(a.numa, b.numa)) return 2;
  return share(a.package, b.package) ? 3 : 4;
}

function summaryText({ pes, send, receive, propagate }: MachineModel): string {
  const pairs = relations.map(() => ({ send: [] as number[], receive: [] as number[], sum: [] as number[] }));
  pes.forEach((a, from) => {
    pes.forEach((b, to) => {
      if (from === to) return;
      const costs = pairs[relation(a, b)] as (typeof pairs)[0];
      const [sent, received] = [send[from]?.[to] as number, receive[from]?.[to] as number];
      costs.send.push(sent);
      costs.receive.push(received);
      costs.sum.push(sent + received + (propagate?.[from]?.[to] ?? 0));
    });
  });
  const rows = pairs.flatMap((costs, i) => {
    if (costs.sum.length === 0) return [];
    const { sum } = costs;
    const numbers = [median(costs.send), median(costs.receive), median(sum), least(sum), most(sum)];
    return [[relations[i] as string, String(sum.length), ...numbers.map(amountText)]];
  });
  return tableText(["PEs share", "pairs", "send", "receive", "one way", "least", "most"], rows);
}

// not Math.min(...): 512 PEs have more pairs than a call may have arguments
const least = (values: readonly number[]) => values.reduce((a, b) => Math.min(a, b));
const most = (values: readonly number[]) => values.reduce((a, b) => Math.max(a, b));
