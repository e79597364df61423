/** Graphs of the graphology library: made from random numbers, or read from a file. */
import { readFileSync } from "node:fs";
import * as graphology from "graphology";
import { randomAt } from "./input.ts";
import { WrongOption } from "./options.ts";

/** A graph of any kind. */
export type Graph = InstanceType<typeof graphology.MultiGraph>;
/** The package exports it by this name; its types do not. */
const AnyGraph = (graphology as unknown as { Graph: new (options: object) => Graph }).Graph;

/**
 * A random graph in which few vertices have many edges, as in the web: both ends of an edge are vertex v with a probability in
 * proportion to 1 / sqrt(v + 1). An edge that is drawn twice is there once.
 *
 * Source: F. Chung and L. Lu, "Connected components in random graphs with given expected degree sequences", 2002.
 */
export function randomGraph(vertices: number, edges: number, seed: number): Graph {
  const graph = new graphology.DirectedGraph();
  for (let v = 0; v < vertices; v++) graph.addNode(v);
  const vertexOf = (index: number) => Math.floor(vertices * randomAt(seed, index) ** 2);
  for (let e = 0; e < edges; e++) graph.mergeEdge(vertexOf(2 * e), vertexOf(2 * e + 1));
  return graph;
}

/**
 * A graph of a file: a package-lock.json, whose packages are vertices with an edge to each one that they depend on; graphology's own
 * JSON; or GEXF.
 * @throws WrongOption if there is no graph in it
 */
export async function readGraph(file: string): Promise<Graph> {
  let reason = "it has no vertices";
  try {
    const graph = await graphIn(file, readFileSync(file, "utf8"));
    if (graph.order > 0) return graph;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    reason = code === "ERR_MODULE_NOT_FOUND" ? "npm install graphology-gexf first" : message;
  }
  throw new WrongOption(
    `--graph: expected a graph, in GEXF, in JSON of graphology or a package-lock.json, got ${file}: ${reason}`,
  );
}

async function graphIn(file: string, text: string): Promise<Graph> {
  if (file.endsWith(".gexf")) {
    const { parse } = await import("graphology-gexf");
    try {
      return parse(graphology.MultiGraph, text) as Graph;
    } catch (cause) {
      throw new Error("it is not GEXF", { cause }); // what the parser says is no sentence for users
    }
  }
  const json: unknown = JSON.parse(text);
  if (isLock(json)) return packagesOf(json);
  if (!isGraph(json)) throw new Error("it has neither packages nor nodes");
  const graph = new AnyGraph({ multi: true, ...json.options });
  graph.import(json as never);
  return graph;
}

/** The parts of graphology's JSON that matter here. */
interface Json {
  readonly options?: object;
  readonly nodes: readonly { readonly key: string }[];
}

const isGraph = (json: unknown): json is Json =>
  typeof json === "object" && json !== null && Array.isArray((json as Partial<Json>).nodes);

/**
 * A graph as JSON of graphology. If it was read from such a file, only the attributes of its vertices differ from what is there: the
 * file's options and keys of edges stay.
 */
export function jsonOf(graph: Graph, file: string | undefined): string {
  if (file === undefined || file.endsWith(".gexf")) return JSON.stringify(graph.export());
  const json: unknown = JSON.parse(readFileSync(file, "utf8"));
  if (!isGraph(json)) return JSON.stringify(graph.export());
  const nodes = json.nodes.map((node) => ({ ...node, attributes: graph.getNodeAttributes(node.key) }));
  return JSON.stringify({ ...json, nodes });
}

const KINDS = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"] as const;

interface Lock {
  readonly name?: string;
  readonly packages: Readonly<Record<string, { readonly [kind in (typeof KINDS)[number]]?: object }>>;
}

const isLock = (json: unknown): json is Lock => typeof json === "object" && json !== null && "packages" in json;

function packagesOf({ name = "this package", packages }: Lock): Graph {
  const graph = new graphology.DirectedGraph();
  for (const path of Object.keys(packages))
    graph.addNode(path, { label: path === "" ? name : path.split("node_modules/").at(-1) });
  for (const [path, known] of Object.entries(packages)) {
    for (const dependency of KINDS.flatMap((kind) => Object.keys(known[kind] ?? {}))) {
      // where Node looks: in the package's own folder, then in those around it
      let around = path;
      while (!graph.hasNode(join(around, dependency)) && around !== "") around = outer(around);
      if (graph.hasNode(join(around, dependency))) graph.mergeEdge(path, join(around, dependency));
    }
  }
  return graph;
}

const join = (path: string, name: string): string => `${path === "" ? "" : `${path}/`}node_modules/${name}`;
const outer = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("node_modules/") - 1));
