/** A watcher that says what another one does, which changes from wait to wait. */
import type { Watcher } from "../../ground/wait/watcher.ts";

export const watcherBy = (now: () => Watcher): Watcher =>
  ({
    get call() {
      return now().call;
    },
    get awaited() {
      return now().awaited;
    },
    get isCollective() {
      return now().isCollective ?? false;
    },
    get where() {
      return now().where;
    },
    verify: () => now().verify(),
    get members() {
      return now().members;
    },
    get calling() {
      return now().calling;
    },
    absent: () => now().absent(),
  }) as Watcher;
