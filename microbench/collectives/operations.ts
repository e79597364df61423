/** Many of one call that all PEs make together, over an array. */
import type { Choosable } from "../../src/collectives/calls/decide.ts";
import type { CollectiveAlgorithm } from "../../src/collectives/team/call-words.ts";
import type { PE } from "../../src/index.ts";
import type { Operations } from "../../src/running/contest/batches.ts";

/** Roots alternate, so none can run ahead; sums of zeros stay zeros. @param algorithm @default the library's choice */
export function operationsOf(pe: PE, call: Choosable, x: Float64Array, algorithm?: CollectiveAlgorithm): Operations {
  const last = pe.size - 1;
  const options = algorithm === undefined ? {} : { algorithm };
  switch (call) {
    case "broadcast":
      return (count) => {
        for (let i = 0; i < count; i++) pe.broadcast(x, i & 1 ? last : 0, options);
      };
    case "reduce":
      return (count) => {
        for (let i = 0; i < count; i++) pe.reduce(x, "sum", i & 1 ? last : 0, options);
      };
    case "allreduce":
      return (count) => {
        for (let i = 0; i < count; i++) pe.allreduce(x, "sum", options);
      };
  }
}
