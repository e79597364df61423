/**
 * Staggered stream: as stream, but a PE goes on only when all others have acknowledged what it has sent so far: one
 * acknowledgement for each `--window` messages of a pair.
 *
 *     tundish run staggered-stream.js -n 4 -- --messages 10000 --window 100 --bytes 100
 *
 * A selector has a mailbox for messages and one for acknowledgements, which its handler of messages sends. Source: TRAM's thesis,
 * 5.2 and 5.3. Checked: number, bytes and order of the messages of each pair; that each acknowledgement says one window more, and the last one all.
 */

import { bytes as bytesOf, type Spmd, u32 } from "tundish";
import { selector } from "tundish/conveyor";
import { Messages } from "./messages.ts";
import { whole } from "./options.ts";
import { app, others, timed } from "./runner.ts";

const OPTIONS = {
  messages: whole(10_000, 0, 2 ** 31),
  window: whole(100, 1, 2 ** 31),
  bytes: whole(100, 1, 2 ** 12),
};

const program: Spmd = app("staggered-stream", OPTIONS, async (pe, told) => {
  const { messages, window, bytes } = told;
  const text = new Messages(pe, told.seed, bytes);
  const receivers = others(pe);
  /** Messages that each PE has acknowledged, and those of the least. */
  const acknowledged = new Float64Array(pe.size);
  let pending = 0;
  let goOn = (): void => {};
  let acknowledgements = 0;
  let errors = 0;

  const s = selector(pe, { message: bytesOf(bytes), acknowledgement: u32 }, told.rigid);
  const seconds = await timed(pe, () =>
    s.runAsync(
      async (send) => {
        for (let first = 0; first < messages; first += window) {
          const end = Math.min(messages, first + window);
          pending = receivers.length;
          for (let i = first; i < end; i++) {
            for (const dest of receivers) {
              const room = send.message(dest, text.make(dest, i, bytes));
              if (room !== undefined) await room;
            }
          }
          if (pending > 0) await new Promise<void>((resolve) => (goOn = resolve));
        }
      },
      {
        message: (message, from) => {
          text.take(from, message, bytes);
          const count = text.taken[from];
          if (count % window !== 0 && count !== messages) return;
          acknowledgements++;
          s.send.acknowledgement(from, count);
        },
        acknowledgement: (count, from) => {
          // each says one window more than before, or the end
          if (count !== Math.min(messages, acknowledged[from] + window)) errors++;
          acknowledged[from] = count;
          if (--pending === 0) goOn();
        },
      },
    ),
  );
  const { message, acknowledgement } = s.stats();
  s.free();

  if (told.spoil && pe.rank === 0) text.taken[0]++;
  errors += text.errors + text.missing(receivers, messages);
  errors += receivers.filter((rank) => acknowledged[rank] !== messages).length;
  const sent = messages * receivers.length;
  return {
    seconds,
    messages: sent + acknowledgements,
    bytes: sent * bytes + 4 * acknowledgements,
    buffers: message.buffers + acknowledgement.buffers,
    checksum: text.checksum,
    errors,
  };
});
export default program;
