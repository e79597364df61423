/** A program with arguments, and one of each other kind, whose modules the other files name. */
import { type Spmd, spmd } from "tundish";

/** What its PEs are told. */
export interface Job {
  readonly steps: number;
  readonly name?: string | undefined;
}

const program: Spmd<Job, Promise<string>> = spmd(async (pe, job: Job) => `${job.name} ${pe.rank} ${job.steps}`);
export default program;
