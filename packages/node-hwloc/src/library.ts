/**
 * The functions of libhwloc that this binding calls, opened through koffi.
 *
 * Only what the library exports is here: `hwloc_get_nbobjs_by_type` and many others are static
 * inline functions of the C headers and exist in no library.
 */
import { NoHwlocError } from "./errors.js";
import { koffi } from "./native.js";

/** An address in libhwloc's memory, as koffi has it: two of the same address are not the same object. */
export type Pointer = object & { readonly address: never };

const signatures = {
  apiVersion: "unsigned int hwloc_get_api_version()",
  init: "int hwloc_topology_init(_Out_ void **topology)",
  setFlags: "int hwloc_topology_set_flags(void *topology, unsigned long flags)",
  setInstructionCaches: "int hwloc_topology_set_icache_types_filter(void *topology, int filter)",
  setXml: "int hwloc_topology_set_xmlbuffer(void *topology, const void *buffer, int size)",
  setSynthetic: "int hwloc_topology_set_synthetic(void *topology, const char *description)",
  load: "int hwloc_topology_load(void *topology)",
  destroy: "void hwloc_topology_destroy(void *topology)",
  isThisSystem: "int hwloc_topology_is_thissystem(void *topology)",
  allowedCpus: "void *hwloc_topology_get_allowed_cpuset(void *topology)",
  depth: "int hwloc_topology_get_depth(void *topology)",
  typeDepth: "int hwloc_type_sscanf_as_depth(const char *type, void *typep, void *topology, _Out_ int *depth)",
  count: "unsigned int hwloc_get_nbobjs_by_depth(void *topology, int depth)",
  object: "void *hwloc_get_obj_by_depth(void *topology, int depth, unsigned int index)",
  isCache: "int hwloc_obj_type_is_cache(int type)",
  typeText: "int hwloc_obj_type_snprintf(_Out_ void *text, size_t size, void *object, int verbose)",
  attributeText:
    "int hwloc_obj_attr_snprintf(_Out_ void *text, size_t size, void *object, const char *separator, int verbose)",
  newSet: "void *hwloc_bitmap_alloc()",
  freeSet: "void hwloc_bitmap_free(void *set)",
  setText: "int hwloc_bitmap_list_snprintf(_Out_ void *text, size_t size, void *set)",
  parseSet: "int hwloc_bitmap_list_sscanf(void *set, const char *list)",
  bind: "int hwloc_set_cpubind(void *topology, void *set, int flags)",
  binding: "int hwloc_get_cpubind(void *topology, void *set, int flags)",
  exportXml:
    "int hwloc_topology_export_xmlbuffer(void *topology, _Out_ void **xml, _Out_ int *length, unsigned long flags)",
  freeXml: "void hwloc_free_xmlbuffer(void *topology, void *xml)",
} as const;

/** The functions by a short name, as the table above declares them. */
export interface HwlocLibrary {
  /** The opened library: a name for the loader, or a path. */
  readonly name: string;
  /** The version of hwloc's API, e.g. "2.8". */
  readonly version: string;
  apiVersion(): number;
  init(topology: [Pointer | null]): number;
  setFlags(topology: Pointer, flags: number): number;
  setInstructionCaches(topology: Pointer, filter: number): number;
  setXml(topology: Pointer, buffer: Uint8Array, size: number): number;
  setSynthetic(topology: Pointer, description: string): number;
  load(topology: Pointer): number;
  destroy(topology: Pointer): void;
  isThisSystem(topology: Pointer): number;
  allowedCpus(topology: Pointer): Pointer | null;
  depth(topology: Pointer): number;
  typeDepth(type: string, typep: null, topology: Pointer, depth: [number]): number;
  count(topology: Pointer, depth: number): number;
  object(topology: Pointer, depth: number, index: number): Pointer | null;
  isCache(type: number): number;
  typeText(text: Uint8Array, size: number, object: Pointer, verbose: number): number;
  attributeText(text: Uint8Array, size: number, object: Pointer, separator: string, verbose: number): number;
  newSet(): Pointer;
  freeSet(set: Pointer): void;
  setText(text: Uint8Array, size: number, set: Pointer): number;
  parseSet(set: Pointer, list: string): number;
  bind(topology: Pointer, set: Pointer, flags: number): number;
  binding(topology: Pointer, set: Pointer, flags: number): number;
  exportXml(topology: Pointer, xml: [Pointer | null], length: [number], flags: number): number;
  freeXml(topology: Pointer, xml: Pointer): void;
}

const opened = new Map<string, HwlocLibrary>();

/** The name under which the platform's loader finds hwloc 2.x. */
const defaultLibrary: string =
  process.platform === "darwin"
    ? "libhwloc.15.dylib"
    : process.platform === "win32"
      ? "libhwloc-15.dll"
      : "libhwloc.so.15";

/**
 * Opens libhwloc, once per thread and name.
 * @throws NoHwlocError when koffi or the library is missing, is something else, or has an API other than 2.x.
 */
export function openHwloc(name: string = defaultLibrary): HwlocLibrary {
  const known = opened.get(name);
  if (known) return known;
  const { load } = koffi();
  let functions: Record<string, unknown>;
  let version: string;
  try {
    const library = load(name);
    const apiVersion = library.func(signatures.apiVersion) as unknown as HwlocLibrary["apiVersion"];
    version = checkVersion(name, apiVersion());
    functions = Object.fromEntries(
      Object.entries(signatures).map(([short, signature]) => [short, library.func(signature)]),
    );
  } catch (cause) {
    if (cause instanceof NoHwlocError) throw cause;
    throw new NoHwlocError(
      `Expected libhwloc 2.x at ${name}: ${(cause as Error).message}. Install it with: apt-get install libhwloc15`,
      { cause },
    );
  }
  const library = { ...functions, name, version } as unknown as HwlocLibrary;
  opened.set(name, library);
  return library;
}

/**
 * The API version as text, e.g. 0x20800 is "2.8".
 * @throws NoHwlocError for any other than 2.x, whose functions and structures differ.
 */
export function checkVersion(name: string, api: number): string {
  const version = `${api >>> 16}.${(api >>> 8) & 0xff}`;
  if (api >>> 16 !== 2) {
    throw new NoHwlocError(
      `Expected libhwloc with API 2.x, got API ${version} from ${name}. Install it with: apt-get install libhwloc15`,
    );
  }
  return version;
}
