/// <reference lib="esnext.disposable" preserve="true" />
/** A topology held by libhwloc: this machine, one read from XML, or one described in words. */
import { bindThread, threadBinding } from "./binding.js";
import { HwlocUsageError } from "./errors.js";
import type { HwlocLibrary, Pointer } from "./library.js";
import { failure } from "./native.js";
import { follow, type HwlocObject, type Link, placeOf, readObject, readSet, readString, typeOf } from "./object.js";
import { shortText } from "./short-text.js";

const UNKNOWN_DEPTH = -1;
const MULTIPLE_DEPTHS = -2;

/** As C takes it. */
const isInt = (value: unknown): value is number => Number.isInteger(value) && Math.abs(value as number) < 2 ** 31;

/**
 * A loaded topology. Made by {@link openTopology}; destroy it by `using`, `[Symbol.dispose]()` or
 * `close()`. The objects it hands out are plain values and outlive it.
 */
export class HwlocTopology implements Disposable {
  /** The version of hwloc's API in use, e.g. "2.8" for hwloc 2.9.0. */
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
   * @throws HwlocUsageError for what is no level: a fraction, say.
   */
  objectsAtDepth(depth: number): HwlocObject[] {
    const topology = this.#open("objectsAtDepth()");
    if (!isInt(depth)) {
      throw new HwlocUsageError(
        `objectsAtDepth() expected a level, 0 for the Machine to ${this.depth - 1} for the PUs, or -3 for NUMA nodes, got ${shortText(depth as unknown)}.`,
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
   * @throws HwlocUsageError for a name that is no type of hwloc.
   */
  objects(type: string): HwlocObject[] {
    const topology = this.#open("objects()");
    const out: [number] = [UNKNOWN_DEPTH];
    if (typeof type !== "string" || this.#hwloc.typeDepth(type, null, topology, out) < 0) {
      throw new HwlocUsageError(
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

  /** The object that holds all others: the Machine. */
  get root(): HwlocObject {
    return this.objectsAtDepth(0)[0] as HwlocObject;
  }

  /**
   * The object right above one of this topology; null for the root. That of a NUMA node is the object that its memory
   * is attached to.
   * @throws HwlocUsageError for an object of another topology
   */
  parent(object: HwlocObject): HwlocObject | null {
    const parent = follow(this.#addressOf("parent()", object), "parent");
    return parent === null ? null : this.#read(parent);
  }

  /**
   * The objects right below one of this topology on the way to its PUs, by logical index; empty for a PU and for a NUMA
   * node.
   * @throws HwlocUsageError for an object of another topology
   */
  children(object: HwlocObject): HwlocObject[] {
    return this.#chain(this.#addressOf("children()", object), "firstChild");
  }

  /**
   * The memory attached to an object of this topology: NUMA nodes, or a memory-side cache that stands before them.
   * @throws HwlocUsageError for an object of another topology
   */
  memoryChildren(object: HwlocObject): HwlocObject[] {
    return this.#chain(this.#addressOf("memoryChildren()", object), "memoryFirstChild");
  }

  /** The topology as XML that {@link openTopology} and lstopo read. @throws HwlocError */
  exportXml(): string {
    const topology = this.#open("exportXml()");
    const xml: [Pointer | null] = [null];
    const length: [number] = [0];
    if (this.#hwloc.exportXml(topology, xml, length, 0) < 0 || xml[0] === null) {
      throw failure("ERR_HWLOC_EXPORT", "libhwloc cannot export this topology as XML");
    }
    try {
      return readString(xml[0]);
    } finally {
      this.#hwloc.freeXml(topology, xml[0]);
    }
  }

  /**
   * Binds the calling thread, and no other, to some CPUs, by the operating system's numbers.
   * @throws HwlocUsageError for no CPU, and for a topology of another machine.
   * @throws HwlocError when the operating system refuses.
   */
  bindThread(cpus: readonly number[]): void {
    const topology = this.#open("bindThread()");
    this.#mustBeThisSystem("bindThread()");
    bindThread(this.#hwloc, topology, cpus);
  }

  /** The CPUs that the calling thread is bound to, ascending. @throws HwlocUsageError, HwlocError as bindThread */
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

  #addressOf(what: string, object: HwlocObject): Pointer {
    const topology = this.#open(what);
    const { depth, logicalIndex, type } = (object ?? {}) as Partial<HwlocObject>;
    const address = isInt(depth) && isInt(logicalIndex) ? this.#hwloc.object(topology, depth, logicalIndex) : null;
    if (address === null || typeOf(this.#hwloc, address) !== type) {
      throw new HwlocUsageError(`${what} expected an object of this topology, got ${shortText(object)}.`);
    }
    return address;
  }

  #chain(parent: Pointer, first: Link): HwlocObject[] {
    const objects: HwlocObject[] = [];
    for (let at = follow(parent, first); at !== null; at = follow(at, "nextSibling")) {
      objects.push(this.#read(at));
    }
    return objects;
  }

  #read(address: Pointer): HwlocObject {
    const { depth, logicalIndex } = placeOf(address);
    return readObject(this.#hwloc, address, depth, logicalIndex);
  }

  #open(what: string): Pointer {
    if (this.#topology === null) {
      throw new HwlocUsageError(`${what} was used on a topology that is closed. Open it again with openTopology().`);
    }
    return this.#topology;
  }

  // hwloc itself accepts bindings by a foreign topology and does nothing
  #mustBeThisSystem(what: string): void {
    if (this.isThisSystem) return;
    throw new HwlocUsageError(
      `${what} needs the topology of this machine, got one of XML or a description. Use openTopology() without a source.`,
    );
  }
}
