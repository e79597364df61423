/** How calls of a store wait (agree/waits.ts), and what is said of that. */
import { shortText } from "../../ground/base/short-text.ts";
import { pesText } from "../../ground/wait/who.ts";
import { CallWaits, type Progress } from "../agree/waits.ts";
import type { Members } from "../messages/members.ts";

/** @param replicas also those that calls may wait for */
export function waitsOf(members: Members, replicas: Progress & { readonly silent?: readonly number[] }): CallWaits {
  return new CallWaits(members, replicas, {
    title: (call, key) => `${call}${key === undefined ? "" : ` of ${shortText(key)}`} in the store`,
    late(call, timeout) {
      const { silent = [] } = replicas;
      const [was, they] = silent.length === 1 ? ["was", "it"] : ["were", "they"];
      const who = silent.length === 0 ? "Another replica" : `${pesText(silent)} ${was} silent: ${they}`;
      return `${call}: no reply in ${timeout} ms. A write may still take effect, once. ${who} may be in a call that does not serve the store, such as a barrier.`;
    },
    aborted: (call) => `${call}: aborted. A write may still take effect, once.`,
  });
}
