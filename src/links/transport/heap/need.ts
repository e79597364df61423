/** The need of a conveyor or an exchange for a heap, as the error says it where there is no room. */

import { LINE } from "../../../ground/memory/heap-layout.ts";
import type { HeapNeed } from "../../../ground/memory/refusal.ts";
import type { SitePlan } from "../contract.ts";

/** Buffers with fewer bytes are not worth a hint. */
const LEAST_BYTES = 64;

/** @param here PEs on this node @param bytesOf bytes of the block with a plan */
export function needOf(plan: SitePlan, here: number, bytesOf: (plan: SitePlan) => number): HeapNeed {
  const { name, hops, buffers, scratch, stagingBytes, bufferOption } = plan;
  const { bytes, perLink } = buffers;
  const links = hops.map(({ friends }) => friends.length).join(" + ");
  const more = scratch === 0 ? "" : `, ${scratch} more of them, and ${stagingBytes} bytes for columns`;
  return {
    what: `${bufferOption?.of ?? ""}${name}: at each of ${here} PEs ${links} links with ${perLink} x ${bytes} bytes${more}`,
    lower(room) {
      if (bufferOption === undefined) return "";
      const without = bytesOf(withBytes(plan, 0));
      const each = bytesOf(withBytes(plan, LINE)) - without;
      const most = Math.floor((room - bufferOption.after - without) / each) * LINE - bufferOption.beside;
      const option = most < LEAST_BYTES ? bufferOption.name : `${bufferOption.name}: ${most} has room`;
      return `Lower ${option}${perLink > 1 ? `; or buffersPerLink, now ${perLink}` : ""}.`;
    },
  };
}

const withBytes = (plan: SitePlan, bytes: number): SitePlan => ({
  ...plan,
  buffers: { ...plan.buffers, bytes },
});
