/** What the main thread does: print the report, or what is wrong. */
import type { Run } from "tundish";
import type { Report } from "./example.ts";
import { duration, type Times } from "./times.ts";

/** What is waited for: a run, or another promise of what PEs returned, where all are in this process. */
type Waited = Promise<readonly unknown[]> & Partial<Pick<Run, "first">>;

/**
 * Waits for a run and prints the report of PE 0: as lines, or with `--json` as one object. The exit code is 1 after a failure, and 2 for
 * wrong options. Under mpirun only the process with PE 0 prints.
 */
export async function print(run: Waited): Promise<void> {
  try {
    const [report] = (await run) as (Report | undefined)[];
    if (report === undefined) return;
    console.log(process.argv.includes("--json") ? JSON.stringify(report) : textOf(report));
  } catch (error) {
    // what the PE threw, of a RankLostError
    const cause = ((error as Error).cause ?? error) as Error & { readonly exitCode?: number };
    process.exitCode = cause.exitCode ?? 1;
    // -1: it has not begun
    if (run.first !== undefined && run.first > 0) return;
    console.error(cause.exitCode === undefined ? error : cause.message);
  }
}

function textOf({ name, pes, checked: _, sizes, breakEven, ...one }: Report): string {
  const all = pes === 1 ? "1 PE" : `${pes} PEs`;
  if (sizes === undefined) return `${name} on ${all}: ${timesText(one as unknown as Times)}`;
  const rows = sizes.map(({ size, seconds, serialSeconds, speedup }) => [
    `${size}`,
    duration(seconds),
    duration(serialSeconds),
    ratio(speedup),
  ]);
  const from = breakEven === null ? "at none of these sizes" : `from size ${breakEven} on`;
  return `${table([["size", all, "one thread", "ratio"], ...rows])}\n${name}: ${all} faster ${from}`;
}

function timesText({ size, seconds, serialSeconds, speedup, ...more }: Times): string {
  const told = Object.entries(more).map(([key, value]) => `${key} ${valueText(value)}`);
  const times = `${duration(seconds)}, one thread ${duration(serialSeconds)}, ratio ${ratio(speedup)}`;
  return [`size ${size}: ${times}`, ...told, "the result of one thread"].join("\n  ");
}

const ratio = (speedup: number | null): string => speedup?.toFixed(2) ?? "-";

function valueText(value: unknown): string {
  if (typeof value === "number" && !Number.isInteger(value)) return `${Number(value.toPrecision(6))}`;
  return typeof value === "object" ? JSON.stringify(value) : `${value}`;
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0].map((_, i) => Math.max(...rows.map((row) => row[i].length)));
  return rows.map((row) => row.map((cell, i) => cell.padStart(widths[i])).join("  ")).join("\n");
}
