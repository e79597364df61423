/** Who drives the links better, as a table for each layout: the ratio first. */
import { median } from "simple-statistics";
import type { MpiBench, MpiMeasured } from "../../../bench/mpi/bench-mpi.ts";
import { DRIVERS } from "../../../bench/mpi/drivers-job.ts";
import type { Layout } from "../../../bench/mpi/works.ts";
import { bytesText, countText } from "../../base/units.ts";
import type { Output } from "../terminal/output.ts";
import { fasterText, placeText, times } from "./bench-mpi-text.ts";
import { tableText } from "./table.ts";

/** `stream of 2` of `stream of 2, 64 B` */
const trafficOf = ({ what }: MpiMeasured): string => what.split(", ")[0] as string;

/** Prints nothing when drivers were not measured. */
export function printDrivers({ measured, cpus }: MpiBench, layout: Layout, output: Output): void {
  const { nodes, pes } = layout;
  const here = measured.filter(
    (one) => one.part === "drivers" && one.layout.nodes === nodes && one.layout.pes === pes,
  );
  const rows = here.flatMap((own) => {
    const node = here.find(({ name, what }) => name === DRIVERS.node && what === own.what);
    return own.name !== DRIVERS.own || node === undefined ? [] : [{ own, node, ratio: node.ns / own.ns }];
  });
  if (rows.length === 0) return;
  output.section(
    `Drivers, ${placeText(layout)}: how many times faster links are that each PE drives itself than by one thread per node`,
    tableText(
      ["faster", "what", "message", DRIVERS.own, "quartiles", DRIVERS.node, "quartiles"],
      rows.map(({ own, node, ratio }) => [
        fasterText(ratio),
        trafficOf(own),
        bytesText(own.bytes as number),
        ...times(own),
        ...times(node),
      ]),
      [1],
    ),
  );
  const share = (isMeant: (traffic: string) => boolean): string =>
    fasterText(median(rows.filter(({ own }) => isMeant(trafficOf(own))).map(({ ratio }) => ratio)));
  const isTrip = (traffic: string) => traffic === "round trip";
  output.print(
    `Median: ${share((traffic) => !isTrip(traffic))} in streams (time per message of a node), ${share(isTrip)} in round trips.`,
  );
  const sharing = [
    ["PEs", nodes * pes],
    ["PEs and driving threads", nodes * (pes + 1)],
  ] as const;
  for (const [who, threads] of sharing) {
    if (threads > cpus.length)
      output.print(`${threads} ${who} share ${countText(cpus.length, "CPU")}: they let each other run.`);
  }
}
