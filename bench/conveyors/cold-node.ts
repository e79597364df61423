/**
 * A fresh process of `bench conveyors --cold`: `node cold-node.js ORDER`, where ORDER is a file with a ColdOrder as JSON.
 * Prints the answers of its PEs as JSON.
 */
import { readFileSync } from "node:fs";
import { sibling } from "../../src/base/package-file.ts";
import { launch } from "../../src/launch/launch.ts";
import type { ColdOrder } from "./cold-jobs.ts";

const [, , file] = process.argv;
const { pes, machine, job } = JSON.parse(readFileSync(file, "utf8")) as ColdOrder;
const answers = await launch(sibling("./bench-cold.program.js", import.meta.url), {
  args: job,
  pes,
  machine,
});
console.log(JSON.stringify(answers));
