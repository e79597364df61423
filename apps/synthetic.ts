/**
 * Synthetic: all to all, with messages of random sizes at random times.
 *
 *     tundish run synthetic.js -n 4 -- --messages 10000 --sizes bimodal --bytes 100 --gaps exponential --gap 500
 *
 * `--bytes` is the mean size, `--gap` the mean time, in ns, for which a PE computes before each message (0: not at all), and `--sizes`
 * and `--gaps` say how they are distributed:
 *
 *     constant      the mean
 *     uniform       from 0 to twice the mean
 *     exponential   as the gaps of a Poisson process, cut at ten times the mean
 *     bimodal       nine of ten a half of the mean, one of ten five and a half times the mean
 *
 * A message has at least 2 bytes. Source: TRAM's thesis, 5.3, which has constant sizes and no gaps. Checked: the number of
 * messages, the size and the bytes of each, and their order for each pair.
 */

import type { Spmd } from "tundish";
import { elasticConveyor } from "tundish/conveyor";
import { Messages } from "./messages.ts";
import { oneOf, real, whole } from "./options.ts";
import { app, LEAST_BYTES, others, Pace, timed } from "./runner.ts";

const DISTRIBUTIONS = ["constant", "uniform", "exponential", "bimodal"] as const;
const LARGEST = 10;

const OPTIONS = {
  messages: whole(10_000, 0, 2 ** 31),
  bytes: whole(100, LEAST_BYTES, 2 ** 20),
  sizes: oneOf(...DISTRIBUTIONS),
  gap: real(0, 0, 1e9),
  gaps: oneOf(...DISTRIBUTIONS),
};

/** Parts of a random number. */
const PARTS = 2 ** 24;

/** A random amount of mean 1. @param r a whole number below {@link PARTS} */
function draw(distribution: (typeof DISTRIBUTIONS)[number], r: number): number {
  if (distribution === "constant") return 1;
  if (distribution === "uniform") return (2 * r) / PARTS;
  if (distribution === "bimodal") return r < PARTS / 10 ? 5.5 : 0.5;
  return Math.min(LARGEST, -Math.log(1 - r / PARTS));
}

const program: Spmd = app("synthetic", OPTIONS, async (pe, told) => {
  const { messages, bytes, sizes, gap, gaps } = told;
  const text = new Messages(pe, told.seed, LARGEST * bytes);
  const sizeOf = (from: number, to: number, index: number) =>
    Math.max(LEAST_BYTES, Math.round(bytes * draw(sizes, text.random(PARTS, from, to, index))));
  const receivers = others(pe);
  const total = messages * receivers.length;
  let pushed = 0;

  const c = elasticConveyor(pe, told.elastic);
  const seconds = await timed(pe, async () => {
    await c.beginAsync();
    let i = 0;
    const pace = new Pace(pe, gap);
    const gapOf = (k: number) =>
      draw(gaps, text.random(PARTS, receivers[k % receivers.length], pe.rank, Math.floor(k / receivers.length)));
    do {
      for (pace.begin(); i < total && pace.before(i, gapOf); i++) {
        const dest = receivers[i % receivers.length];
        const index = Math.floor(i / receivers.length);
        const message = text.make(dest, index, sizeOf(pe.rank, dest, index));
        if (!c.push(dest, message)) break;
        pushed += message.length;
      }
      while (c.pull()) text.take(c.from, c.bytes, sizeOf(c.from, pe.rank, text.taken[c.from]));
    } while (await c.advanceAsync(i === total));
    c.reset();
  });
  const { buffers } = c.stats();
  c.free();

  if (told.spoil && pe.rank === 0) text.taken[0]++;
  const errors = text.errors + text.missing(receivers, messages);
  return { seconds, messages: total, bytes: pushed, buffers, checksum: text.checksum, errors };
});
export default program;
