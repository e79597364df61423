/** What a PE says of its algorithms between nodes, and of one that there is not. */
import { type Spmd, spmd } from "../../../src/index.ts";

const program: Spmd = spmd((pe) => {
  let refused = "";
  try {
    pe.allreduce(1, "max", { algorithm: "mpi" });
  } catch (error) {
    refused = (error as Error).message;
  }
  return [pe.explain(), refused];
});
export default program;
