/** Writes small modules of WebAssembly, such as a compiler with the wrong flags makes. */

/** What is in a module; it exports `load(address): f64` and `store(address, f64)`. */
export interface Parts {
  /** Its memory. @default an import of env.memory, shared, from 1 page to 65536 */
  readonly memory?: {
    readonly isOwn?: boolean;
    readonly isShared?: boolean;
    readonly most?: number;
    readonly least?: number;
  } | null;
  /** Address of 8 bytes of data. @default none */
  readonly dataAt?: number;
  /** Data that code would place. */
  readonly hasPassive?: boolean;
  readonly hasStart?: boolean;
  /** Functions that it imports, `module.name`. */
  readonly functions?: readonly string[];
  /** Globals i32 that it imports, `module.name`. */
  readonly globals?: readonly string[];
  /** Bytes and power of the alignment of its static data, with the libraries that it needs. */
  readonly dylink?: { readonly bytes: number; readonly power: number; readonly needed?: readonly string[] };
  /** The name of a global of its own. */
  readonly ownGlobal?: string;
}

const number = (x: number): number[] => {
  const bytes: number[] = [];
  for (let left = x; ; ) {
    const low = left % 128;
    left = Math.floor(left / 128);
    bytes.push(left > 0 ? low + 128 : low);
    if (left === 0) return bytes;
  }
};
/** i32.const; of numbers below 2^31. */
const signed = (x: number): number[] => {
  const bytes: number[] = [];
  for (let left = x; ; left >>= 7) {
    const isLast = left < 64;
    bytes.push((left & 127) | (isLast ? 0 : 128));
    if (isLast) return bytes;
  }
};
const text = (words: string): number[] => [...number(words.length), ...Buffer.from(words)];
const list = (items: readonly (readonly number[])[]): number[] => [...number(items.length), ...items.flat()];
const section = (id: number, content: readonly number[]): number[] => [id, ...number(content.length), ...content];
const names = (path: string): number[] => {
  const [module = "", name = ""] = path.split(/\.(?=[^.]*$)/);
  return [...text(module), ...text(name)];
};

const limits = ({ isShared = true, least = 1, most = 65_536 }: NonNullable<Parts["memory"]>): number[] => [
  isShared ? 3 : 1,
  ...number(least),
  ...number(most),
];

const [I32, F64] = [0x7f, 0x7c];
/** Types: load, store, nothing. */
const TYPES = [
  [0x60, 1, I32, 1, F64],
  [0x60, 2, I32, F64, 0],
  [0x60, 0, 0],
];
const BODIES = [
  [0, 0x20, 0, 0x2b, 3, 0, 0x0b],
  [0, 0x20, 0, 0x20, 1, 0x39, 3, 0, 0x0b],
  [0, 0x0b],
];

export function moduleOf(parts: Parts = {}): Uint8Array {
  const { functions = [], globals = [], dylink, ownGlobal, dataAt, hasPassive = false, hasStart = false } = parts;
  const memory = parts.memory === undefined ? {} : parts.memory;
  const imports = [
    ...functions.map((path) => [...names(path), 0, 2]),
    ...(memory === null || memory.isOwn ? [] : [[...names("env.memory"), 2, ...limits(memory)]]),
    ...globals.map((path) => [...names(path), 3, I32, path.endsWith("__stack_pointer") ? 1 : 0]),
  ];
  const bodies = memory === null ? BODIES.slice(2) : BODIES;
  const first = functions.length;
  const data = [
    ...(dataAt === undefined ? [] : [[0, 0x41, ...signed(dataAt), 0x0b, 8, 1, 2, 3, 4, 5, 6, 7, 8]]),
    ...(hasPassive ? [[1, 4, 1, 2, 3, 4]] : []),
  ];
  const needed = dylink?.needed ?? [];
  const globalName = list([[...number(globals.length), ...text(ownGlobal ?? "")]]);
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...(dylink === undefined
      ? []
      : section(0, [
          ...text("dylink.0"),
          ...section(1, [...number(dylink.bytes), ...number(dylink.power), 0, 0]),
          ...(needed.length === 0 ? [] : section(2, list(needed.map(text)))),
        ])),
    ...section(1, list(TYPES)),
    ...section(2, list(imports)),
    ...section(3, list(bodies.map((_, i) => [memory === null ? 2 : i]))),
    ...(memory?.isOwn ? section(5, list([limits(memory)])) : []),
    ...(ownGlobal === undefined ? [] : section(6, list([[I32, 1, 0x41, ...signed(66_560), 0x0b]]))),
    ...section(
      7,
      memory === null
        ? [0]
        : list([
            [...text("load"), 0, first],
            [...text("store"), 0, first + 1],
          ]),
    ),
    ...(hasStart ? section(8, number(first + bodies.length - 1)) : []),
    ...section(10, list(bodies.map((body) => [...number(body.length), ...body]))),
    ...(data.length === 0 ? [] : section(11, list(data))),
    ...(ownGlobal === undefined ? [] : section(0, [...text("name"), ...section(7, globalName)])),
  ]);
}
