/** A topology held by libhwloc: this machine, one read from XML, or one described in words. */
import { HwlocError, UsageError } from "../../base/errors.ts";
import { koffi } from "../../base/native.ts";
import { shortText } from "../../base/short-text.ts";
import { bindThread, threadBinding } from "./binding.ts";
import { failure } from "./failure.ts";
import type { HwlocLibrary, Pointer } from "./library.ts";
import { type HwlocObject, readObject, readSet } from "./object.ts";

const UNKNOWN_DEPTH = -1;
const MULTIPLE_DEPTHS = -2;

/**
 * A loaded topology. Made by {@link openTopology}; destroy it by `using`, `[Symbol.dispose]()` or
 * `close()`. The objects it hands out are plain values and outlive it.
 */
export class HwlocTopology implements Disposable {
  /** The version of hwloc's API in use, e.g. "2.8". */
  readonly version: string;
  readonly #hwloc: HwlocLibrary;
  #topology: Pointer | null;

  /** @internal use {@link openTopology} */
  constructor(hwloc: HwlocLibrary, topology: Pointer) {
    this.#hwloc = hwloc;
    this.#topology = topology;
    this.version = hwloc.version;
  }

  /** Whether it describes the machine this process runs on, so that threads can be bound by it. */
  get isThisSystem(): boolean {
    return this.#hwloc.isThisSystem(this.#open("isThisSystem")) === 1;
  }

  /** Levels from the Machine (0) to the PUs; NUMA nodes are apart, at depth -3. */
  get depth(): number {
    return this.#hwloc.depth(this.#open("depth"));
  }

  /** CPUs that this process may use, ascending (a container may see more than it may use). */
  get allowedCpus(): number[] {
    const set = this.#hwloc.allowedCpus(this.#open("allowedCpus"));
    return set === null ? [] : readSet(this.#hwloc, set);
  }

  /**
   * The objects of one level, by logical index; empty where there is no such level.
   * @throws UsageError for what is no level: a fraction, say.
   */
  objectsAtDepth(depth: number): HwlocObject[] {
    const topology = this.#open("objectsAtDepth()");
    if (!Number.isInteger(depth) || Math.abs(depth) >= 2 ** 31) {
      throw new UsageError(
        `objectsAtDepth() expected a level, 0 for the Machine to ${this.depth - 1} for the PUs, or -3 for NUMA nodes, got ${shortText(depth)}.`,
      );
    }
    const count = this.#hwloc.count(topology, depth);
    const objects: HwlocObject[] = [];
    for (let index = 0; index < count; index++) {
      const address = this.#hwloc.object(topology, depth, index);
      if (address !== null) objects.push(readObject(this.#hwloc, address, depth, index));
    }
    return objects;
  }

  /**
   * The objects of one type, e.g. "Package", "NUMANode", "L3Cache", "Core", "PU", "Group"; empty
   * where the machine has none.
   * @throws UsageError for a name that is no type of hwloc.
   */
  objects(type: string): HwlocObject[] {
    const topology = this.#open("objects()");
    const out: [number] = [UNKNOWN_DEPTH];
    if (typeof type !== "string" || this.#hwloc.typeDepth(type, null, topology, out) < 0) {
      throw new UsageError(
        `Expected a type of hwloc such as Package, NUMANode, L3Cache, Core or PU, got ${shortText(type)}.`,
      );
    }
    if (out[0] === UNKNOWN_DEPTH) return [];
    if (out[0] !== MULTIPLE_DEPTHS) return this.objectsAtDepth(out[0]);
    // only Groups are at several depths
    return Array.from({ length: this.depth }, (_, depth) => this.objectsAtDepth(depth))
      .flat()
      .filter((object) => object.type.startsWith("Group"));
  }

  /** The topology as XML that {@link openTopology} and lstopo read. @throws HwlocError */
  exportXml(): string {
    const topology = this.#open("exportXml()");
    const xml: [Pointer | null] = [null];
    const length: [number] = [0];
    if (this.#hwloc.exportXml(topology, xml, length, 0) < 0 || xml[0] === null) {
      throw new HwlocError(`libhwloc cannot export this topology as XML${failure()}.`);
    }
    try {
      return koffi()?.decode.string(xml[0]) ?? "";
    } finally {
      this.#hwloc.freeXml(topology, xml[0]);
    }
  }

  /**
   * Binds the calling thread, and no other, to some CPUs, by the operating system's numbers.
   * @throws UsageError for no CPU, and for a topology of another machine.
   * @throws HwlocError when the operating system refuses.
   */
  bindThread(cpus: readonly number[]): void {
    const topology = this.#open("bindThread()");
    this.#mustBeThisSystem("bindThread()");
    bindThread(this.#hwloc, topology, cpus);
  }

  /** The CPUs that the calling thread is bound to, ascending. @throws UsageError, HwlocError as bindThread */
  threadBinding(): number[] {
    const topology = this.#open("threadBinding()");
    this.#mustBeThisSystem("threadBinding()");
    return threadBinding(this.#hwloc, topology);
  }

  /** Destroys the topology; a second time does nothing. */
  close(): void {
    if (this.#topology !== null) this.#hwloc.destroy(this.#topology);
    this.#topology = null;
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #open(what: string): Pointer {
    if (this.#topology === null) {
      throw new UsageError(
        `${what} was used on a topology that is closed. Open it again with openTopology().`,
      );
    }
    return this.#topology;
  }

  // hwloc itself accepts bindings by a foreign topology and does nothing
  #mustBeThisSystem(what: string): void {
    if (this.isThisSystem) return;
    throw new UsageError(
      `${what} needs the topology of this machine, got one of XML or a description. Use openTopology() without a source.`,
    );
  }
}
