/**
 * Open worlds: PEs that stay between runs, with their threads, their heap and the code that V8 has made for them.
 *
 * A run that fails ends the PEs, as those that wait for the one that failed cannot go on. On one machine the next run
 * then starts new ones; over nodes, which may have learned of the failure in different runs, the world has ended.
 */
import { CallSite } from "../../ground/base/call-site/call-site.ts";
import { WorldClosedError } from "../../ground/base/errors.ts";
import { shieldThreads } from "../../ground/base/shield.ts";
import { shortText, withoutStop } from "../../ground/base/short-text.ts";
import { onAbort } from "../../ground/wait/abort.ts";
import type { Diagnosis } from "../../links/diagnose/diagnose.ts";
import type { Epoch } from "../../links/world/nodes/epoch.ts";
import type { ArgsOf, ResultOf } from "../../pe/spmd.ts";
import type { ThreadsAhead } from "./ahead.ts";
import { type Beginning, type Run, runOf } from "./handle.ts";
import { checkInMain } from "./in-main.ts";
import { kernelsAhead } from "./kernels.ts";
import { RunLimits } from "./limits.ts";
import { resolveModule } from "./module.ts";
import { makeNode } from "./node.ts";
import { checkOpenOptions, checkRunOptions, type OpenOptions, type WorldRunOptions } from "./options.ts";
import { beginEpoch } from "./over-nodes/begin.ts";
import { givenPlan } from "./plan.ts";
import { prepare } from "./prepare.ts";
import { startOf, type TreeChoice } from "./run.ts";
import { RunningWorld } from "./running-world.ts";
import { checkInputs } from "./stdio/stdin.ts";
import { type WorldParts, worldParts } from "./world-parts.ts";

/** The options of {@link OpenWorld.run}; they may be left out where the program can do without `args`. */
export type WorldRunArguments<Args> = undefined extends Args
  ? [options?: WorldRunOptions<Args>]
  : [options: WorldRunOptions<Args> & { readonly args: Args }];

/** A run that has not ended. Only a run whose world is closed may reject without anybody who awaits it. */
interface Pending {
  silence: () => void;
}

/** Makes the PEs of a world; `stop` ends that. */
type Starter = (stop: AbortSignal) => Promise<RunningWorld>;

/** Makes the face of a world. */
let newOpenWorld: (world: RunningWorld, size: number, epoch: Epoch | null, start: Starter) => OpenWorld;

/** A world whose PEs stay between runs, made by {@link open}. */
export class OpenWorld implements AsyncDisposable {
  static {
    newOpenWorld = (world, size, epoch, start) => new OpenWorld(world, size, epoch, start);
  }

  /** Number of PEs on all nodes. */
  readonly size: number;
  /** The rank of this node's first PE. */
  readonly first: number;
  readonly #epoch: Epoch | null;
  readonly #start: Starter;
  #world: RunningWorld;
  readonly #closing = new AbortController();
  /** Resolves when all runs so far have ended. */
  #queue: Promise<unknown> = Promise.resolve();
  #runs = 0;
  /** Runs that have not ended. */
  readonly #pending = new Set<Pending>();
  #closed: Promise<void> | null = null;
  readonly #parts: WorldParts;

  private constructor(world: RunningWorld, size: number, epoch: Epoch | null, start: Starter) {
    this.#world = world;
    this.size = size;
    this.first = world.first;
    this.#epoch = epoch;
    this.#start = start;
    this.#parts = {
      pes: world.pes,
      isClosed: () => this.#closed !== null,
      wake: () => this.#world.wake(),
      fail: (error) => {
        this.#epoch?.fail(error as Error, false, "could not run a module");
        this.#world.look();
      },
      beforeNext: () => undefined,
    };
    worldParts.set(this, this.#parts);
  }

  /**
   * Runs an SPMD module on the PEs of this world, after the runs that were begun before. Over nodes every process makes
   * the same calls in the same order.
   *
   * A module is loaded once: its variables stay between runs, and what it has allocated, until it frees that. When a
   * run fails the PEs end; the next one starts new ones, which load modules anew. Over nodes the world has ended then.
   *
   *     await world.run<typeof import("./k.js")>(new URL("./k.js", import.meta.url), { args: { k: 3 } });
   *
   * With the type of the module, `args` are checked and the results have their type when the program is compiled.
   * @param module as for {@link launch}
   * @returns what each PE's main returned, in rank order; of a PE that is lost, with `onLoss: "continue"`, its
   * RankLostError
   * @throws as {@link launch}; WorldClosedError if the world was closed, or has ended over nodes
   */
  run<Program = unknown>(
    module: URL | string,
    ...[options = {}]: WorldRunArguments<ArgsOf<Program>>
  ): Run<ResultOf<Program>> {
    const site = new CallSite();
    return runOf<ResultOf<Program>>((beginning) => {
      const pending: Pending = { silence: () => {} };
      this.#pending.add(pending);
      const results = this.#enqueue(module, options, beginning, pending).catch((error: unknown) => {
        throw site.extend(error);
      });
      pending.silence = () => void results.catch(() => {});
      return results;
    });
  }

  /** As {@link PE.diagnose}. */
  diagnose(patience?: number): Diagnosis {
    return this.#world.diagnose(patience);
  }

  /**
   * Ends the world: its PEs leave. Runs that have not finished end with a WorldClosedError. Resolves when the threads
   * have exited. A second call has no further effect.
   */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  /** As {@link close}. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    await this.#parts.beforeNext();
    // whoever closes the world knows that they end
    for (const { silence } of this.#pending) silence();
    this.#closing.abort();
    await this.#queue;
    await this.#world.close();
    await this.#epoch?.leave();
  }

  /** Runs it when those before have ended, unless its limits end it before. */
  async #enqueue(
    module: URL | string,
    options: WorldRunOptions,
    { closing, onBegin, onPost }: Beginning,
    pending: Pending,
  ): Promise<unknown[]> {
    let hasBegun = false;
    let limits: RunLimits | null = null;
    try {
      checkInMain("run()");
      checkRunOptions(options);
      const { href } = resolveModule(module);
      if (this.#closing.signal.aborted) throw new WorldClosedError("The world was closed");
      limits = new RunLimits(options, closing, this.#closing.signal);
      const { signal } = limits;
      const before = this.#parts.beforeNext();
      if (before !== undefined && this.#epoch !== null) await before;
      const ended = this.#queue.then(async () => {
        // before it has begun it concerns no other run
        signal.throwIfAborted();
        hasBegun = true;
        const world = await this.#living(signal);
        onBegin(world);
        return world.run({ number: ++this.#runs, module: href, args: options.args }, signal, onPost);
      });
      this.#queue = ended.catch(() => {});
      return await new Promise((resolve, reject) => {
        const onStop = () => {
          if (!hasBegun) reject(signal.reason as Error);
        };
        if (signal.aborted) onStop();
        else onAbort(signal, onStop);
        ended.then(resolve, reject);
      });
    } catch (error) {
      this.#parts.fail(error);
      throw error;
    } finally {
      limits?.end();
      this.#pending.delete(pending);
    }
  }

  /** The PEs; new ones if those of before have ended. */
  async #living(stop: AbortSignal): Promise<RunningWorld> {
    if (!this.#world.isOver) return this.#world;
    await this.#world.close();
    if (this.#epoch !== null) {
      const cause = this.#world.failure;
      throw new WorldClosedError(
        `The world has ended: ${cause === null ? "all its PEs have left" : withoutStop(shortText(cause))}. In this MPI job no other one can begin. End the process.`,
        cause === null ? {} : { cause },
      );
    }
    this.#world = await this.#start(stop);
    return this.#world;
  }
}

/**
 * Opens a world on the trees chosen by `treeChoice`.
 * @param ahead threads that have been started for it.
 * @throws as open()
 */
export async function openWorld(
  options: OpenOptions,
  { trees: choose }: TreeChoice,
  ahead: ThreadsAhead | null,
): Promise<OpenWorld> {
  shieldThreads();
  const epoch = await beginEpoch();
  const limits = new RunLimits(options);
  try {
    checkOpenOptions(options);
    checkInputs(options, epoch !== null);
    const compiling = kernelsAhead();
    const prepared = await prepare(options, limits.signal, epoch, await givenPlan(options));
    const trees = await choose(prepared, limits.signal);
    const start: Starter = async (stop) => {
      const make = () => makeNode(options, prepared, trees);
      const node = ahead === null ? make() : await ahead.beside(make);
      const world = new RunningWorld(node, epoch);
      await world.open(startOf(node, options, await compiling, false, ahead), stop);
      return world;
    };
    const world = await start(limits.signal);
    const size = prepared.job?.nodes.starts.at(-1) ?? prepared.cpus.length;
    return newOpenWorld(world, size, epoch, start);
  } catch (error) {
    epoch?.fail(error as Error);
    await epoch?.leave();
    throw error;
  } finally {
    limits.end();
  }
}
