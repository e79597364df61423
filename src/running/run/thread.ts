/**
 * The beginning of the thread of a PE, unless its code is in a bundle of the user: it has Node.js keep what V8 makes of
 * the code, for the threads after it, and becomes a PE. It imports nothing else before that.
 */
import nodeModule from "node:module";
import { getEnvironmentData } from "node:worker_threads";

// what start-pe.ts has said
const folder = getEnvironmentData("tundish.code") as unknown;
type Keeper = { enableCompileCache?(folder: string): unknown };
// from Node.js 22.8 on
if (typeof folder === "string") (nodeModule as Keeper).enableCompileCache?.(folder);
void import("./worker.ts");
