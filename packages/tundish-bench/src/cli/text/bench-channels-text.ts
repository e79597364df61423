/** The comparison of channels, as text. */

import { bytesText, durationText, ratioText } from "../../../../../src/ground/base/units.ts";
import { tableText } from "../../../../../src/interface/cli/text/table.ts";
import type { ChannelsBench } from "../../channels/bench-channels.ts";

const WAYS = ["one way", "round trip"] as const;

/**
 * For each mode of the machine and each way a table: a line for each contender, a column for each size; how many times
 * the time of C, or of the first contender without C, a message takes, then the times.
 */
export function channelsTexts({ measured }: ChannelsBench): { title: string; text: string }[] {
  const modes = [...new Set(measured.map(({ mode }) => mode ?? null))];
  return modes.flatMap((mode) =>
    WAYS.flatMap((way) => {
      const those = measured.filter((one) => (one.mode ?? null) === mode && one.way === way);
      const sizes = [...new Set(those.map(({ bytes }) => bytes))];
      const names = [...new Set(those.map(({ name }) => name))];
      if (names.length === 0) return [];
      const of = (name: string, size: number) => those.find((one) => one.name === name && one.bytes === size)?.ns;
      const [first = ""] = names;
      const ratio = (name: string, size: number) => {
        const [own, base] = [of(name, size), of(first, size)];
        return own === undefined || base === undefined ? "" : ratioText(own / base);
      };
      const time = (name: string, size: number) => {
        const ns = of(name, size);
        return ns === undefined ? "" : durationText(ns);
      };
      const rows = [
        ...names.map((name) => [name, ...sizes.map((size) => ratio(name, size))]),
        ...names.map((name) => [`${name}, time`, ...sizes.map((size) => time(name, size))]),
      ];
      const where =
        mode === null
          ? "while the mode of the machine changed"
          : `a cache line there and back in ${durationText(mode)}`;
      return [
        {
          title: `A message, ${way}: by the time of ${first}, ${where}`,
          text: tableText(["", ...sizes.map(bytesText)], rows, [0]),
        },
      ];
    }),
  );
}

/** Where, and by what compiler. */
export function channelsModeText({ cpus, probe, versions }: ChannelsBench): string {
  const gcc = versions.gcc === undefined ? "" : `, gcc ${versions.gcc}`;
  return `On CPUs ${cpus.join(", ")}${gcc}. Probe: a cache line there and back in ${durationText(Math.min(...probe))} to ${durationText(Math.max(...probe))}.`;
}
