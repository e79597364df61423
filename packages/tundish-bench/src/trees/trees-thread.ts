/**
 * Runs `benchTrees` in a thread of its own: one search can take many seconds, in which the main thread could neither
 * handle Ctrl-C nor draw a bar.
 */
import { Worker } from "node:worker_threads";
import type { Progress } from "../../../../microbench/pairs/profiled.ts";
import { sibling } from "../../../../src/ground/base/package-file.ts";
import type { ModelResult, NamedModel, TreesBenchOptions } from "./bench-trees.ts";

/** The arguments of the thread. */
export interface TreesJob {
  readonly models: readonly NamedModel[];
  readonly options: Omit<TreesBenchOptions, "onProgress">;
}

/** A message of the thread. */
export type TreesNews = { readonly progress: Progress } | { readonly models: ModelResult[] };

/**
 * As `benchTrees`. An error of the thread is rethrown as a plain Error.
 * @throws the reason of `signal` when it is aborted; the thread is then terminated at once
 */
export async function benchTreesInThread(
  models: readonly NamedModel[],
  { onProgress, ...options }: TreesBenchOptions,
  signal?: AbortSignal,
): Promise<ModelResult[]> {
  signal?.throwIfAborted();
  const job: TreesJob = { models, options };
  const worker = new Worker(sibling("./bench-trees.thread.js", import.meta.url), { workerData: job });
  const end = (): void => void worker.terminate();
  signal?.addEventListener("abort", end, { once: true });
  try {
    return await new Promise((resolve, reject) => {
      worker.on("message", (news: TreesNews) => {
        if ("progress" in news) onProgress?.(news.progress);
        else resolve(news.models);
      });
      worker.on("error", reject);
      worker.on("exit", (code) => reject(signal?.reason ?? new Error(`The thread ended with ${code}.`)));
    });
  } finally {
    signal?.removeEventListener("abort", end);
  }
}
