/** Every PE sends to all, and tells by sender the shortest and the longest latency of what it has received, ms. */

import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { type BufferReceived, conveyor } from "../../../src/conveyor.ts";
import { type Spmd, spmd, u32 } from "../../../src/index.ts";

const main: Spmd = spmd((pe) => {
  const latencies = Array.from({ length: pe.size }, (): number[] => []);
  const listener = (message: unknown): void => {
    const { from, latency } = message as BufferReceived;
    latencies[from]?.push(latency);
  };
  subscribe("tundish:conveyor:received", listener);
  {
    using c = conveyor(pe, u32, { hops: 1, bufferBytes: 256 });
    c.run(
      (push) => {
        for (let i = 0; i < 1000; i++) push(i % pe.size, i);
      },
      () => {},
    );
  }
  unsubscribe("tundish:conveyor:received", listener);
  return latencies.map((all) => [Math.min(...all), Math.max(...all)]);
});
export default main;
