/** Streams through channels: many seeds in one world. */
import { type Spmd, spmd } from "../../../../src/index.ts";
import { playStreams, type Streams, streamsOf } from "../support/streams.ts";

export interface Args {
  readonly first: number;
  readonly count: number;
  readonly more: Partial<Streams>;
}

/** Gives the sums of what each PE has sent and received. */
const program: Spmd = spmd(async (pe, args) => {
  const { first, count, more } = args as Args;
  const sums: [number, number] = [0, 0];
  for (let seed = first; seed < first + count; seed++) {
    const [sent, received] = await playStreams(pe, streamsOf(seed, more));
    sums[0] += sent;
    sums[1] += received;
  }
  return sums;
});
export default program;
