/**
 * LeanMD of TRAM's thesis in the simulator: the program of apps/, with the costs of its machines.
 *
 * Without aggregation each message is a buffer of its own. The time is that of the slowest PE from a barrier to the end
 * of its sessions. Source: TRAM's thesis, section 5.5.
 */
import { sibling } from "../../../../src/ground/base/package-file.ts";
import { findSpmd, type Spmd } from "../../../../src/pe/spmd.ts";
import { simulateAsync } from "../../../../src/running/virtual/simulate-async.ts";
import { BUFFER_BYTES, endOf, simulationOf, THRESHOLD, TIMEOUT, type TramPlace } from "./model.ts";
import type { TramRun } from "./run.ts";

/** A program, and the words of its command line but for those of its conveyors. */
export interface TramProgram extends TramPlace {
  readonly app: "lean-md";
  readonly words: readonly string[];
}

/** Of the report that PE 0 returns. */
interface Report {
  readonly seconds: number;
  /** Of all PEs. */
  readonly messages: number;
}

/** Cells of LeanMD in each direction, by PEs: near to 16 for each of them. */
const CELLS: Readonly<Record<number, number>> = { 2: 3, 4: 4, 8: 5, 16: 6, 32: 8, 64: 10 };
/** Atoms of a cell in each direction: the program's default. */
const PER_DIM = 4;
/** Bytes of a message: positions or forces of a cell's atoms, and what it is about. */
export const CELL_BYTES: number = 8 * (1 + 3 * PER_DIM ** 3);

/** @param steps one of five moves atoms to other cells */
export const leanMD = (place: TramPlace, steps: number): TramProgram => ({
  ...{ ...place, app: "lean-md" },
  words: [
    "--cells",
    String(CELLS[place.pes]),
    "--per-dim",
    String(PER_DIM),
    "--steps",
    String(steps),
    "--reference",
    "off",
    "--message-ns",
    String(endOf(place)),
  ],
});

/** Runs it. @throws Error for a wrong result, which the program finds */
export async function runProgram(of: TramProgram): Promise<TramRun> {
  const { app, words, pes, mesh, bufferBytes = BUFFER_BYTES, threshold = THRESHOLD, timeout = TIMEOUT } = of;
  const program = findSpmd(await import(sibling(`../../../../apps/${app}.js`, import.meta.url).href)) as Spmd;
  const aggregated = { mesh: mesh?.join("x"), "buffer-bytes": bufferBytes, threshold, "max-delay": timeout };
  const options = mesh === null ? { aggregate: "off" } : aggregated;
  const args = [...words, ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, `${value}`])];
  const { results, conveyors } = await simulateAsync({ ...simulationOf(of), args }, program);
  const { seconds, messages } = results[0] as Report;
  const hops = conveyors.flatMap((one) => one.hops);
  const sum = (part: "items" | "messages") => hops.reduce((all, hop) => all + hop[part], 0);
  const [time, buffers] = [seconds * 1e9, sum("messages")];
  const perMessage = (time * pes) / messages;
  return { time, perMessage, perBuffer: sum("items") / buffers, buffers: buffers / pes, late: null };
}
