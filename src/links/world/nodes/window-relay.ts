/**
 * Makes the window over the heaps of all nodes when a PE of any of them wants it.
 *
 * The library makes one in a call that blocks until all processes have come, which no timeout ends. So no PE makes it:
 * PEs wait as for anything else, and the main threads make it, once all have said that they will. Groups of PEs that
 * want it at the same time, in any order, get the same one.
 */
import { MpiError } from "../../../ground/base/errors.ts";
import type { Epoch } from "./epoch.ts";
import type { WindowBoard } from "./window-board.ts";

/** Until disposed of. @param make called once, when all nodes call it @throws MpiError if the library makes none */
export function relayWindow(epoch: Epoch, board: WindowBoard, make: () => number): Disposable {
  let isDone = false;
  const look = () => {
    if (isDone) return;
    const { windows, node } = epoch;
    // a node that has said so must come, also when the world ends meanwhile: the others may have gone to wait for it
    if (!windows[node] && epoch.end === null && (board.isWanted || windows.includes(true))) epoch.agreeToWindow();
    if (!windows.every(Boolean)) return;
    isDone = true;
    try {
      board.made(make());
      epoch.madeWindow();
    } catch (error) {
      if (!(error instanceof MpiError)) throw error;
      board.refused(error.message);
    }
  };
  epoch.looks.add(look);
  return {
    [Symbol.dispose]: () => {
      epoch.looks.delete(look);
    },
  };
}
