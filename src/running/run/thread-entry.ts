/**
 * The module that a PE's thread starts with: worker.ts; in a bundle, where that file is missing, the user's module. The
 * module has a copy of this package, or imports one, and that copy has worker.ts as a part. So a program and the thread
 * that it runs in always are the same copy, however the bundler has cut the files.
 */
import { namedCode } from "../../ground/base/call-site/named-code.ts";
import { isBundled, sibling, version } from "../../ground/base/package-file.ts";

/** The entry of the thread of a PE. */
export function threadEntry(): URL {
  if (!isBundled) return sibling("./worker.js", import.meta.url);
  return new URL(`data:text/javascript,${encodeURIComponent(code)}`);
}

// Until worker.ts has begun, this does what it would do. In an open world that is to say that the PE is ready, and to
// wait for the first order, which names the module. It also tells in-main.ts that a launch by the module is refused.
const text = `import { parentPort, workerData } from "node:worker_threads";
const { seat, job } = workerData;
const fail = (message, cause) => {
  const text = message + " See docs/platforms.md of the package. [ERR_TUNDISH_MODULE]";
  throw Object.assign(new Error(text, { cause }), { name: "ModuleError", code: "ERR_TUNDISH_MODULE" });
};
async function start(module) {
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
}
async function startWithOrder() {
  const orders = [];
  const { kind, job } = await new Promise((resolve) => {
    const hear = (order) => {
      orders.push(order);
      resolve(order);
    };
    parentPort.on("message", hear);
    workerData.early = { orders, stop: () => parentPort.off("message", hear) };
    parentPort.postMessage({ kind: "result", value: undefined });
  });
  if (kind === "run") return start(job.module);
  workerData.early.stop();
  if (seat.job !== null) parentPort.postMessage({ kind: "returned" });
  parentPort.postMessage({ kind: "left" });
}
await (job === null ? startWithOrder() : start(job.module));`;
const code = namedCode(text, "tundish:thread-of-bundle");
