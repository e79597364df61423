/**
 * Reads of the binary format what V8 does not tell of a compiled module: limits of its memory and table, where its data
 * goes, whether it has a start function.
 *
 * Limits: V8 has compiled the module before, so it is known to be valid; but not its custom sections, which V8 does not
 * read: no part may end behind what it is part of.
 *
 * Source: WebAssembly Core Specification 2.0, section 5; tool-conventions, DynamicLinking.md ("dylink.0").
 */
import { UsageError } from "../../ground/base/errors.ts";
import type { Extent } from "./layout.ts";

/** Bounds of a memory (pages of 64 KiB) or a table; without a maximum it is Infinity. */
export interface MemoryLimits {
  readonly least: number;
  readonly most: number;
  readonly isShared: boolean;
  /** Its addresses have 64 bits. */
  readonly is64: boolean;
}

/** An import that is no function. */
export interface BinaryImport {
  readonly module: string;
  readonly name: string;
  /** Of a memory and of a table. */
  readonly limits: MemoryLimits | null;
  /** Of a global. */
  readonly isMutable: boolean;
}

/** What "dylink.0" says of a position-independent module: its static data, its part of the table, and what it needs. */
export interface Dylink extends Extent {
  readonly tableSize: number;
  readonly libraries: readonly string[];
}

export interface Binary {
  readonly memories: readonly BinaryImport[];
  readonly tables: readonly BinaryImport[];
  readonly globals: readonly BinaryImport[];
  /** Memories of its own. */
  readonly ownMemories: number;
  /** Whether it runs something when it is instantiated. */
  readonly hasStart: boolean;
  /** Data that instantiation writes at fixed addresses, segments; and data that code places. */
  readonly activeSegments: number;
  readonly passiveSegments: number;
  readonly dylink: Dylink | null;
  /** Names of its globals, if it has kept them. */
  readonly globalNames: readonly string[];
}

const SECTION = { custom: 0, import: 2, memory: 5, start: 8, data: 11 } as const;
const KIND = { function: 0, table: 1, memory: 2, global: 3 } as const;
const HEADER_BYTES = 8;

class Reader {
  at: number;
  readonly end: number;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array, at = 0, end: number = bytes.length) {
    this.#bytes = bytes;
    this.at = at;
    this.end = end;
  }

  get isOver(): boolean {
    return this.at >= this.end;
  }

  byte(): number {
    return this.#bytes[this.#skip(1)] as number;
  }

  /** Goes on by so many bytes. @returns where they begin @throws UsageError behind the end */
  #skip(length: number): number {
    const begin = this.at;
    this.at += length;
    if (this.at <= this.end) return begin;
    throw new UsageError(
      "kernel: expected a module whose sections are whole, got one with a damaged section dylink.0 or name. Build it again.",
    );
  }

  /** LEB128, unsigned; of a signed one only its length is right. */
  number(): number {
    let result = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.byte();
      result += (byte & 127) * factor;
      if (byte < 128) return result;
    }
  }

  text(): string {
    const begin = this.#skip(this.number());
    return Buffer.from(this.#bytes.subarray(begin, this.at)).toString();
  }

  /** The next `length` bytes. */
  part(length: number): Reader {
    const begin = this.#skip(length);
    return new Reader(this.#bytes, begin, this.at);
  }

  /** As many as the next number says. */
  list<T>(next: () => T): T[] {
    const all: T[] = [];
    for (let left = this.number(); left > 0; left--) all.push(next());
    return all;
  }

  limits(): MemoryLimits {
    const flags = this.byte();
    const least = this.number();
    const most = flags & 1 ? this.number() : Number.POSITIVE_INFINITY;
    return { least, most, isShared: (flags & 2) !== 0, is64: (flags & 4) !== 0 };
  }
}

/** @param bytes of a module that V8 has compiled */
export function readBinary(bytes: Uint8Array): Binary {
  const found = {
    memories: [] as BinaryImport[],
    tables: [] as BinaryImport[],
    globals: [] as BinaryImport[],
    ownMemories: 0,
    hasStart: false,
    activeSegments: 0,
    passiveSegments: 0,
    dylink: null as Dylink | null,
    globalNames: [] as string[],
  };
  const reader = new Reader(bytes, HEADER_BYTES);
  while (!reader.isOver) {
    const section = reader.byte();
    const content = reader.part(reader.number());
    if (section === SECTION.import) addImports(content, found);
    else if (section === SECTION.memory) found.ownMemories = content.number();
    else if (section === SECTION.start) found.hasStart = true;
    else if (section === SECTION.data) Object.assign(found, segmentsOf(content));
    else if (section === SECTION.custom) {
      const name = content.text();
      if (name === "dylink.0") found.dylink = dylinkOf(content);
      if (name === "name") found.globalNames = globalNamesOf(content);
    }
  }
  return found;
}

interface Imports {
  readonly memories: BinaryImport[];
  readonly tables: BinaryImport[];
  readonly globals: BinaryImport[];
}

function addImports(reader: Reader, { memories, tables, globals }: Imports): void {
  for (let left = reader.number(); left > 0; left--) {
    const names = { module: reader.text(), name: reader.text() };
    const kind = reader.byte();
    // before the limits of a table and the mutability of a global: a type; before the type of a tag: a zero
    if (kind !== KIND.function && kind !== KIND.memory) reader.byte();
    if (kind === KIND.table) tables.push({ ...names, limits: reader.limits(), isMutable: true });
    else if (kind === KIND.memory) memories.push({ ...names, limits: reader.limits(), isMutable: true });
    else if (kind === KIND.global) globals.push({ ...names, limits: null, isMutable: reader.byte() === 1 });
    else reader.number();
  }
}

const PASSIVE = 1;
const WITH_MEMORY = 2;
const END = 0x0b;
/** Instructions of constant expressions that have an operand: global.get, i32.const, i64.const. */
const WITH_NUMBER = [0x23, 0x41, 0x42];

function segmentsOf(reader: Reader): Pick<Binary, "activeSegments" | "passiveSegments"> {
  let [activeSegments, passiveSegments] = [0, 0];
  for (let left = reader.number(); left > 0; left--) {
    const flags = reader.number();
    if (flags === WITH_MEMORY) reader.number();
    if (flags !== PASSIVE) {
      for (let code = reader.byte(); code !== END; code = reader.byte())
        if (WITH_NUMBER.includes(code)) reader.number();
    }
    const length = reader.number();
    reader.at += length;
    if (flags === PASSIVE) passiveSegments++;
    else if (length > 0) activeSegments++;
  }
  return { activeSegments, passiveSegments };
}

/** Subsections of "dylink.0". */
const MEMORY_INFO = 1;
const NEEDED = 2;

/** @param section of this name, without the name */
export const dylinkSection = (section: ArrayBuffer): Dylink => dylinkOf(new Reader(new Uint8Array(section)));

function dylinkOf(reader: Reader): Dylink {
  let extent = { bytes: 0, align: 1, tableSize: 0 };
  let libraries: string[] = [];
  while (!reader.isOver) {
    const kind = reader.byte();
    const content = reader.part(reader.number());
    if (kind === MEMORY_INFO) {
      const [bytes, power, tableSize] = [content.number(), content.number(), content.number()];
      extent = { bytes, align: 2 ** power, tableSize };
    } else if (kind === NEEDED) {
      libraries = content.list(() => content.text());
    }
  }
  return { ...extent, libraries };
}

/** The subsection of "name" for globals. */
const GLOBAL_NAMES = 7;

function globalNamesOf(reader: Reader): string[] {
  while (!reader.isOver) {
    const kind = reader.byte();
    const content = reader.part(reader.number());
    if (kind !== GLOBAL_NAMES) continue;
    return content.list(() => {
      content.number();
      return content.text();
    });
  }
  return [];
}
