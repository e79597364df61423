/** The published builders side by side, by name. */

export { baselines } from "../../src/ground/base/tree-algorithms.ts";

import type { Baseline, TreeBuilder } from "../model/tree.ts";
import { bad } from "./bad.ts";
import { binary } from "./binary.ts";
import { cluster } from "./cluster.ts";
import { fibonacci } from "./fibonacci.ts";
import { mst } from "./mst.ts";
import { sequential } from "./sequential.ts";
import { smelt } from "./smelt.ts";

/** One builder per published algorithm. */
export const builders: Readonly<Record<Baseline, TreeBuilder>> = {
  smelt,
  sequential,
  binary,
  fibonacci,
  mst,
  cluster,
  bad,
};
