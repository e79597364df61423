/** Conveyors over nodes: the parts of the tests, one after the other. */
import { type PE, type Spmd, spmd } from "../../src/index.ts";
import { casesWith, nameOf, playCase } from "../conveyor/cases.ts";
import { mix } from "../conveyor/goods.ts";
import { playOut, threadSeat } from "../conveyor/seats.ts";
import { types, uses } from "../conveyor/uses.ts";
import { own } from "./conveyor-parts.ts";

/** Names of parts, and how much they do. */
export interface Args {
  readonly parts: readonly string[];
  readonly count: number;
  readonly sessions: number;
}

/** So that a session that hangs has a name. */
const TIMEOUT_MS = 30_000;

/** Every type of conveyor, of items of several sizes. */
function matrix(pe: PE, { count, sessions }: Args, buffers: 1 | 2 | 4): void {
  for (const [i, one] of casesWith(buffers).entries()) {
    const limited = { ...one, options: { ...one.options, timeout: TIMEOUT_MS } };
    try {
      playOut(playCase(threadSeat(pe), limited, { count, sessions }, mix(pe.size, i, buffers)));
    } catch (error) {
      throw new Error(`${nameOf(one)}: ${(error as Error).stack}`, { cause: error });
    }
  }
}

function use(pe: PE, name: string): void {
  for (const options of types) {
    try {
      playOut(uses[name](threadSeat(pe), { ...options, timeout: TIMEOUT_MS }));
    } catch (error) {
      throw new Error(`${JSON.stringify(options)}: ${(error as Error).stack}`, { cause: error });
    }
  }
}

const program: Spmd = spmd(async (pe, given) => {
  const args = given as Args;
  const times: Record<string, number> = {};
  for (const part of args.parts) {
    const started = performance.now();
    try {
      const [, buffers] = /^matrix (\d)$/.exec(part) ?? [];
      if (buffers !== undefined) matrix(pe, args, Number(buffers) as 1 | 2 | 4);
      else if (part in uses) use(pe, part);
      else await own[part](pe);
    } catch (error) {
      throw new Error(`${part}, PE ${pe.rank} of ${pe.size}: ${(error as Error).stack}`, { cause: error });
    }
    times[part] = Math.round(performance.now() - started);
  }
  return times;
});

export default program;
