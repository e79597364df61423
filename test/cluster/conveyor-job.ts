/** One node of a job of MPI: runs a program with the PEs that the node is to have, and says what came. */
import { sibling } from "../../src/sibling.ts";
import { launch } from "../../src/world/launch.ts";
import { NOTE_BYTES } from "../conveyor/faults.program.ts";

/** What the job is told, as JSON. */
export interface Job {
  readonly program: "./conveyor.program.js" | "../conveyor/faults.program.js";
  /** PEs of each node. */
  readonly pes: readonly number[];
  readonly args: unknown;
  readonly timeout: number;
  readonly waitTimeout?: number | undefined;
}

const { program, pes, args, timeout, waitTimeout = timeout } = JSON.parse(process.argv[2]) as Job;
const node = Number(process.env.OMPI_COMM_WORLD_RANK ?? process.env.PMI_RANK);
const size = pes.reduce((sum, n) => sum + n, 0);
const notes = new SharedArrayBuffer(size * NOTE_BYTES);
const told = Array.isArray(args) ? args : { ...(args as object), notes };
const print = (said: object) => process.stdout.write(`${JSON.stringify({ node, ...said })}\n`);

try {
  const options = { pes: pes[node], args: told, timeout, waitTimeout, pin: false };
  print({ results: await launch(sibling(program, import.meta.url), options) });
} catch (error) {
  const { code, message } = error as Error & { code?: string };
  print({ code, message });
}
