/** All programs after TRAM's thesis, one after the other in one world, their reports as JSON; `args`: on or off, for --aggregate. */
import leanMd from "../../../apps/lean-md.ts";
import randomAccess from "../../../apps/random-access.ts";
import type { AppReport } from "../../../apps/runner.ts";
import staggeredStream from "../../../apps/staggered-stream.ts";
import stream from "../../../apps/stream.ts";
import synthetic from "../../../apps/synthetic.ts";
import { type Spmd, spmd } from "../../../src/index.ts";
import { LONG } from "../../support/long.ts";
import { THESIS } from "../support/thesis.ts";

const program: Spmd = spmd(async (pe, [aggregate]: [string]) => {
  const apps = {
    stream,
    "staggered-stream": staggeredStream,
    synthetic,
    "random-access": randomAccess,
    "lean-md": leanMd,
  };
  const reports: (AppReport | undefined)[] = [];
  for (const [name, words] of THESIS) {
    // thousands of messages, each of which may take a switch of threads
    if (name === "lean-md" && aggregate === "off") continue;
    const { main } = apps[name];
    const few = name === "random-access" ? ["--log2-table", "4"] : ["--messages", "10"];
    const fewer = aggregate === "off" && !LONG ? few : [];
    reports.push((await main(pe, [...words, ...fewer, "--aggregate", aggregate])) as AppReport | undefined);
  }
  return pe.rank === 0 ? JSON.stringify(reports) : undefined;
});
export default program;
