/** A program without arguments. */
import { type Spmd, spmd } from "tundish";

const program: Spmd<unknown, bigint> = spmd((pe) => BigInt(pe.rank));
export default program;
