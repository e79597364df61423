/**
 * Distributed containers: maps, counting maps, sets, arrays, bags and disjoint sets over all PEs. See
 * docs/containers.md.
 *
 * @module tundish/containers
 */
export type { Container, Kind } from "./facilities/containers/container.ts";
export {
  type AsyncOperationsOf,
  type ContainerKinds,
  type Containers,
  type ContainersOf,
  type ContainersOptions,
  type ContainersStats,
  containers,
  type SessionOptions,
} from "./facilities/containers/containers.ts";
export {
  type Content,
  type ContentArguments,
  type ContentOf,
  type Text,
  text,
  type Values,
  value,
} from "./facilities/containers/content/content.ts";
export type { Element } from "./facilities/containers/element.ts";
export type { Entry } from "./facilities/containers/entry.ts";
export type { KeyedContainer, MapLike } from "./facilities/containers/keyed.ts";
export { array, type DistributedArray } from "./facilities/containers/kinds/array.ts";
export type {
  ArrayOperations,
  ArrayOptions,
  ElementOf,
  ElementsOf,
  ElementVisitor,
  ElementVisitors,
  NumberOf,
  OpOf,
} from "./facilities/containers/kinds/array-operations.ts";
export { type BagOperations, bag, type DistributedBag } from "./facilities/containers/kinds/bag.ts";
export {
  type CountingMap,
  type CountingOperations,
  countingMap,
} from "./facilities/containers/kinds/counting-map.ts";
export {
  type DisjointSetOperations,
  type DistributedDisjointSet,
  disjointSet,
} from "./facilities/containers/kinds/disjoint-set.ts";
export {
  type DistributedMap,
  type MapOperations,
  map,
  type Visitor,
  type Visitors,
} from "./facilities/containers/kinds/map.ts";
export { type DistributedSet, type SetOperations, set } from "./facilities/containers/kinds/set.ts";
export type { Distribution } from "./facilities/containers/placement.ts";
export type { Counted } from "./facilities/containers/top.ts";
