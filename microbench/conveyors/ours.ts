/** Our conveyors as contenders. */
import { sibling } from "../../src/ground/base/package-file.ts";
import { launch } from "../../src/running/launch/launch.ts";
import { probeWords } from "../turns/distance.ts";
import { LIMIT_MS, type OurPart } from "../turns/part.ts";
import type { Contender } from "../turns/turns.ts";
import type { ConveyorAnswer, ConveyorJobs } from "./job.ts";
import type { Group, Variant } from "./variants.ts";

/** A variant with the name of its operation. */
export type Placed = Variant<unknown> & Pick<Group, "what">;

/** The program of PEs that push items to random ones. */
export const STREAMS: URL = sibling("./stream.program.js", import.meta.url);

/** A world that plays some variants, one after the other. @param module that knows their works */
export function ours(module: URL, part: OurPart, pes: number, world: readonly Placed[]): Contender {
  const { cpus, machine, signal } = part;
  return {
    name: world.map(({ name, what }) => `${name}, ${what}`)[0],
    required: true,
    run: async () => {
      const words = probeWords(pes, cpus.length);
      const args: ConveyorJobs<unknown> = { jobs: world.map(({ job }) => job), words };
      const options = { args, pes, machine, timeout: LIMIT_MS, ...(signal && { signal }) };
      const answers = await launch<ConveyorAnswer>(module, options);
      part.sawBound(answers.every(({ bound }) => bound));
      return world.map(({ name, what }, i) => {
        const { items, ...timed } = answers[0].timed[i];
        return { name, what, batch: items, ...timed };
      });
    },
  };
}
