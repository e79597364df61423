/**
 * Stream: one PE sends to all others, or all to all, one message after another without waiting for an answer.
 *
 *     tundish run stream.js -n 4 -- --pattern all-to-all --messages 10000 --bytes 100
 *
 * `--messages` go from each sender to each other PE, in turn; before each one the sender computes for `--gap` ns. Source: TRAM's thesis, 5.1, where two nodes send 10^6 messages to
 * each other. Checked: the number of messages, the bytes of each, and their order for each pair.
 */

import type { Spmd } from "tundish";
import { elasticConveyor } from "tundish/conveyor";
import { Messages } from "./messages.ts";
import { oneOf, real, whole } from "./options.ts";
import { app, LEAST_BYTES, others, Pace, timed } from "./runner.ts";

const OPTIONS = {
  pattern: oneOf("all-to-all", "one-to-all"),
  messages: whole(20_000, 0, 2 ** 31),
  bytes: whole(100, LEAST_BYTES, 2 ** 20),
  gap: real(0, 0, 1e9),
};

const program: Spmd = app("stream", OPTIONS, async (pe, told) => {
  const { pattern, messages, bytes } = told;
  const text = new Messages(pe, told.seed, bytes);
  const receivers = others(pe);
  const isSender = pattern === "all-to-all" || pe.rank === 0;
  const total = isSender ? messages * receivers.length : 0;

  const c = elasticConveyor(pe, told.elastic);
  const seconds = await timed(pe, async () => {
    await c.beginAsync();
    let i = 0;
    const pace = new Pace(pe, told.gap);
    do {
      for (pace.begin(); i < total && pace.before(i); i++) {
        const dest = receivers[i % receivers.length];
        if (!c.push(dest, text.make(dest, Math.floor(i / receivers.length), bytes))) break;
      }
      while (c.pull()) text.take(c.from, c.bytes, bytes);
    } while (await c.advanceAsync(i === total));
    c.reset();
  });
  const { buffers } = c.stats();
  c.free();

  if (told.spoil && pe.rank === 0) text.taken[0]++;
  const senders = receivers.filter((rank) => pattern === "all-to-all" || rank === 0);
  const errors = text.errors + text.missing(senders, messages);
  return { seconds, messages: total, bytes: total * bytes, buffers, checksum: text.checksum, errors };
});
export default program;
