/** `tundish simulate`: runs a program on virtual PEs, in virtual time. */

import { fileURLToPath } from "node:url";
import { ModuleError } from "../../../ground/base/errors.ts";
import { amountText, bytesText, countText, durationText } from "../../../ground/base/units.ts";
import { readMachine } from "../../../machine/model/model.ts";
import { findSpmd, type Spmd } from "../../../pe/spmd.ts";
import { readPlan } from "../../../plan/document/file.ts";
import type { Fit } from "../../../plan/document/fits.ts";
import { loadModule, resolveModule } from "../../../running/run/module.ts";
import { type SimulationOptions, sizeOf } from "../../../running/simulate/options.ts";
import { type SimulatedProgram, type SimulationResult, simulate } from "../../../running/simulate/simulate.ts";
import { simulateAsync } from "../../../running/virtual/simulate-async.ts";
import { type ExitCode, OK } from "../terminal/exit.ts";
import { type NetworkOptions, networkFrom } from "../terminal/network.ts";
import type { CommandOutput } from "../terminal/output.ts";
import { networkText } from "../text/network-text.ts";
import { resultLine, resultsJson } from "../text/results.ts";
import { tableText } from "../text/table.ts";

/** The options as parsed by commander. */
export interface SimulateCommandOptions extends NetworkOptions {
  readonly pes?: number;
  readonly nodes?: number;
  readonly machine?: string;
  readonly plan?: string;
  readonly fit?: Fit;
  readonly seed?: number;
  readonly jitter?: number;
  readonly timeout?: number;
  readonly memory?: number;
  readonly args?: unknown;
}

/** Largest number of results that the text shows. */
const MOST_RESULTS = 16;

/**
 * Runs the program in `file` and prints its results.
 * @throws ModuleError for a file without a program, ModelError for an invalid machine model, PlanError for an invalid
 * plan, and what {@link simulate} throws
 */
export async function simulateCommand(
  file: string,
  options: SimulateCommandOptions,
  output: CommandOutput,
): Promise<ExitCode> {
  if (output.json) output.keepStdoutForData();
  const program = await programIn(file);
  const settings: SimulationOptions = {
    pes: options.pes,
    nodes: options.nodes,
    machine: options.machine === undefined ? undefined : await readMachine(options.machine),
    plan: options.plan === undefined ? undefined : await readPlan(options.plan),
    fit: options.fit,
    network: networkFrom(options),
    seed: options.seed,
    jitter: options.jitter,
    timeout: options.timeout,
    memoryBytes: options.memory,
    // tundish run gives a program its words, here none
    args: options.args ?? (typeof program === "function" ? undefined : []),
  };
  const result = typeof program === "function" ? simulate(settings, program) : await simulateAsync(settings, program);
  if (output.json) output.print(resultsJson(result));
  else printSimulation(result, settings, output);
  return OK;
}

/** The default export of a module, also nested by interop with CommonJS: a generator function, or an Spmd. */
async function programIn(file: string): Promise<SimulatedProgram | Spmd> {
  const url = resolveModule(file);
  const namespace = await loadModule(url);
  const spmd = findSpmd(namespace);
  if (spmd !== undefined) return spmd;
  const candidates = [namespace.default, (namespace.default as { default?: unknown } | undefined)?.default];
  const program = candidates.find((value) => typeof value === "function");
  if (program !== undefined) return program as SimulatedProgram;
  throw new ModuleError(
    `${fileURLToPath(url)} has no program for virtual PEs: expected \`export default spmd(async (pe, args) => { … })\`, or ` +
      "`export default function* (pe, args) { … }`.",
  );
}

function printSimulation(result: SimulationResult, options: SimulationOptions, output: CommandOutput): void {
  const { pes, nodes } = sizeOf(options);
  const { results, time, events, seed, peakBytes, conveyors, network } = result;
  const told = results.flatMap((value, rank) => (value === undefined ? [] : [{ value, rank }]));
  for (const { value, rank } of told.slice(0, MOST_RESULTS)) output.print(resultLine(value, rank, output));
  if (told.length > MOST_RESULTS) {
    output.print(`… and ${told.length - MOST_RESULTS} more results; --json has them all`);
  }
  if (told.length > 0) output.print("");
  output.print(
    `${countText(pes, "PE")} on ${countText(nodes, "node")}: ${durationText(time)} of virtual time ` +
      `(seed ${seed}, ${countText(events, "event")}); memory of at most ${bytesText(peakBytes)} in use at once\n`,
  );
  if (network !== undefined) output.section("Network", networkText(network, time));
  if (conveyors.length > 0) output.section("Buffers sent, by conveyor and hop", hopsTable(conveyors));
}

function hopsTable(conveyors: SimulationResult["conveyors"]): string {
  const head = [
    "conveyor",
    "hop",
    "messages",
    "bytes",
    "items",
    "items each",
    "between nodes",
    "bytes",
    "buffers of a PE",
    "memory of a PE",
  ];
  const rows = conveyors.flatMap(({ hops }, number) =>
    hops.map((hop, i) => [
      i === 0 ? String(number) : "",
      String(i + 1),
      String(hop.messages),
      String(hop.bytes),
      String(hop.items),
      hop.messages === 0 ? "-" : amountText(hop.items / hop.messages),
      String(hop.remoteMessages),
      String(hop.remoteBytes),
      String(hop.peakBuffers),
      bytesText(hop.peakBufferBytes),
    ]),
  );
  return tableText(head, rows, []);
}
