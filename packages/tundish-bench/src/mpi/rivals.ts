/** Our worlds and the C program for the same job, as two contenders. */
import type { Contender, Entry } from "../../../../microbench/turns/turns.ts";
import { type Layout, layoutText, type MpiJob } from "./jobs.ts";
import type { Starter } from "./starter.ts";

/** The work of both. */
export interface RivalsOptions {
  readonly layout: Layout;
  /** For progress, and for the list of missing programs. */
  readonly title: string;
  readonly job: MpiJob;
  /** Called if our PEs could not be bound to a CPU. */
  readonly onUnbound: () => void;
}

/** The first is ours. */
export function rivals(starter: Starter, { layout, title, job, onUnbound }: RivalsOptions): Contender[] {
  const { name } = starter;
  const what = `${layoutText(layout)}: `;
  const all = [
    {
      name: `tundish, ${what}${title}`,
      run: async () => {
        const samples = await starter.ours(layout, job);
        if (samples.some(({ bound }) => !bound)) onUnbound();
        return samples.map((one): Entry => ({ ...one, what: what + one.what }));
      },
    },
    {
      name: `${name}, ${what}${title}`,
      run: async () => {
        const samples = await starter.theirs(layout, job);
        return samples.map((one): Entry => ({ ...one, name, what: what + one.what }));
      },
    },
  ];
  // OpenMP has no loops over nodes, and MPI none at all
  return job.kind === "loops" ? all.slice(0, 1) : all;
}
