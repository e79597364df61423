/** Options of the command line: what each may be, its default, and those that all examples have. */
import { parseArgs } from "node:util";
import { UsageError } from "tundish";

/** An option. */
export interface Option<T> {
  readonly type: "string" | "boolean";
  /** What it may be, or what a flag does, for `--help`. */
  readonly takes?: string;
  /** Options that have no meaning beside it: both together are refused. */
  readonly insteadOf?: readonly string[];
  /** Its value. @param name with its dashes @throws WrongOption */
  read(given: string | boolean | undefined, name: string): T;
}
export type Options = Readonly<Record<string, Option<unknown>>>;
/** What the options are in one run, by their names: `maxRounds` is `--max-rounds`. */
export type Values<O extends Options> = { readonly [N in keyof O]: O[N] extends Option<infer T> ? T : never };

/** An option is wrong: only this message is printed, and the exit code is 2, by `tundish run` as well. */
export class WrongOption extends UsageError {
  readonly exitCode = 2;
}

/** What all PEs have computed is not what one thread has: only this message is printed, and the exit code is 1. */
export class WrongResult extends Error {
  readonly exitCode = 1;
}

const wrong = (name: string, expected: string, given: unknown): WrongOption =>
  new WrongOption(`${name}: expected ${expected}, got ${given}`);

/** A number within bounds, such as 20, 1e6 or 0.5. @param usual its default @param of what it is, for `--help` */
export const real = (usual: number, least: number, most: number, of?: string): Option<number> =>
  number(usual, least, most, of, "a number", Number.isFinite);

/** A whole number within bounds, such as 20 or 1e6. @param usual its default @param of what is counted, for `--help` */
export const whole = (usual: number, least: number, most: number, of?: string): Option<number> =>
  number(usual, least, most, of, "a whole number", Number.isSafeInteger);

function number(
  usual: number,
  least: number,
  most: number,
  of: string | undefined,
  kind: string,
  is: (x: number) => boolean,
): Option<number> {
  const expected = `${kind} from ${least} to ${most}`;
  return {
    type: "string",
    takes: `${of === undefined ? "" : `${of}: `}${expected} (default: ${usual})`,
    read(given, name) {
      const value = given === undefined ? usual : given === "" ? Number.NaN : Number(given);
      if (is(value) && value >= least && value <= most) return value;
      throw wrong(name, expected, given);
    },
  };
}

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

/** A text, such as the name of a file; undefined if it is not given. */
export const text = (takes: string): Option<string | undefined> => ({
  type: "string",
  takes,
  read: (given) => given as string | undefined,
});

/** A text that names the input: it has a size, so neither `--size` nor `--sizes` goes with it. */
export const input = (takes: string): Option<string | undefined> => ({
  ...text(takes),
  insteadOf: ["size", "sizes"],
});

/** A file to write a picture to. */
export const pictureFile: Option<string | undefined> = {
  type: "string",
  takes: "a file for the picture, such as out.svg",
  read(given, name) {
    if (given !== undefined && !/.\.svg$/i.test(`${given}`)) throw wrong(name, "a file *.svg", given);
    return given as string | undefined;
  },
};

/** Given or not. */
export const flag: Option<boolean> = { type: "boolean", read: (given) => given === true };

/** Several values of another option, parted by commas; none if it is not given. */
export const listOf = (one: Option<number>): Option<readonly number[]> => ({
  type: "string",
  takes: "several of --size with commas between them, to compare their times",
  read: (given, name) => (given === undefined ? [] : `${given}`.split(",").map((part) => one.read(part, name))),
});

const dashed = (name: string): string => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** Reads a command line. @param args its words; undefined for none @throws WrongOption */
export function read<O extends Options>(args: unknown, options: O): Values<O> {
  const words = args ?? [];
  if (!Array.isArray(words) || words.some((one) => typeof one !== "string"))
    throw wrong("args", 'a list of words such as ["--size", "1000"]', JSON.stringify(args));
  const names = Object.keys(options);
  const known = Object.fromEntries(names.map((name) => [dashed(name).slice(2), { type: options[name].type }]));
  const given = parsed(words, known, names);
  const isGiven = (name: string): boolean => given[dashed(name).slice(2)] !== undefined;
  for (const name of names.filter(isGiven)) {
    const other = options[name].insteadOf?.find(isGiven);
    if (other !== undefined)
      throw new WrongOption(
        `${dashed(name)}: expected no ${dashed(other)} beside it, as its input has a size, got both`,
      );
  }
  return Object.fromEntries(
    names.map((name) => [name, options[name].read(given[dashed(name).slice(2)], dashed(name))]),
  ) as Values<O>;
}

function parsed(args: string[], options: Record<string, { type: Option<unknown>["type"] }>, names: string[]) {
  try {
    return parseArgs({ args, options }).values as Record<string, string | boolean | undefined>;
  } catch (cause) {
    const { message } = cause as Error;
    throw new WrongOption(`${message.split(/\.\s/)[0].replace(/\.$/, "")}. Options: ${names.map(dashed).join(", ")}`, {
      cause,
    });
  }
}

/** What `--help` prints. */
export function usage(name: string, options: Options): string {
  const rows = Object.entries(options).map(([key, { type, takes = "" }]) => [
    type === "boolean" ? dashed(key) : `${dashed(key)} <value>`,
    takes,
  ]);
  const width = Math.max(...rows.map(([flags]) => flags.length));
  return [
    `Usage: npx tsx ${name}.ts [options]`,
    ...rows.map(([flags, takes]) => `  ${flags.padEnd(width)}  ${takes}`.trimEnd()),
  ].join("\n");
}
