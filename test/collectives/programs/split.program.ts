/** Groups by colour and key, against a reference that each PE works out alone. On threads, over nodes, on virtual PEs. */
import * as assert from "uvu/assert";
import { type Group, type PE, type Spmd, spmd, UsageError } from "../../../src/index.ts";
import { random } from "../support/reference.ts";

/** What the PEs are told to do. */
export interface Args {
  readonly isAsync: boolean;
  readonly rounds: number;
}

interface Told {
  readonly colour: number | null | undefined;
  readonly key: number | undefined;
}

const COLOURS = [0, 1, 2, -7, 2 ** 53 - 1, null, undefined];
const KEYS = [0, -1, 5, 0.5, undefined];

const pick = <T>(list: readonly T[], x: number): T => list[Math.floor(x * list.length)] as T;

/** What all PEs of a group tell in a round. */
function toldBy(size: number, seed: number): Told[] {
  const next = random(seed);
  return Array.from({ length: size }, () => ({ colour: pick(COLOURS, next()), key: pick(KEYS, next()) }));
}

/** The ranks of the PEs with the colour of one of them, in order. */
function membersOf(told: readonly Told[], rank: number): number[] {
  const { colour } = told[rank] as Told;
  const keyOf = (one: number) => told[one]?.key ?? one;
  return [...told.keys()].filter((one) => told[one]?.colour === colour).sort((a, b) => keyOf(a) - keyOf(b) || a - b);
}

async function split(group: Group, { isAsync }: Args, ...told: readonly unknown[]): Promise<Group | null> {
  const args = told as [number, number];
  return isAsync ? await group.splitAsync(...args) : group.split(...args);
}

async function sum(group: Group, x: number, { isAsync }: Args): Promise<number> {
  return isAsync ? await group.allreduceAsync(x, "sum") : group.allreduce(x, "sum");
}

/** Divides a group, and what comes of it again. */
async function divide(group: Group, seed: number, depth: number, args: Args): Promise<void> {
  const told = toldBy(group.size, seed);
  const { colour, key } = told[group.rank] as Told;
  const part = key === undefined ? await split(group, args, colour) : await split(group, args, colour, key);
  if (colour === undefined || colour === null) {
    assert.is(part, null);
    return;
  }
  assert.ok(part !== null);
  const members = membersOf(told, group.rank);
  const ranks = members.map((rank) => group.ranks[rank] as number);
  assert.equal(part.ranks, ranks);
  assert.is(part.rank, members.indexOf(group.rank));
  assert.is(part.size, members.length);
  assert.is(
    await sum(part, 1 + group.rank, args),
    members.reduce((total, rank) => total + 1 + rank, 0),
  );
  if (depth > 0) await divide(part, seed * 31 + 7 + Math.abs(colour % 1000), depth - 1, args);
  part.leave();
  const after = await split(part, args, 0).catch((error: unknown) => error as Error);
  assert.match((after as Error).message, /has left this group/);
}

/** What is wrong is refused before anybody else is affected. */
async function refuse(pe: PE, args: Args): Promise<void> {
  const wrong: [unknown, unknown, RegExp][] = [
    ...[Number.NaN, 1.5, Number.POSITIVE_INFINITY, 2 ** 53, "1", true, 1n, {}, Symbol("red")].map(
      (colour): [unknown, unknown, RegExp] => [colour, 0, /^split: expected a whole number as colour, .* got /],
    ),
    ...[Number.NaN, Number.POSITIVE_INFINITY, "1", null, 1n, {}].map((key): [unknown, unknown, RegExp] => [
      0,
      key,
      /^split: expected a finite number as key, got /,
    ]),
  ];
  for (const [colour, key, message] of wrong) {
    const error = await split(pe, args, colour, key).then(
      () => assert.unreachable(`${String(colour)}, ${String(key)} was not refused`) as never,
      (thrown: unknown) => thrown as Error,
    );
    assert.instance(error, UsageError);
    assert.match(error.message, message);
  }
  assert.is(await sum(pe, 1, args), pe.size);
}

const program: Spmd = spmd(async (pe, given) => {
  const args = given as Args;
  await refuse(pe, args);
  for (let round = 0; round < args.rounds; round++) await divide(pe, 1000 * round + 1, 2, args);
  // the same group again and again: its memory is given back
  for (let round = 0; round < args.rounds; round++) {
    const all = (await split(pe, args, 0, -pe.rank)) as Group;
    assert.equal(all.ranks, [...Array(pe.size).keys()].reverse());
    all.leave();
  }
  await refuse(pe, args);
  return "fine";
});

export default program;
