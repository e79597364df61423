/** The machine as boxes in boxes: packages, NUMA nodes, caches, cores, hardware threads. */
import { bytesText } from "../../../ground/base/units.ts";
import type { Cpu, MachineModel, Topology } from "../../../machine/model/machine-model.ts";
import type { ReportDocument } from "../document.ts";
import { type Box, boxes, collapsed } from "./charts/boxes.ts";
import { COLUMN, figure, PAGE } from "./charts/figure.ts";
import { levelsOf } from "./domains.ts";
import { isThere } from "./section.ts";

/** A hardware thread as it is drawn. */
interface Place {
  readonly cpu: number;
  /** The PE that is measured on it. */
  readonly pe: number | undefined;
  readonly isUsable: boolean;
  /** By level, the outermost first; null: not known. */
  readonly domains: readonly (number | null)[];
}

interface Drawn {
  readonly levels: readonly { readonly name: string; readonly look: string }[];
  readonly places: readonly Place[];
  /** Behind the name of a box: its memory, its size. */
  noteOf(level: number, domain: number, cpus: readonly number[]): string;
}

const [MOST_WIDE, MOST_NARROW] = [200, 64];

export function topologyFigure(report: ReportDocument): string {
  const { machine, topology } = report;
  const own = isThere(topology) ? ofTopology(topology, machine) : ofModel(machine);
  const box: Box = {
    name: isThere(topology) ? topology.brand : machine.name,
    note: isThere(topology) ? memoryOf(topology) : "",
    look: "box-machine",
    content: boxesOf(own, own.places, 0),
  };
  const count = own.places.length;
  return figure({
    id: "topology",
    title: "The machine from inside",
    caption: captionOf(own),
    description: `${captionOf(own)} ${countsText(own)}`,
    drawing: boxes(count > MOST_WIDE ? collapsed(box, 4, 64) : box, PAGE),
    narrow: boxes(count > MOST_NARROW ? collapsed(box, 3) : box, COLUMN),
    table: {
      head: ["CPU", ...own.levels.map(({ name }) => name), "PE"],
      rows: own.places.map(({ cpu, domains, pe }) => [
        cpu,
        ...domains.map((domain) => domain ?? "not known"),
        pe ?? "none",
      ]),
    },
  });
}

/** Of NUMA nodes it is said at each of them. */
const memoryOf = ({ memoryBytes, numaNodes }: Topology): string =>
  memoryBytes === null || numaNodes.length > 1 ? "" : bytesText(memoryBytes);

function captionOf({ places }: Drawn): string {
  const measured = places.filter(({ pe }) => pe !== undefined).length;
  const unusable = places.filter(({ isUsable }) => !isUsable).length;
  const rest =
    measured === places.length
      ? "Every hardware thread has a PE of the model."
      : `Filled: the ${measured} hardware threads with a PE of the model.`;
  return unusable === 0 ? rest : `${rest} Dashed: ${unusable} that this process may not use.`;
}

function countsText({ levels, places }: Drawn): string {
  const counts = levels.map(({ name }, level) => {
    const count = new Set(places.map(({ domains }) => domains[level])).size;
    return `${count} of level ${name}`;
  });
  return `${counts.join(", ")}, ${places.length} hardware threads.`;
}

const LEVELS = [
  { name: "Package", look: "box-package", of: (cpu: Cpu) => cpu.package },
  { name: "NUMA node", look: "box-numa", of: (cpu: Cpu) => cpu.numa },
  { name: "L3", look: "box-l3", of: (cpu: Cpu) => cpu.l3 },
  { name: "Core", look: "box-core", of: (cpu: Cpu) => cpu.core },
];

function ofTopology(topology: Topology, machine: MachineModel): Drawn {
  // a model without CPUs of its own numbers them as the operating system does
  const peOf = new Map(machine.pes.map(({ cpu }, pe) => [cpu, pe]));
  const levels = LEVELS.filter(({ of }) => topology.cpus.some((cpu) => of(cpu) !== null));
  return {
    levels,
    places: topology.cpus.map((cpu) => ({
      cpu: cpu.cpu,
      pe: peOf.get(cpu.cpu),
      isUsable: cpu.allowed,
      domains: levels.map(({ of }) => of(cpu)),
    })),
    noteOf(level, domain, cpus) {
      if (levels[level]?.name === "NUMA node") {
        if (topology.numaNodes.length < 2) return "";
        const bytes = topology.numaNodes.find(({ node }) => node === domain)?.bytes ?? null;
        return bytes === null ? "" : bytesText(bytes);
      }
      if (levels[level]?.name !== "L3") return "";
      const cache = topology.caches.find((one) => one.level === 3 && cpus.every((cpu) => one.cpus.includes(cpu)));
      return cache === undefined ? "" : bytesText(cache.bytes);
    },
  };
}

const LOOKS: Readonly<Record<string, string>> = {
  package: "box-package",
  "NUMA node": "box-numa",
  L3: "box-l3",
  core: "box-core",
  group: "box-l3",
};

function ofModel(machine: MachineModel): Drawn {
  const levels = levelsOf(machine);
  return {
    levels: levels.map(({ name }) => ({
      name: name === "group" ? "Group of near PEs" : `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`,
      look: LOOKS[name] ?? "box-l3",
    })),
    places: machine.pes.map(({ cpu }, pe) => ({
      cpu,
      pe,
      isUsable: true,
      domains: levels.map(({ of }) => of[pe] as number),
    })),
    noteOf: () => "",
  };
}

/** The boxes of some places; levels at which all of them are one are named together. */
function boxesOf(drawn: Drawn, places: readonly Place[], level: number): Box[] {
  const at = drawn.levels[level];
  if (at === undefined) return places.map(threadBox);
  return [...grouped(places, level)].flatMap(([domain, own]) => {
    const content = boxesOf(drawn, own, level + 1);
    // a core with one thread is that thread
    if (domain === null || (at.look === "box-core" && own.length === 1)) return content;
    const name = `${at.name} ${domain}`;
    const cpus = own.map(({ cpu }) => cpu);
    const memory = drawn.noteOf(level, domain, cpus);
    if (at.look === "box-core") return [{ name, look: at.look, content }];
    const [only] = content;
    if (content.length === 1 && only !== undefined && only.content.length > 0 && only.look !== "box-core") {
      const notes = [memory, only.look === "box-l3" && only.note ? `L3 ${only.note}` : only.note];
      const note = notes.filter((one) => one !== undefined && one !== "").join(", ");
      return [{ ...only, name: `${name}, ${only.name}`, note, look: at.look }];
    }
    return [{ name, note: memory, look: at.look, content }];
  });
}

function grouped(places: readonly Place[], level: number): Map<number | null, Place[]> {
  const groups = new Map<number | null, Place[]>();
  for (const place of places) {
    const domain = place.domains[level] ?? null;
    const group = groups.get(domain);
    if (group === undefined) groups.set(domain, [place]);
    else group.push(place);
  }
  return groups;
}

function threadBox({ cpu, pe, isUsable }: Place): Box {
  const look = !isUsable ? "box-closed" : pe === undefined ? "box-thread" : "box-pe";
  return { name: String(cpu), look, content: [] };
}
