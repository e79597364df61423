/**
 * What a PE's thread starts with: worker.ts; in a bundle, where that file is missing, the user's module. The module has
 * a copy of this package, or imports one, and that copy has worker.ts as a part. So a program and the thread that it runs in
 * always are the same copy, however the bundler has cut the files.
 */
import { isBundled, sibling, version } from "../base/package-file.ts";

/** The entry of the thread of a PE, which gets the URL of its module as `workerData.module`. */
export function threadEntry(): URL {
  if (!isBundled) return sibling("./worker.js", import.meta.url);
  return new URL(`data:text/javascript,${encodeURIComponent(code)}`);
}

// until worker.ts has begun, it is told here what in-main.ts needs to refuse a launch by a PE that imports its module
const code = `import { workerData } from "node:worker_threads";
const { module, seat } = workerData;
const fail = (message, cause) => {
  const text = message + " See docs/bundlers.md of the package. [ERR_TUNDISH_MODULE]";
  throw Object.assign(new Error(text, { cause }), { name: "ModuleError", code: "ERR_TUNDISH_MODULE" });
};
globalThis[Symbol.for("tundish.outside-main")] = { rank: seat.rank, module };
const { default: found } = await import(module).catch((error) => {
  if (error?.code !== "ERR_MODULE_NOT_FOUND") throw error;
  fail(module + " cannot be loaded: " + error.message + ". The program is bundled: make the module an entry of the same " +
    "bundle, and install the packages that the bundle leaves external.", error);
});
const program = [found, found?.default].find((one) => one?.kind === "tundish.spmd");
if (program === undefined)
  fail(module + " has no SPMD program: expected \`export default spmd((pe, args) => …)\`, found no default export made by " +
    "spmd(). The program is bundled: the bundler must keep the exports of the module.");
if (program.version !== ${JSON.stringify(version)})
  fail(module + " contains version " + program.version + " of tundish, and the program that launches it version " +
    ${JSON.stringify(version)} + ". Bundle both with the same version.");
await program.start();
//# sourceURL=tundish:thread-of-bundle`;
