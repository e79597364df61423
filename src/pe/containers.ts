/** Containers among the PEs of a group. */

import type { ContainerGroup } from "../facilities/containers/collective.ts";
import {
  type ContainerKinds,
  type Containers,
  type ContainersOf,
  type ContainersOptions,
  makeContainers,
} from "../facilities/containers/containers.ts";
import type { Group } from "./group.ts";

/**
 * Makes distributed containers: maps, counting maps and sets whose entries are spread over the PEs of a group by a hash of their keys
 * (docs/containers.md). Collective, as making a conveyor: all PEs make the same containers, in the same order. They share one session, so
 * that visitors of one may use all of them.
 *
 *     const data = containers(pe, {
 *       counts: countingMap(text),
 *       stock: map(text, f64, { add: { args: f64, run(entry, amount) { entry.value = (entry.value ?? 0) + amount; } } }),
 *     });
 *     data.run(({ counts, stock }) => { counts.insert("tin"); stock.visit("tin", "add", 2.5); });
 *     const top = data.counts.topK(10);
 *
 * @param kinds the kind of each container, by name
 * @throws UsageError; HeapError; MismatchError if the PEs make other containers; any error that ends a wait
 */
export function containers<const S extends ContainerKinds>(
  pe: Group,
  kinds: S,
  options: ContainersOptions = {},
): Containers<S> & ContainersOf<S> {
  const group = pe as unknown as ContainerGroup;
  return makeContainers<S>({ group, conveyors: pe.conveyors }, kinds, options);
}
