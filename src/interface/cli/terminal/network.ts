/** The options of a network on the command line. */
import { plannable } from "../../../machine/model/internode.ts";
import type { MachineModel } from "../../../machine/model/machine-model.ts";
import type { NetworkLine, SimulatedNetwork } from "../../../plan/network/network.ts";
import { jsonLike } from "./arguments.ts";

/** `--network`, `--alpha`, `--beta` and `--receiver` as parsed by commander. */
export interface NetworkOptions extends NetworkLine {
  /** With the name of a network as `like`. */
  readonly network?: SimulatedNetwork;
}

/** The name of a network, or the options of one; which ones there are is checked where they are used. */
export const networkOption = (text: string): SimulatedNetwork =>
  text.trimStart().startsWith("{")
    ? (jsonLike(text, '{"like":"cm-5","queue":4}') as SimulatedNetwork)
    : { like: text as SimulatedNetwork["like"] };

/** Both together. */
export function networkFrom({ network, alpha, beta, receiver }: NetworkOptions): SimulatedNetwork {
  // without what is undefined, which would replace a part of the network
  const line = Object.entries({ alpha, beta, receiver }).filter(([, value]) => value !== undefined);
  return { ...network, ...Object.fromEntries(line) };
}

/** For a plan: undefined where nothing is said; what is said replaces its part of what the model has measured. */
export function networkOfPlan(
  options: NetworkOptions,
  machine: MachineModel | undefined,
): SimulatedNetwork | undefined {
  const network = networkFrom(options);
  if (Object.keys(network).length === 0) return undefined;
  const isMeasured = options.network === undefined && plannable(machine?.internode) !== undefined;
  return isMeasured ? { like: "measured", ...network } : network;
}
