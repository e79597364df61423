/**
 * One process of an MPI job in the tests: `node node.js FILE`, where FILE holds an {@link Order} as JSON. Launches what
 * it says, and says how it went (said.ts).
 */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { launch } from "../../src/running/launch/launch.ts";
import { type Said, say as sayOf } from "./said.ts";

/** What the processes of a job are told. */
export interface Order {
  readonly program: string;
  /** PEs of each node. */
  readonly pes: readonly number[];
  readonly args: unknown;
  /** Whether `args` get memory for notes, see ../conveyor/faults.program.ts. */
  readonly hasNotes?: boolean;
  readonly timeout?: number;
  readonly waitTimeout?: number;
  readonly checks?: boolean;
  readonly onLoss?: "end" | "continue";
  readonly heapBytes?: number;
  readonly trace?: string;
  /** Whether its nodes send by MPI although they are on one machine. */
  readonly byMpi?: boolean;
  /** Worlds one after the other. @default 1 */
  readonly worlds?: number;
  /** Nodes that do something else than launch, and what. */
  readonly odd?: Readonly<
    Record<
      number,
      | ("exit" | "throw" | "bad options" | "late" | "unchecked" | "other channel" | "leaves" | "exits in it")
      | ("in a worker" | "stops" | "handles it")
    >
  >;
  /** Node that is told to abort, and after how many ms. */
  readonly abort?: readonly [node: number, ms: number];
}

process.on("warning", (warning) => {
  const { code, message } = warning as Error & { code: string };
  if (code?.startsWith("TUNDISH")) say({ warning: { code, message } });
});

const file = process.argv[2] as string;
const order = JSON.parse(readFileSync(file, "utf8")) as Order;
if (order.byMpi) process.env.TUNDISH_MAP_NODES = "off";
const node = Number(process.env.OMPI_COMM_WORLD_RANK ?? process.env.PMI_RANK ?? 0);
const say = (said: Omit<Said, "node">): void => sayOf(file, { node, ...said });

/** Only where there are notes: that program has conveyors. */
const noteBytes = async (): Promise<number> =>
  (await import("../facilities/conveyor/programs/faults.program.ts")).NOTE_BYTES;

/** A while after the world has begun: a node that has not said hello may be silent for longer. */
async function inTheMiddle(run: { readonly first: number }): Promise<void> {
  // a world that never begins is the end of the process
  while (run.first < 0) await delay(5, undefined, { ref: false });
  await delay(300);
}

const odd = order.odd?.[node];
if (odd === "exit") process.exit(7);
if (odd === "throw") throw new Error("thrown before launch");
if (odd === "late") await delay(1500);
if (odd === "in a worker") {
  const code =
    `import(${JSON.stringify(new URL("../../src/running/launch/launch.js", import.meta.url).href)})` +
    `.then(({ launch }) => launch(${JSON.stringify(order.program)}, { pes: 1, args: "fine" }))` +
    `.then(() => "it ran", ({ code, message }) => ({ code, message }))` +
    `.then((said) => require("node:worker_threads").parentPort.postMessage(said));`;
  const worker = new Worker(code, { eval: true });
  const [error] = (await once(worker, "message")) as [NonNullable<Said["error"]>];
  await once(worker, "exit");
  say({ error });
}
try {
  for (let world = 0; world < (order.worlds ?? 1); world++) {
    const { timeout = 140_000, waitTimeout = 130_000, heapBytes = 2 ** 28 } = order;
    const size = order.pes.reduce((sum, n) => sum + n, 0);
    const notes = order.hasNotes ? { notes: new SharedArrayBuffer(size * (await noteBytes())) } : null;
    const args = notes === null ? order.args : { ...(order.args as object), ...notes };
    const checks = odd === "unchecked" ? false : (order.checks ?? true);
    const channel = odd === "other channel" ? "fastforward" : "ump";
    const pes = odd === "bad options" ? -1 : (order.pes[node] as number);
    const stop = new AbortController();
    if (order.abort?.[0] === node) setTimeout(() => stop.abort("enough"), order.abort[1]);
    const { signal } = stop;
    if (odd === "leaves" && world > 0) process.exit(0);
    const run = launch(order.program, {
      pes,
      args,
      timeout,
      waitTimeout,
      checks,
      channel,
      heapBytes,
      signal,
      ...(order.onLoss && { onLoss: order.onLoss }),
      ...(order.trace && { trace: order.trace }),
    });
    // for ever, as seen from the others: it is stopped, not dead
    if (odd === "stops") void inTheMiddle(run).then(() => process.kill(process.pid, "SIGSTOP"));
    if (odd === "exits in it") void inTheMiddle(run).then(() => process.exit(0));
    const results = await run;
    say({ results, first: run.first });
  }
} catch (error) {
  const { code, message, rank, cause } = error as Error & { code: string; rank?: number };
  say({
    error: {
      code,
      message,
      ...(rank === undefined ? {} : { rank }),
      ...(cause ? { cause: String(cause) } : {}),
    },
  });
  process.exitCode = odd === "handles it" ? 0 : 3;
}
