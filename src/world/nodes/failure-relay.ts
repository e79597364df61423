/** Between the termination of a node's PEs and the other nodes: an end anywhere is one everywhere. */

import type { Termination } from "../../wait/termination.ts";
import type { Wakers } from "../../wait/wakers.ts";
import type { Epoch } from "./epoch.ts";

/**
 * Time from the word that a node has gone until its PEs count as departed, ms: what they have sent comes by other
 * ways, and may be slower.
 */
const REMOTE_GRACE_MS = 1000;

/** What {@link relayFailures} does now and then, and can be asked to do at once. */
export interface FailureRelay extends Disposable {
  look(): void;
}

/**
 * Ends the world here when it has ended on another node, and there when it has ended here; and sees to it that who
 * waits for a PE of a node that has gone learns of it.
 * @param onEnd another node has ended the world
 */
export function relayFailures(
  epoch: Epoch,
  termination: Termination,
  wakers: Wakers,
  onEnd: () => void,
): FailureRelay {
  const goneAt = new Map<number, number>();
  const departed = new Set<number>();
  const look = () => {
    if (epoch.end !== null && !termination.decided) {
      termination.adopt(epoch.end);
      wakers.notifyAll();
      onEnd();
    } else if (termination.decided && epoch.end === null) {
      const record = termination.record();
      if (record !== null) epoch.tellEnd(record);
    }
    const now = performance.now();
    epoch.gone.forEach((gone, node) => {
      if (!gone || departed.has(node)) return;
      const at = goneAt.get(node) ?? now;
      goneAt.set(node, at);
      if (now - at < REMOTE_GRACE_MS || epoch.starts === null) return;
      departed.add(node);
      for (let rank = epoch.starts[node]; rank < epoch.starts[node + 1]; rank++) wakers.depart(rank);
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
