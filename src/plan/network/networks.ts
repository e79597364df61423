/**
 * Networks of machines that papers describe: every number with its source, and what no source gives.
 *
 * Papers:
 * - Brewer et al.: E. A. Brewer, P. Gauthier, A. Fox, A. Schuett, "Software Techniques for Improving MPP Bulk-Transfer
 *   Performance", 1996. Its bandwidths are curves in figures, without numbers.
 * - conveyors: F. M. Maley, J. G. DeVinney, "Conveyors for Streaming Many-To-Many Communication", 2019.
 * - TRAM: V. Narayanan, "Generalizing Fine-Grained Message Aggregation", 2020. Its latencies are curves in figures; the
 *   rows of table 1.1 are taken to be in the order in which the text names the machines.
 */
import type { NetworkName, SimulatedNetwork } from "./network.ts";

/** The network of a machine that a paper describes. */
export interface NamedNetwork {
  readonly title: string;
  /** The number of nodes that the paper has measured; a simulation may have others. */
  readonly nodes: number | null;
  readonly network: SimulatedNetwork;
  /** By part of `network`: where its numbers are from; or that they are not given, and what applies. */
  readonly sources: Readonly<Record<string, string>>;
}

const BREWER = "Brewer et al.";
const NOT_GIVEN = "not given: the simulator's default";
const OFF = "not given: off";
const NONE = "none, as far as is given: by messages";

/** ns per byte. */
const megabytesPerSecond = (rate: number): number => 1000 / rate;
const gigabytesPerSecond = (rate: number): number => 1 / rate;
const gigabitsPerSecond = (rate: number): number => 8 / rate;

/** A network of which no more than some parts are known. */
const named = (
  title: string,
  nodes: number | null,
  network: SimulatedNetwork,
  sources: Readonly<Record<string, string>>,
): NamedNetwork => ({
  title,
  nodes,
  network,
  sources: {
    alpha: NOT_GIVEN,
    beta: NOT_GIVEN,
    receiver: NOT_GIVEN,
    injection: OFF,
    ejection: OFF,
    queue: OFF,
    packetBytes: OFF,
    interleaved: OFF,
    processor: OFF,
    control: OFF,
    bisection: OFF,
    topology: OFF,
    barrier: NONE,
    ...sources,
  },
});

/** The networks by name. */
export const networks: Readonly<Record<NetworkName, NamedNetwork>> = {
  "cm-5": named(
    "Thinking Machines CM-5",
    64,
    {
      beta: 0,
      injection: { byte: megabytesPerSecond(15) },
      ejection: { byte: megabytesPerSecond(15) },
      barrier: 5000,
      topology: {
        kind: "fat-tree",
        // 20, 10 and 5 MB/s for each node below: its own link, those of 4, those of 16
        levels: [
          { children: 4, byte: megabytesPerSecond(20) },
          { children: 4, byte: megabytesPerSecond(4 * 10) },
          { byte: megabytesPerSecond(16 * 5) },
        ],
      },
    },
    {
      nodes: `${BREWER}, section 2`,
      beta: "0, as the bytes are counted at injection, links and ejection",
      injection:
        "15 MB/s in and out of a node: umiacs.umd.edu/research/EXPAR/papers/3123/node4.html; Brewer et al. give none (figure 1)",
      ejection: `as injection; that receiving is dearer than sending is in ${BREWER}, section 1.1, without a number`,
      topology:
        "20 MB/s within 4 nodes, 10 within 16, 5 for all others: umiacs.umd.edu/research/EXPAR/papers/3123/node4.html",
      packetBytes: "off, as each packet is an event; the packets had 16 bytes of data (the same page)",
      barrier: `in hardware (${BREWER}, sections 1 and 2); 5 us: "The CM-5 Internal Communication Networks", NPAC (CMMD 3.1), at infomall.org; 4 us by cs.uoregon.edu/research/paraducks/papers/sc93.d`,
    },
  ),
  paragon: named(
    "Intel Paragon",
    8,
    {
      beta: 0,
      injection: { byte: megabytesPerSecond(175) },
      ejection: { byte: megabytesPerSecond(175) },
      packetBytes: 8192,
      topology: { kind: "mesh", byte: megabytesPerSecond(175) },
    },
    {
      nodes: `${BREWER}, section 2`,
      beta: "0, as the bytes are counted at injection, links and ejection",
      injection:
        "175 MB/s out of a node, 175 MB/s in: netlib.org/benchmark/top500/reports/report95/Architec/node4.html (Paragon MP); Brewer et al. give none (figure 2)",
      ejection: "as injection",
      packetBytes: `8 KiB: ${BREWER}, section 2.1`,
      topology: "2-D mesh: the same page; the rate of its links is taken to be that of a node",
    },
  ),
  alewife: named(
    "MIT Alewife",
    4,
    {},
    {
      nodes: `${BREWER}, section 2`,
      topology: `not given; ${BREWER}, section 5.1: 4 nodes are too few for its links to be congested`,
      ejection: `not given; receives by interrupt (${BREWER}, section 1.1)`,
    },
  ),
  xc30: named(
    "Cray XC30 (Aries)",
    1024,
    { beta: 0, injection: { byte: gigabytesPerSecond(5.01) } },
    {
      nodes: "conveyors, section 5",
      beta: "0, as the bytes are counted at injection",
      injection:
        "5.01 GB/s a node on 1024 nodes, sustained by tensor conveyors: conveyors, section 5 (4.15 on 4096 nodes, 3.50 on 8192)",
    },
  ),
  "omni-path": named(
    "A cluster with 100 Gbit/s Intel Omni-Path",
    null,
    { beta: 0, injection: { byte: gigabitsPerSecond(100) }, ejection: { byte: gigabitsPerSecond(100) } },
    {
      nodes: "not given",
      beta: "0, as the bytes are counted at injection and ejection",
      injection: "100 Gbit/s: conveyors, section 5",
      ejection: "100 Gbit/s: conveyors, section 5",
    },
  ),
  summit: named("OLCF Summit", null, { beta: 0.15 }, { nodes: "not given", beta: "TRAM, table 1.1" }),
  stampede2: named(
    "TACC Stampede2 (Omni-Path)",
    null,
    { beta: 0, injection: { byte: gigabitsPerSecond(100) }, ejection: { byte: gigabitsPerSecond(100) } },
    {
      nodes: "not given",
      beta: "0, as the bytes are counted at injection and ejection; that of TRAM, table 1.1 is not legible in the copy at hand",
      injection: "100 Gbit/s: TRAM, chapter 5",
      ejection: "100 Gbit/s: TRAM, chapter 5",
      topology: "fat tree: TRAM, chapter 5; its levels are not given: off",
    },
  ),
  cori: named("NERSC Cori", null, { beta: 0.17 }, { nodes: "not given", beta: "TRAM, table 1.1" }),
  frontera: named("TACC Frontera", null, { beta: 0.1 }, { nodes: "not given", beta: "TRAM, table 1.1" }),
};
