/**
 * Agreement on this machine by the number of replicas: figures 12 and 13 of Smelt's paper, and two-phase commit, a
 * workload of figure 8. Each along the tree of the world, and by sequential sending, in one world in turn
 * (smelt-agreement.program.ts).
 *
 * Limits: in the paper four cores generate the load; here each replica proposes, and serves the others meanwhile.
 */

import type { Entry } from "../../../../microbench/turns/turns.ts";
import { sibling } from "../../../../src/ground/base/package-file.ts";
import { worldTrees } from "../../../../trees/generate/world-trees.ts";
import type { SmeltAgreementAnswer, SmeltAgreementJob } from "./smelt-agreement.program.ts";
import { firstPEs, type SmeltOptions } from "./smelt-options.ts";
import {
  type MeasuredRivals,
  measureRivals,
  type OurProgram,
  onPes,
  type RivalFigure,
  worlds,
} from "./smelt-rivals.ts";

const FULL = { batches: 5, commands: 2000, alone: 1000 };
const QUICK = { batches: 1, commands: 20, alone: 5 };

/** The measurements of each kind. */
export const EACH = "time per command";
export const REPLY = "until the reply";

/** One kind, by the number of replicas: ns per command of all, and until the reply of one alone. */
export interface AgreementFigure {
  readonly kind: string;
  readonly pes: number;
  readonly dissemination: string;
  readonly each: number;
  readonly reply: number;
}

/** @throws as {@link measureRivals} */
export async function smeltAgreement(options: SmeltOptions): Promise<MeasuredRivals> {
  const volume = options.quick ? QUICK : FULL;
  const ours: OurProgram<SmeltAgreementJob, SmeltAgreementAnswer> = {
    module: sibling("./smelt-agreement.program.js", import.meta.url),
    job: (place, size) => ({ ...volume, sequential: worldTrees(firstPEs(place, size), false, "sequential") }),
    entries: ({ samples }, size) => samples.map((one): Entry => ({ ...one, what: onPes(one.what, size) })),
  };
  const none = () => {
    throw new Error("there are no other programs");
  };
  return await measureRivals(worlds(ours, options.signal), [], none, options);
}

/** The figures by kind, number of replicas and dissemination. */
export function agreementFigures(measured: readonly RivalFigure[]): AgreementFigure[] {
  const nsOf = (kind: string, what: string, { name, pes }: RivalFigure) =>
    measured.find((one) => one.name === name && one.pes === pes && one.what === `${kind}: ${what}`)?.ns ?? Number.NaN;
  return measured.flatMap((one) => {
    const [kind = "", what] = one.what.split(": ");
    if (what !== EACH) return [];
    const { pes, name } = one;
    return { kind, pes, dissemination: name, each: one.ns, reply: nsOf(kind, REPLY, one) };
  });
}
