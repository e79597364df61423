/** Where an exchange is: a site of bulk data and one of control messages, so that none of these waits behind data. */
import { roundUp } from "../../ground/item/item-type.ts";
import { EXCHANGE } from "../../links/status/layout.ts";
import type { Buffers, Hop, Site, SitePlan } from "../../links/transport/contract.ts";
import type { SessionWords } from "../../links/transport/underway.ts";
import { CONTROL_BYTES } from "./control.ts";
import type { ExchangeChoice } from "./options.ts";
import { HEAD_BYTES } from "./packet.ts";

/** A group of PEs, as seen by one of them. */
export interface ExchangeContext {
  readonly rank: number;
  readonly size: number;
  /** Makes a site. @param maxBytes limit of the memory for oversized items */
  site(plan: SitePlan, maxBytes: number): Site;
}

export interface ExchangeSites {
  readonly data: Site;
  readonly control: Site;
}

/** The phase field of messages. */
export const PHASE_WORDS: SessionWords = {
  one: "an exchange's phase",
  this: "the exchange's phase",
  ending: "Every PE must call finish.",
  patience: "Every PE must call finish, and take what comes for it meanwhile (serviceQueue).",
  loss: "data may be lost. Every PE must call finish, and wait until it returns.",
};

const LINE = 128;

export function exchangeSites(
  context: ExchangeContext,
  choice: ExchangeChoice,
  given: string | undefined,
): ExchangeSites {
  const { discipline, chunkBytes, packetBytes, buffersPerLink: perLink, window, barrierEvery } = choice;
  const name = given === undefined ? EXCHANGE : `${given} (${EXCHANGE})`;
  const terms =
    `${given === undefined ? "" : `name ${JSON.stringify(given)}, `}an exchange, discipline ${discipline}, chunkBytes ${chunkBytes}, ` +
    `packetBytes ${packetBytes}, buffersPerLink ${perLink}, window ${window}, barrierEvery ${barrierEvery}`;
  const site = (kind: string, buffers: Buffers) =>
    context.site(planOf(context, buffers, kind === "data" ? name : `${kind} of ${name}`, `${terms}: ${kind}`), 0);
  const data = site("data", { bytes: roundUp(packetBytes + HEAD_BYTES, LINE), perLink });
  try {
    return { data, control: site("control", CONTROL_BUFFERS) };
  } catch (error) {
    // as it then does at all PEs
    data.free();
    throw error;
  }
}

/** A site of nothing but links to all other PEs. */
function planOf({ rank, size }: ExchangeContext, buffers: Buffers, name: string, terms: string): SitePlan {
  // those of control messages are what they are
  const bufferOption =
    buffers === CONTROL_BUFFERS
      ? undefined
      : { name: "packetBytes", beside: HEAD_BYTES, of: "", after: size * (size * CONTROL_LINK_BYTES + 1024) };
  const hopOf = (self: number): Hop => ({
    friends: Int32Array.from({ length: size }, (_, friend) => (friend === self ? -1 : friend)),
    self,
  });
  const isControl = buffers === CONTROL_BUFFERS;
  return linksPlan(hopOf, rank, buffers, { name, terms, words: PHASE_WORDS, bufferOption, isControl });
}

/** Bytes of the heap for a link of control messages, at most. */
const CONTROL_LINK_BYTES = 512 + 4 * CONTROL_BYTES;

/** The buffers of control messages. */
export const CONTROL_BUFFERS: Buffers = { bytes: CONTROL_BYTES, perLink: 4 };

/** A site of nothing but the links of one hop. @param hopOf those of a PE, by rank */
export const linksPlan = (
  hopOf: (rank: number) => Hop,
  rank: number,
  buffers: Buffers,
  known: Pick<SitePlan, "name" | "terms" | "words" | "bufferOption" | "isControl">,
): SitePlan => ({
  hops: [hopOf(rank)],
  hopsOf: (other: number) => [hopOf(other)],
  buffers,
  ...known,
  scratch: 0,
  stagingBytes: 0,
  tableBytes: 0,
  routes: null,
});
