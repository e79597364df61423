/** One process of an open world over nodes whose processes do not do the same: the argument says what. */
import { sibling } from "../../../../src/ground/base/package-file.ts";
import { open } from "../../../../src/running/launch/open.ts";
import type { OpenArgs } from "./open.program.ts";

const program = sibling("./open.program.js", import.meta.url);
const part = process.argv[2];
const world = await open({ pes: 2, timeout: 30_000 });
const first = world.first;

async function outcome(args: OpenArgs): Promise<string> {
  try {
    return JSON.stringify(await world.run(program, { args, timeout: 20_000 }));
  } catch (error) {
    const { code, message } = error as { readonly code: string; readonly message: string };
    return `${code}: ${message}`;
  }
}

const said: string[] = [await outcome({ part: "sum" })];
if (part === "refused") {
  said.push(await outcome({ part: "thread", value: first === 0 ? 1 : () => {} }));
} else if (part === "calls") {
  // the PEs of each node agree, and the nodes do not
  said.push(await outcome({ part: first === 0 ? "thread" : "skip no reduce", count: 1, rank: 0 }));
} else if (part === "closed" && first === 0) {
  await world.close();
}
if (!(part === "closed" && first === 0)) said.push(await outcome({ part: "thread" }));
process.stdout.write(`${JSON.stringify({ first, said })}\n`);
if (part !== "open") await world.close();
