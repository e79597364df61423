/**
 * Relays failures between the termination word of this node's PEs and the other nodes: a world that ends on one node
 * ends on all. Or between their losses: a PE that is lost on one node, in a world that goes on without it, is lost on
 * all.
 */

import { monotonic } from "../../../ground/base/event-loop/timers.ts";
import type { Termination } from "../../../ground/wait/termination.ts";
import type { Wakers } from "../../../ground/wait/wakers.ts";
import type { Epoch } from "./epoch.ts";

/**
 * Time between the message that a node has left and its PEs counting as departed, or that one has returned, ms. The
 * PEs' own messages take other paths and may be slower.
 */
const REMOTE_GRACE_MS = 1000;

/** The periodic work of {@link relayFailures}; `look` does it at once. */
export interface FailureRelay extends Disposable {
  look(): void;
}

/**
 * Ends the world here when it has ended on another node, and there when it has ended here. Also ensures that a PE which
 * waits for a PE of a departed node gets an error.
 * @param onEnd called when another node has ended the world
 */
export function relayFailures(epoch: Epoch, termination: Termination, wakers: Wakers, onEnd: () => void): FailureRelay {
  const leftAt = new Map<number, number>();
  const departed = new Set<number>();
  const look = () => {
    if (epoch.end !== null && !termination.decided) {
      termination.adopt(epoch.end);
      wakers.notifyAll();
      onEnd();
    } else if (termination.decided && epoch.end === null) {
      const record = termination.record();
      if (record !== null) epoch.reportEnd(record);
    }
    relayLosses();
    const now = monotonic();
    for (const [rank, { run, at }] of epoch.returned) {
      // from a run that this node has not begun
      if (run > epoch.run || now - at < REMOTE_GRACE_MS) continue;
      epoch.returned.delete(rank);
      if (run === epoch.run) wakers.returned(rank);
    }
    for (const node of epoch.gone.keys()) {
      if (!epoch.hasLeft(node) || departed.has(node)) continue;
      const at = leftAt.get(node) ?? now;
      leftAt.set(node, at);
      if (now - at < REMOTE_GRACE_MS || epoch.starts === null) continue;
      departed.add(node);
      for (let rank = epoch.starts[node]; rank < epoch.starts[node + 1]; rank++) wakers.depart(rank);
    }
  };
  const { losses } = wakers;
  epoch.isSurvived = losses.areSurvived;
  const told = new Set<number>();
  function relayLosses(): void {
    for (const [rank, message] of epoch.lost) {
      epoch.lost.delete(rank);
      told.add(rank);
      if (losses.lose(rank, message)) wakers.notifyAll();
    }
    if (losses.count === told.size) return;
    for (const rank of losses.all()) {
      if (told.has(rank)) continue;
      told.add(rank);
      epoch.tellLost(rank, losses.reasonOf(rank));
    }
  }
  epoch.looks.add(look);
  return {
    look,
    [Symbol.dispose]: () => {
      look();
      epoch.looks.delete(look);
    },
  };
}
