/** What the world and a group of one decide. */
import { type PE, type Spmd, spmd } from "../../../../src/index.ts";

const program: Spmd = spmd((pe: PE) => [pe.explain(), pe.group([pe.rank]).explain()]);

export default program;
