/** Between the fate of a node's PEs and the other nodes: an end anywhere is one everywhere. */

import type { Fate } from "../../wait/termination.ts";
import type { Bells } from "../../wait/wakers.ts";
import type { Epoch } from "./epoch.ts";

/**
 * Time from the word that a node has gone until its PEs count as departed, ms: what they have sent comes by other
 * ways, and may be slower.
 */
const FAR_GRACE_MS = 1000;

/** What {@link heed} does now and then, and can be asked to do at once. */
export interface Heed extends Disposable {
  look(): void;
}

/**
 * Ends the world here when it has ended on another node, and there when it has ended here; and sees to it that who
 * waits for a PE of a node that has gone learns of it.
 * @param onEnd another node has ended the world
 */
export function heed(epoch: Epoch, fate: Fate, bells: Bells, onEnd: () => void): Heed {
  const goneAt = new Map<number, number>();
  const departed = new Set<number>();
  const look = () => {
    if (epoch.end !== null && !fate.decided) {
      fate.adopt(epoch.end);
      bells.ringAll();
      onEnd();
    } else if (fate.decided && epoch.end === null) {
      const record = fate.record();
      if (record !== null) epoch.tellEnd(record);
    }
    const now = performance.now();
    epoch.gone.forEach((gone, node) => {
      if (!gone || departed.has(node)) return;
      const at = goneAt.get(node) ?? now;
      goneAt.set(node, at);
      if (now - at < FAR_GRACE_MS || epoch.starts === null) return;
      departed.add(node);
      for (let rank = epoch.starts[node]; rank < epoch.starts[node + 1]; rank++) bells.depart(rank);
    });
  };
  epoch.onNews = look;
  return {
    look,
    [Symbol.dispose]: () => {
      look();
      epoch.onNews = () => {};
    },
  };
}
