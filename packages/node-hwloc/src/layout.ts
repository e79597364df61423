/**
 * How hwloc 2.x lays out its objects in memory.
 *
 * Source: hwloc.h of hwloc 2.x, `struct hwloc_obj`, `struct hwloc_info_s`, `union hwloc_obj_attr_u`.
 */
import { koffi } from "./native.js";

/** A type of koffi. */
type Struct = ReturnType<ReturnType<typeof koffi>["struct"]>;

/** Types of koffi. */
export interface Structs {
  readonly object: Struct;
  readonly cache: Struct;
  readonly info: Struct;
}

let structs: Structs | undefined;

/** The structures, declared once; anonymous, because koffi's type names are global to a thread. */
export function layout(): Structs {
  const k = koffi();
  const pointer = "void *";
  structs ??= {
    object: k.struct({
      type: "int",
      subtype: pointer,
      osIndex: "unsigned int",
      name: pointer,
      totalMemory: "uint64_t",
      attributes: pointer,
      depth: "int",
      logicalIndex: "unsigned int",
      nextCousin: pointer,
      previousCousin: pointer,
      parent: pointer,
      siblingRank: "unsigned int",
      nextSibling: pointer,
      previousSibling: pointer,
      arity: "unsigned int",
      children: pointer,
      firstChild: pointer,
      lastChild: pointer,
      symmetricSubtree: "int",
      memoryArity: "unsigned int",
      memoryFirstChild: pointer,
      ioArity: "unsigned int",
      ioFirstChild: pointer,
      miscArity: "unsigned int",
      miscFirstChild: pointer,
      cpuset: pointer,
      completeCpuset: pointer,
      nodeset: pointer,
      completeNodeset: pointer,
      infos: pointer,
      infosCount: "unsigned int",
    }),
    cache: k.struct({
      size: "uint64_t",
      depth: "unsigned int",
      lineSize: "unsigned int",
      associativity: "int",
      type: "int",
    }),
    info: k.struct({ name: pointer, value: pointer }),
  };
  return structs;
}
