/**
 * Configurations: who leads an epoch, and who accepts in it. One is chosen per epoch, by Paxos among all replicas.
 *
 *     0       4        6          8     16
 *     | epoch | leader | acceptor | top |
 *       u32     u16      u16        f64
 */
import { malformed } from "./message.ts";

export interface Config {
  readonly epoch: number;
  readonly leader: number;
  readonly acceptor: number;
  /** The index up to which its acceptor held all when chosen, so that this is committed; its commands follow. */
  readonly top: number;
}

export const CONFIG = 16;

export function writeConfig(view: DataView, at: number, config: Config): void {
  view.setUint32(at, config.epoch, true);
  view.setUint16(at + 4, config.leader, true);
  view.setUint16(at + 6, config.acceptor, true);
  view.setFloat64(at + 8, config.top, true);
}

export function readConfig(view: DataView, at: number): Config {
  if (view.byteLength < at + CONFIG) throw malformed("a configuration that is cut off");
  return {
    epoch: view.getUint32(at, true),
    leader: view.getUint16(at + 4, true),
    acceptor: view.getUint16(at + 6, true),
    top: view.getFloat64(at + 8, true),
  };
}
