/**
 * The machines of Brewer et al., "Software Techniques for Improving MPP Bulk-Transfer Performance": the networks of
 * src/plan/network/networks.ts, and, as assumptions with their reasons, what the paper describes without a number.
 */
import type { NetworkName, SimulatedNetwork } from "../../../../src/plan/network/network.ts";
import { networks } from "../../../../src/plan/network/networks.ts";

export type TrafficMachineName = Extract<NetworkName, "cm-5" | "paragon" | "alewife">;

/** A machine: nodes of one PE each. */
export interface TrafficMachine {
  readonly name: TrafficMachineName;
  readonly title: string;
  readonly nodes: number;
  readonly network: SimulatedNetwork;
  /** The bytes that an exchange sends at once. */
  readonly packetBytes: number;
  /** See the option of the simulator. */
  readonly jitter: number;
  /** Bytes that a node sends at each block size, about; fewer of small blocks. */
  readonly nodeBytes: number;
  /** Bytes of the largest block that is run: larger ones of all its nodes take minutes. */
  readonly largestBlock: number;
  /** Assumptions without a source, each with its reason. */
  readonly assumptions: Readonly<Record<string, string>>;
}

/** Receivers take this much longer for a byte than senders. */
const SLOWER = 1.25;

const COMMON = {
  ejection: `${SLOWER} times the time of injection for a byte: receiving is dearer than sending (section 1.1), by how much is not said`,
  processor:
    "a processor that must drain the network is left with less time to send (section 1.1): one for both, which receives first",
  control:
    "tokens, bookings and votes are active messages of low latency (sections 3.1 and 4.3): they pass packets of data",
  queue: "4 packets can be underway to a node: senders stall when receivers do not keep up (section 1.1)",
  jitter:
    "every delay is up to 0.2 longer, at random: processors do not keep in step; without it, no round would need a barrier",
};

const machine = (
  name: TrafficMachineName,
  byte: number,
  more: SimulatedNetwork,
  rest: Pick<TrafficMachine, "packetBytes" | "nodeBytes" | "largestBlock"> & {
    readonly assumptions: Readonly<Record<string, string>>;
  },
): TrafficMachine => ({
  name,
  title: networks[name].title,
  nodes: networks[name].nodes ?? 4,
  network: {
    ...networks[name].network,
    injection: { byte },
    ejection: { byte: SLOWER * byte, message: 300 },
    processor: true,
    control: true,
    queue: 4,
    ...more,
  },
  jitter: 0.2,
  ...rest,
  assumptions: { ...COMMON, ...rest.assumptions },
});

const rateOf = (name: TrafficMachineName): number => networks[name].network.injection?.byte ?? 0;

/** The machines by name. */
export const machines: Readonly<Record<TrafficMachineName, TrafficMachine>> = {
  "cm-5": machine(
    "cm-5",
    rateOf("cm-5"),
    { packetBytes: 1024 },
    {
      packetBytes: 1024,
      nodeBytes: 2 ** 18,
      largestBlock: 2 ** 16,
      assumptions: {
        packetBytes: "1 KiB: its packets had 16 bytes of data, but each one simulated takes time",
      },
    },
  ),
  paragon: machine(
    "paragon",
    rateOf("paragon"),
    {},
    { packetBytes: 8192, nodeBytes: 2 ** 22, largestBlock: 2 ** 20, assumptions: {} },
  ),
  alewife: machine(
    "alewife",
    1000 / 40,
    { beta: 0, packetBytes: 512 },
    {
      packetBytes: 512,
      nodeBytes: 2 ** 20,
      largestBlock: 2 ** 20,
      assumptions: {
        injection: "40 MB/s out of a node: no source at hand gives a rate",
        packetBytes: "512 B: the paper chose one for each strategy and names none",
      },
    },
  ),
};
