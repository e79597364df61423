/** Checks Node.js and native code: whether each part is present and works. */
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { generate } from "../../../facilities/conveyor/codegen/generate.ts";
import { sentenceOf } from "../../../ground/base/errors.ts";
import { INSTALL_KOFFI, native } from "../../../ground/base/native/native.ts";
import { sibling } from "../../../ground/base/package-file.ts";
import { setting } from "../../../ground/base/settings.ts";
import { spawnThread } from "../../../ground/base/thread/spawn.ts";
import { bytesText, countText } from "../../../ground/base/units.ts";
import { loadKernels } from "../../../ground/memory/kernels/kernels.ts";
import { wasm } from "../../../ground/memory/kernels/webassembly.ts";
import { newHeap } from "../../../ground/memory/new-heap.ts";
import { futex } from "../../../ground/wait/futex.ts";
import type { DoctorFinding } from "./finding.ts";

/** Checks what is required: Node.js, shared memory, kernels, generated code, heap; and koffi, which is optional. */
export async function softwareFindings(): Promise<DoctorFinding[]> {
  return [
    nodeVersion(process.versions.node, process.versions),
    platform(),
    needed("SharedArrayBuffer", () => {
      new Int32Array(new SharedArrayBuffer(4))[0] = 1;
      return "can be shared between threads";
    }),
    needed("WebAssembly", () => {
      if (wasm) return "with shared memory";
      throw new Error("this Node.js was started without it. Start it without --jitless.");
    }),
    needed("SIMD kernels", trySum),
    needed("generated code", tryCode),
    needed("heap", () => `${bytesText(newHeap().buffer.byteLength)} of address space can be reserved`),
    nativeCode(),
    waiting(),
    await pinning(),
  ];
}

/** Whether the version of Node.js is supported: 20.19 or later. Deno and Bun have one too. */
export function nodeVersion(version: string, others: NodeJS.Dict<string> = {}): DoctorFinding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const name = "Node.js";
  const other = others.deno ? `Deno ${others.deno}` : others.bun ? `Bun ${others.bun}` : null;
  if (other !== null) {
    const text = `this is ${other}, which says that it behaves as Node.js ${version}; not all tests run on it.`;
    return { name, state: "note", text, advice: "See docs/platforms.md.", needed: false };
  }
  if (major > 20 || (major === 20 && minor >= 19)) {
    return { name, state: "ok", text: `v${version}`, needed: true };
  }
  const advice = "Install a later one, see https://nodejs.org";
  return { name, state: "missing", text: `expected 20.19 or later, got ${version}.`, advice, needed: true };
}

function platform(): DoctorFinding {
  const text = `${process.platform} ${process.arch}, ${countText(availableParallelism(), "thread")} at once according to Node.js`;
  const name = "platform";
  if (process.platform === "linux") return { name, state: "ok", text, needed: false };
  return {
    name,
    state: "note",
    text: `${text}; PEs cannot be pinned to CPUs here, so measurements vary more.`,
    advice: "Linux gives the best results.",
    needed: false,
  };
}

function needed(name: string, check: () => string): DoctorFinding {
  try {
    return { name, state: "ok", text: check(), needed: true };
  } catch (error) {
    return { name, state: "missing", text: sentenceOf(error as Error), needed: true };
  }
}

function trySum(): string {
  const memory = new wasm.Memory({ initial: 1, maximum: 1, shared: true });
  const numbers = new Float64Array(memory.buffer as SharedArrayBuffer, 0, 16);
  numbers.fill(1, 0, 8).fill(2, 8);
  loadKernels(memory).reducer("sum", "f64")(0, 64, 8);
  if (!numbers.subarray(0, 8).every((number) => number === 3)) {
    throw new Error("the sum of 1 and 2 was wrong. Rebuild the package (npm run build).");
  }
  return "loaded, and they add up";
}

function tryCode(): string {
  generate("try", "", {});
  return "allowed, which conveyors need";
}

function nativeCode(): DoctorFinding {
  const way = setting("native");
  const name = way === "node" ? "node:ffi" : "koffi";
  const found = native();
  if (found) {
    return { name, state: "ok", text: `v${found.version}, calls into native libraries`, needed: false };
  }
  const off = way === "off";
  return {
    name,
    state: "missing",
    text: `${off ? "switched off by TUNDISH_NATIVE" : way === "node" ? "not in this Node.js, or not allowed" : "not installed"}: no pinning, no libhwloc, no sched_yield and no futex.`,
    advice: off
      ? "Unset TUNDISH_NATIVE."
      : way === "node"
        ? "Use Node.js 26.1 or newer, with --allow-ffi where permissions are limited, or unset TUNDISH_NATIVE."
        : INSTALL_KOFFI,
    needed: false,
  };
}

function waiting(): DoctorFinding {
  const name = "waiting";
  if (futex()) return { name, state: "ok", text: "by sched_yield and futex", needed: false };
  const text = "by spinning and Atomics.wait only: waking a sleeping PE takes about three times as long.";
  return { name, state: "note", text, needed: false };
}

async function boundCpu(): Promise<number | null> {
  const worker = spawnThread({
    entry: sibling("./pin-check.js", import.meta.url),
    workerData: null,
    name: "tundish doctor",
  });
  const [cpu] = (await once(worker, "message")) as [number | null];
  return cpu;
}

/** Pins a temporary thread and reads its binding back; this thread stays unchanged. */
async function pinning(): Promise<DoctorFinding> {
  const name = "pinning";
  // a thread that fails, or cannot be started, counts as "cannot"
  const cpu = await boundCpu().catch(() => null);
  if (cpu !== null) {
    return { name, state: "ok", text: `a thread could bind itself to CPU ${cpu}`, needed: false };
  }
  const text = "threads cannot be bound to CPUs: they migrate, so measurements vary more.";
  return { name, state: "missing", text, needed: false };
}
