/** The orders that a PE of an open world gets, one after the other. */
import type { MessagePort } from "node:worker_threads";
import type { Order } from "./jobs.ts";

/** Orders as they come. */
export interface Orders {
  /** Resolves with the next one. */
  next(): Promise<Order>;
  /** The thread may exit. */
  close(): void;
}

/** Orders that came before the code that takes them. */
export interface EarlyOrders {
  readonly orders: Order[];
  /** Ends their collection. */
  readonly stop: () => void;
}

/** Those of a port, the early ones first. Until `close` it keeps the thread alive. */
export function ordersOf(port: MessagePort, early: EarlyOrders | undefined): Orders {
  const waiting: Order[] = early?.orders ?? [];
  let take: ((order: Order) => void) | null = null;
  const hear = (order: Order): void => {
    if (take === null) {
      waiting.push(order);
      return;
    }
    const resolve = take;
    take = null;
    resolve(order);
  };
  port.on("message", hear);
  early?.stop();
  return {
    next() {
      const order = waiting.shift();
      if (order !== undefined) return Promise.resolve(order);
      return new Promise((resolve) => {
        take = resolve;
      });
    },
    close: () => void port.off("message", hear),
  };
}
