/** The event of the end of a session. */
import type { Machinery } from "./assembly.ts";
import { publishSession } from "./observe.ts";
import type { ConveyorCounts } from "./stats.ts";

/** @param elastic whether items have lengths of their own @param began time of the site's clock, ms */
export function publishEnd(
  { site, known, choice }: Machinery,
  elastic: boolean,
  began: number,
  counts: ConveyorCounts,
): void {
  const { rank, size } = site;
  const { type, route, bufferBytes, buffersPerLink, discipline, sending, scratch } = choice;
  const { hops, groupSize, mesh } = route;
  publishSession({
    ...{ conveyor: site.name, rank, size, ...known, elastic, scratch },
    choices: { type, hops, groupSize, ...(mesh && { mesh }), bufferBytes, buffersPerLink, discipline },
    ...{ sending, began, ended: site.now(), counts },
  });
}
