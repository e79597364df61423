/**
 * Makes kernels: the first PE of each node gives the static data a block and places it, then the others make their
 * instances. After both steps all PEs say whether they could, so that all make it or none does.
 */
import { MismatchError, sentenceOf } from "../../ground/base/errors.ts";
import { checkOptions } from "../../ground/base/options.ts";
import type { Task } from "../../ground/wait/task.ts";
import type { Seat } from "../../pe/seat.ts";
import { checkModule, isRelocatable } from "./check.ts";
import { type Instance, instantiate, type KernelPlace } from "./instance.ts";
import { type Kernel, newKernel } from "./kernel.ts";
import { dataAt, dataBlockBytes } from "./layout.ts";
import { DEFAULT_STACK_BYTES, KERNEL, type KernelOptions } from "./options.ts";
import { type Loaded, load } from "./source.ts";

const PAGE = 65_536;
/** The words that each PE says: whether it failed, a hash of its module, and the block of its node's data. */
const WORDS = 3;
/** A block of the heap never begins at 0. */
const NO_BLOCK = 0;

/** What a PE has made so far. */
interface Made {
  readonly loaded: Loaded | null;
  readonly instance: Instance | null;
  /** The block of static data that this PE has allocated; {@link NO_BLOCK} for none. */
  readonly block: number;
  readonly error: unknown;
}

/**
 * @throws UsageError for a module that can be no kernel, HeapError, MismatchError if PEs have different modules: at all
 * PEs, with the PE that failed in the message of the others
 */
export function* makingKernel<E>(seat: Seat, source: unknown, options: KernelOptions): Task<Kernel<E>> {
  const { heap, here, rank } = seat;
  const leader = here[0] as number;
  const placement = (data: number): KernelPlace => ({
    heap,
    data,
    isFirst: rank === leader,
    stackBytes: options.stackBytes ?? DEFAULT_STACK_BYTES,
    imports: options.imports ?? {},
  });
  const first = attempt(() => {
    checkOptions("kernel", KERNEL, options);
    const loaded = load(source);
    checkModule(loaded, Math.floor(heap.buffer.byteLength / PAGE), options.imports ?? {});
    return rank === leader ? placed(seat, loaded, placement) : { loaded, instance: null, block: NO_BLOCK };
  });
  const said = yield* agreeing(seat, first, [first]);
  const block = said[leader * WORDS + 2] as number;
  const loaded = first.loaded as Loaded;
  const second =
    rank === leader
      ? first
      : attempt(() => {
          const data = block === NO_BLOCK ? 0 : dataAt(block, loaded.dylink ?? NOTHING);
          return { loaded, instance: instantiate(loaded, placement(data)), block: NO_BLOCK };
        });
  // the first PE of a node has made its instance before
  yield* agreeing(seat, second, [first, second]);
  return newKernel<E>(seat, second.instance as Instance, block === NO_BLOCK ? null : block);
}

const NOTHING = { bytes: 0, align: 1 };

function attempt(make: () => Omit<Made, "error">): Made {
  try {
    return { ...make(), error: null };
  } catch (error) {
    return { loaded: null, instance: null, block: NO_BLOCK, error };
  }
}

/** The data of a node, and the instance of its first PE, which places it. */
function placed({ heap }: Seat, loaded: Loaded, placement: (data: number) => KernelPlace): Omit<Made, "error"> {
  if (!isRelocatable(loaded)) return { loaded, instance: instantiate(loaded, placement(0)), block: NO_BLOCK };
  const extent = loaded.dylink ?? NOTHING;
  const block = heap.allocate(dataBlockBytes(extent), { what: "the static data of a kernel", lower: () => "" });
  try {
    return { loaded, instance: instantiate(loaded, placement(dataAt(block, extent))), block };
  } catch (error) {
    heap.free(block);
    throw error;
  }
}

/**
 * All PEs say whether they could make their part.
 * @param parts what this PE frees if one could not @returns what all have said
 * @throws the error of this PE; MismatchError at the others
 */
function* agreeing(seat: Seat, made: Made, parts: readonly Made[]): Task<Float64Array> {
  const { collectives, members, heap } = seat;
  const { backend } = collectives;
  const own = Float64Array.of(made.error === null ? 0 : 1, made.loaded?.hash ?? 0, made.block);
  const said = (yield* collectives.task(backend.allgather(own))) as Float64Array;
  const failed = members.findIndex((_, rank) => said[rank * WORDS] === 1);
  const other = members.findIndex((_, rank) => said[rank * WORDS + 1] !== own[1]);
  if (failed < 0 && other < 0) return said;
  for (const { instance, block } of new Set(parts)) {
    if (instance !== null) heap.free(instance.block);
    if (block !== NO_BLOCK) heap.free(block);
  }
  if (failed < 0) {
    throw new MismatchError(
      `kernel: expected the same module at all PEs, got another one at PE ${members[other]} than at PE ${members[seat.rank]}.`,
    );
  }
  const text = made.error === null ? "" : sentenceOf(made.error as Error);
  const texts = (yield* collectives.task(backend.allgather([text]))) as readonly (readonly string[])[];
  if (made.error !== null) throw made.error;
  throw new MismatchError(`kernel: PE ${members[failed]} could not make it: ${texts.flat()[failed]}`);
}
