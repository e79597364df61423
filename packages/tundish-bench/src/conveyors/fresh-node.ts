/**
 * A fresh process of a benchmark: `node fresh-node.js ORDER`, where ORDER is a file with a FreshOrder as JSON. Launches
 * its PEs and prints what they answer as JSON.
 */
import { readFileSync } from "node:fs";
import { launch } from "../../../../src/running/launch/launch.ts";
import type { FreshAnswer, FreshOrder } from "./fresh.ts";

const [, , file] = process.argv;
const { program, pes, machine, job } = JSON.parse(readFileSync(file, "utf8")) as FreshOrder;
const launched = performance.timeOrigin + performance.now();
const answers = await launch(program, { args: job, pes, machine });
const answer: FreshAnswer = { launched, ended: performance.timeOrigin + performance.now(), answers };
console.log(JSON.stringify(answer));
