/** A run that takes no time. */
import { type PE, type Spmd, spmd } from "../../../src/index.ts";

const program: Spmd = spmd((pe: PE) => pe.rank);

export default program;
