/** The options of the programs in this folder: what each may be, its default, and those that all conveyors have. */
import { parseArgs } from "node:util";
import { type Main, type Spmd, spmd, UsageError } from "tundish";
import type { ConveyorOptions, ConveyorType } from "tundish/conveyor";

/** An option of the command line. */
export interface Option<T> {
  readonly type: "string" | "boolean";
  /** What it may be, for `--help`; none for a flag. */
  readonly takes?: string;
  /** Its value. @param name with its dashes @throws UsageError */
  read(given: string | boolean | undefined, name: string): T;
}
/** By name: `bufferBytes` is `--buffer-bytes` of the command line. */
export type Options = Readonly<Record<string, Option<unknown>>>;
/** What the options of a program are in one run. */
export type Values<O extends Options> = { readonly [N in keyof O]: O[N] extends Option<infer T> ? T : never };

/** The words of the command line are wrong: `tundish run` prints only this message then, and its exit code is 2. */
export class ArgumentsError extends UsageError {
  readonly exitCode = 2;
}

const wrong = (name: string, expected: string, given: unknown): ArgumentsError =>
  new ArgumentsError(`${name}: expected ${expected}, got ${given}`);

const usually = (usual: unknown): string => (usual === undefined ? "" : ` (default: ${usual})`);

/** Digits may be parted by underscores, such as 1_000_000; NaN for what is no number. */
const numberOf = (given: unknown): number =>
  given === "" ? Number.NaN : Number(`${given}`.replaceAll(/(?<=\d)_(?=\d)/g, ""));

/** A whole number, such as 20, 1e6 or 1_000_000. @param usual its default */
export const whole = <T extends number | undefined>(usual: T, least: number, most: number): Option<T | number> => ({
  type: "string",
  takes: `whole, from ${least} to ${most}${usually(usual)}`,
  read(given, name) {
    if (given === undefined) return usual;
    const value = numberOf(given);
    const isWhole = /^[\d_]+((\.\d+)?e\+?\d+)?$/i.test(`${given}`) && Number.isSafeInteger(value);
    if (isWhole && value >= least && value <= most) return value;
    throw wrong(name, `a whole number from ${least} to ${most}`, given);
  },
});

/** A number. @param usual its default @param isAbove whether it must be above `least` */
export const real = <T extends number | undefined>(
  usual: T,
  least: number,
  most: number,
  isAbove = false,
): Option<T | number> => ({
  type: "string",
  takes: `a number ${isAbove ? "above" : "from"} ${least} to ${most}${usually(usual)}`,
  read(given, name) {
    if (given === undefined) return usual;
    const value = numberOf(given);
    if ((isAbove ? value > least : value >= least) && value <= most) return value;
    throw wrong(name, `a number ${isAbove ? "above" : "from"} ${least} to ${most}`, given);
  },
});

/** One of some words; the first is the default. */
export const oneOf = <T extends string>(...words: readonly [T, ...T[]]): Option<T> => ({
  type: "string",
  takes: `${words.join(" or ")} (default: ${words[0]})`,
  read(given, name) {
    const word = words.find((one) => one === (given ?? words[0]));
    if (word === undefined) throw wrong(name, words.join(" or "), given);
    return word;
  },
});

/** Given or not. */
export const flag: Option<boolean> = { type: "boolean", read: (given) => given === true };

/** Sizes of a mesh: `3x5x7` or `3,5,7`. Making the conveyor checks their number and product. */
const mesh: Option<readonly number[] | undefined> = {
  type: "string",
  takes: "sizes, such as 3x5x7",
  read(given, name) {
    if (given === undefined) return undefined;
    const sizes = `${given}`.split(/[x,]/).map(Number);
    const isMesh = /^\d+([x,]\d+)*$/.test(`${given}`);
    if (isMesh && sizes.every((size) => Number.isSafeInteger(size) && size >= 1)) return sizes;
    throw wrong(name, "sizes from 1 on, such as 3x5x7", given);
  },
};

/** A word that is checked where it is used. */
export const word = <T extends string>(takes: string): Option<T | undefined> => ({
  type: "string",
  takes,
  read: (given) => given as T | undefined,
});

/** Options of conveyors, by their names there. Those that are not given are left to the library. */
export const CONVEYOR_OPTIONS: Options = {
  type: word<ConveyorType>("trivial, simple or tensor"),
  hops: whole(undefined, 1, 3) as Option<ConveyorOptions["hops"]>,
  groupSize: whole(undefined, 1, 2 ** 20),
  mesh,
  bufferBytes: whole(undefined, 1, 2 ** 28),
  buffersPerLink: whole(undefined, 1, 4) as Option<ConveyorOptions["buffersPerLink"]>,
  threshold: real(undefined, 0, 1, true),
  cutoff: real(undefined, 0, 1),
  maxDelay: real(undefined, 0, 1e6),
  maxBufferedBytes: whole(undefined, 1, 2 ** 31),
  adapt: { type: "boolean", read: (given) => (given === true ? true : undefined) },
} satisfies { [N in keyof ConveyorOptions]?: Option<ConveyorOptions[N]> };

/** Those of {@link CONVEYOR_OPTIONS} that were given. */
export function conveyorOptions(values: Readonly<Record<string, unknown>>): ConveyorOptions {
  const names = Object.keys(CONVEYOR_OPTIONS);
  return Object.fromEntries(names.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])));
}

/** `bufferBytes` is `--buffer-bytes`. */
export const dashed = (name: string): string => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/**
 * A program whose `--help` prints what it takes, in place of a run.
 * @param name of its file, without the ending
 */
export const program = <Result>(
  name: string,
  options: Options,
  main: Main<readonly string[] | undefined, Result>,
): Spmd =>
  spmd<readonly string[] | undefined, Result | undefined>((pe, args) => {
    const isHelp = Array.isArray(args) && args.some((one) => one === "--help" || one === "-h");
    if (!isHelp) return main(pe, args);
    if (pe.rank === 0) console.log(usage(name, options));
    return undefined;
  });

function usage(name: string, options: Options): string {
  const rows = Object.entries(options).map(([key, { takes }]) => [
    takes === undefined ? dashed(key) : `${dashed(key)} <value>`,
    takes ?? "",
  ]);
  const width = Math.max(...rows.map(([flags]) => flags.length));
  const lines = rows.map(([flags, takes]) => `  ${flags.padEnd(width)}  ${takes}`.trimEnd());
  return [
    `Usage: tundish run ${name}.js [-n PES] -- [options]`,
    "",
    "Options:",
    ...lines,
    `  ${"--help".padEnd(width)}  print this help`,
    "",
    "What they mean: docs/papers.md",
  ].join("\n");
}

/**
 * Reads a command line.
 * @param args its words; undefined for none
 * @throws ArgumentsError
 */
export function read<O extends Options>(args: unknown, options: O): Values<O> {
  const words = args ?? [];
  if (!Array.isArray(words) || words.some((one) => typeof one !== "string")) {
    throw new ArgumentsError(`args: expected a list of words such as ["--seed", "2"], got ${JSON.stringify(args)}`);
  }
  const names = Object.keys(options);
  const known = Object.fromEntries(names.map((name) => [dashed(name).slice(2), { type: options[name].type }]));
  let given: Readonly<Record<string, unknown>>;
  try {
    given = parseArgs({ args: words, options: known }).values;
  } catch (cause) {
    throw new ArgumentsError(`${(cause as Error).message}\nOptions: ${names.map(dashed).join(", ")}`, {
      cause,
    });
  }
  const entries = names.map((name) => {
    const flag = dashed(name);
    return [name, options[name].read(given[flag.slice(2)] as string | undefined, flag)];
  });
  return Object.fromEntries(entries) as Values<O>;
}
