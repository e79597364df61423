/**
 * What a push takes more where more buffers are open: their lines leave the caches. It is measured with the machine
 * (`items.open`), and 0 where it is not.
 *
 * Between the measured numbers and sizes of buffers it is interpolated by their logarithms, beyond them the last time
 * counts. More buffers never take less: noise adds time, so of a time and those of more buffers the least counts. All
 * buffers of a link are filled in turn, so that two of 4 KiB count as one of 8.
 *
 * Example: with { buffers: [1, 64, 1024], sizes: [{ bytes: 4096, push: [4, 4, 6] }] } a push takes 1 ns more where 256
 * buffers are open.
 *
 * Source: Maley, DeVinney, "Conveyors for Streaming Many-To-Many Communication", sections 4.1 and 4.2.
 */
import type { OpenTimes } from "../../machine/model/machine-model.ts";
import type { Candidate } from "./cost-model.ts";

/** Of a push into one of `links` open buffers; ns. @param bytes of all buffers of a link */
export function openPush(open: OpenTimes | undefined, links: number, bytes: number): number {
  if (open === undefined) return 0;
  const { buffers, sizes } = open;
  const more = (row: number): number => {
    const { push } = sizes[row] as OpenTimes["sizes"][number];
    const least = (k: number) => push.slice(k).reduce((a, b) => Math.min(a, b));
    return between(buffers, links, least) - least(0);
  };
  return between(
    sizes.map((one) => one.bytes),
    bytes,
    more,
  );
}

/** Of all buffers of a link. */
export const bytesOfLink = ({
  bufferBytes,
  buffersPerLink,
}: Pick<Candidate, "bufferBytes" | "buffersPerLink">): number => bufferBytes * buffersPerLink;

/** The value at x, on straight lines over the logarithm of x. @param at the value at a place */
function between(places: readonly number[], x: number, at: (place: number) => number): number {
  let value = at(0);
  for (let i = 1; i < places.length && x > (places[i - 1] as number); i++) {
    const [from, to] = [places[i - 1] as number, places[i] as number];
    const next = at(i);
    const share = Math.min(1, Math.log(x / from) / Math.log(to / from));
    if (share < 1) return value + share * (next - value);
    value = next;
  }
  return value;
}
