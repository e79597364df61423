/** Processes that open logs: with koffi or without, in this PID namespace or in one of their own. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Answer, Call } from "./log-owner.program.ts";

const program = fileURLToPath(new URL("./log-owner.program.js", import.meta.url));

/**
 * "here": this PID namespace; "apart": another one, as a container has; "blind": another one, with the /proc of this
 * one.
 */
export type Place = "here" | "apart" | "blind";

const inNamespace = ["--pid", "--fork", "--kill-child"];
const own = process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"];
const before: Record<Place, readonly string[]> = {
  here: [],
  apart: ["unshare", ...own, ...inNamespace, "--mount-proc"],
  blind: ["unshare", ...own, ...inNamespace],
};

/** Whether this machine lets us have a PID namespace. */
export const hasNamespaces: boolean =
  process.platform === "linux" &&
  spawnSync("unshare", [...before.apart.slice(1), "true"], { stdio: "ignore" }).status === 0;

export class LogOwner {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly #place: Place;
  #errors = "";

  constructor(hasKoffi: boolean, place: Place = "here") {
    const [command = "", ...args] = [...before[place], process.execPath, program];
    this.#place = place;
    this.#child = spawn(command, args, {
      stdio: ["pipe", "pipe", "pipe"],
      env: { ...process.env, TUNDISH_NATIVE: hasKoffi ? "" : "off" },
    });
    this.#child.stderr?.on("data", (data) => {
      this.#errors += data;
    });
    this.#lines = createInterface({ input: this.#child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  }

  async #call(call: Call): Promise<Answer> {
    this.#child.stdin?.write(`${JSON.stringify(call)}\n`);
    const { value, done } = await this.#lines.next();
    if (done) throw new Error(`the process has ended: ${this.#errors}`);
    return JSON.parse(value);
  }

  open(folder: string, staleMs?: number): Promise<Answer> {
    return this.#call({ call: "open", folder, staleMs });
  }
  append(): Promise<Answer> {
    return this.#call({ call: "append" });
  }
  close(): Promise<Answer> {
    return this.#call({ call: "close" });
  }
  start(): Promise<Answer> {
    return this.#call({ call: "start" });
  }

  signal(name: NodeJS.Signals): void {
    const { pid } = this.#child;
    const inner = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").trim();
    process.kill(this.#place === "here" ? (pid as number) : Number(inner.split(" ")[0]), name);
  }

  /** Kills it, and returns when it is gone. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = new Promise((resolve) => this.#child.once("exit", resolve));
    this.signal("SIGKILL");
    await gone;
  }
}
