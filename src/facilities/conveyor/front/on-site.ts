/** Where a conveyor is: the plan of its site, the site, and that of the control messages of its discipline. */

import type { Hop, Porter, Site, SitePlan } from "../../../links/transport/contract.ts";
import { CONVEYOR_WORDS } from "../../../links/transport/underway.ts";
import type { Sites } from "../../../pe/seat.ts";
import { DisciplinedPorter } from "../../../route/disciplines/disciplined-porter.ts";
import { CONTROL_BUFFERS, linksPlan } from "../../../route/disciplines/exchange-sites.ts";
import { HopLanes } from "../../../route/disciplines/hop-lanes.ts";
import { type Codec, constantBits } from "../../../route/geometry/codec.ts";
import {
  type CompleteChoice,
  ownTableBytes,
  STAGING_BUFFERS,
  stagingBytes,
  storedBytes,
  TAG_ROOM,
} from "../../../route/geometry/conveyor-choice.ts";
import { disciplinedHop, laneHop, laneMap, ownLink } from "../../../route/geometry/lane-numbers.ts";
import { behindTable } from "../../../route/geometry/link-table.ts";
import { meshText } from "../../../route/geometry/make-route.ts";
import { friendsOf } from "../../../route/geometry/route.ts";
import type { Frame } from "../engine/assembly.ts";
import { ringAt, ringBytes } from "../engine/item-ring.ts";
import { isWanted, ObservedPorter, Observer } from "../engine/observe.ts";
import type { Prepared } from "./prepared.ts";

/** The ring that a conveyor of replies has beside its link table. */
export interface Ringed {
  readonly window: number;
  /** Bytes of a reply. */
  readonly stride: number;
}

/**
 * The site needed for these choices. @param item what PEs must agree about, and its bytes, 0 for any @param name what
 * is transported @param given the name that the user has given
 */
export function sitePlan(
  choice: CompleteChoice,
  rank: number,
  item: { readonly terms: string; readonly bytes: number },
  name: string,
  ring: Ringed | undefined,
  given: string | undefined,
): SitePlan {
  const { type, route, bufferBytes, buffersPerLink, discipline, steady, codec } = choice;
  const { hops, groupSize, mesh } = route;
  return {
    hops: friendsOf(route, rank),
    hopsOf: (other) => friendsOf(route, other),
    buffers: { bytes: storedBytes(bufferBytes), perLink: buffersPerLink },
    bufferOption: { name: "bufferBytes", beside: TAG_ROOM, of: "conveyor, ", after: 0 },
    scratch: choice.scratch - STAGING_BUFFERS,
    stagingBytes: stagingBytes(bufferBytes, item.bytes),
    tableBytes:
      ring === undefined ? ownTableBytes(route) : ringAt(route) + ringBytes(ring.window, route.size, ring.stride),
    countersAt: hops === 1 && mesh === null ? behindTable(route.size) : undefined,
    routes: hops === 1 ? null : route.table,
    words: CONVEYOR_WORDS,
    name: given === undefined ? name : `${given} (${name})`,
    terms:
      `${given === undefined ? "" : `name ${JSON.stringify(given)}, `}${item.terms}, type ${type}, ${mesh === null ? `hops ${hops}, groupSize ${groupSize}` : `mesh ${meshText(mesh)}`}, bufferBytes ${bufferBytes}, ` +
      `buffersPerLink ${buffersPerLink}, discipline ${discipline}, steady ${steady}, compress ${codecName(codec)}`,
  };
}

/** The name of a codec that PEs compare: a user's codec is identified by its source text. */
function codecName(codec: Codec | null): string {
  if (codec === null) return "false";
  if (codec === constantBits) return "true";
  return `with ${codec.compress} and ${codec.decompress}`;
}

/** Makes the site of a conveyor. Its porters are wrapped only where they are observed, or send under a discipline. */
export function onSite(context: Sites, { plan, parts }: Prepared): Frame {
  const { choice } = parts;
  const { route, discipline } = choice;
  const isObserved = choice.observe || isWanted();
  // a PE that is alone sends to nobody
  const isDisciplined = discipline !== "eager" && route.size > 1;
  if (!isObserved && !isDisciplined) return { site: context.site(plan, choice.spareBytes), ...parts };
  let site: Site | null = null;
  const observer = isObserved ? new Observer(plan.name, context.rank, () => site as Site) : null;
  let keeping: DisciplinedPorter | null = null as DisciplinedPorter | null;
  const wrap = (porter: Porter, hop: number): Porter => {
    const one =
      observer === null ? porter : new ObservedPorter(porter, observer, hop, plan.hops[hop] as Hop, choice.bufferBytes);
    if (!isDisciplined || hop !== disciplinedHop(route)) return one;
    keeping = new DisciplinedPorter(one, ownLink(route, context.rank));
    return keeping;
  };
  site = context.site({ ...plan, wrap }, choice.spareBytes);
  const lanes = keeping === null ? {} : { lanes: lanesOn(context, plan, choice, site, keeping) };
  return { site, ...parts, ...(observer !== null && { observer }), ...lanes };
}

/** Makes the site of the control messages, and the lanes of the hop. */
function lanesOn(
  context: Sites,
  plan: SitePlan,
  { route, discipline }: CompleteChoice,
  data: Site,
  porter: DisciplinedPorter,
): HopLanes {
  const { rank } = context;
  const known = {
    name: `control of ${plan.name}`,
    terms: `${plan.terms}: control`,
    words: plan.words,
    isControl: true,
  };
  const hopOf = (of: number) => laneHop(route, of);
  try {
    const control = context.site(linksPlan(hopOf, rank, CONTROL_BUFFERS, known), 0);
    return new HopLanes({ data, control }, porter, laneMap(route, rank), discipline);
  } catch (error) {
    data.free();
    throw error;
  }
}
