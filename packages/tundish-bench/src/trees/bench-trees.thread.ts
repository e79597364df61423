/** The entry point of the thread in which `bench trees` computes. */
import { parentPort, workerData } from "node:worker_threads";
import { benchTrees } from "./bench-trees.ts";
import type { TreesJob, TreesNews } from "./trees-thread.ts";

const { models, options } = workerData as TreesJob;
const tell = (news: TreesNews): void => parentPort?.postMessage(news);

tell({ models: benchTrees(models, { ...options, onProgress: (progress) => tell({ progress }) }) });
