/**
 * The columns of structs as users see them: an object with a getter for each field.
 *
 * The objects of one item type are of one class, as those that show items are (codegen/item-view.ts): the code of a
 * program that reads columns meets one kind of object, whatever conveyor they come from. The getters find the columns
 * in a private field, which is put on a plain object by a constructor that returns one.
 */
import { define } from "../../../ground/base/objects/define.ts";
import type { ColumnArray } from "../../../ground/item/columns.ts";
import type { Struct } from "../../../ground/item/item-type.ts";

/** The source of the column of a lane, by its number (lanesOf). */
export interface LaneColumns {
  column(lane: number): ColumnArray;
}

/** Makes the object that shows columns. */
type MakeTree = (columns: LaneColumns) => object;

const known = new WeakMap<Struct, MakeTree>();

/** The maker of the objects of a type. */
export function treeOfGetters(item: Struct): MakeTree {
  let make = known.get(item);
  if (make === undefined) {
    make = classOf(item, 0).make;
    known.set(item, make);
  }
  return make;
}

class Plain {
  constructor(object: object) {
    // biome-ignore lint/correctness/noConstructorReturn: private fields of a derived class are put on it
    return object;
  }
}

/** @param first number of its first lane */
function classOf({ fields }: Struct, first: number): { readonly make: MakeTree; readonly next: number } {
  let next = first;
  const parts = fields.map(({ name, type }) => {
    if (type.kind !== "struct") return { name, lane: next++, make: null };
    const inner = classOf(type, next);
    next = inner.next;
    return { name, lane: -1, make: inner.make };
  });

  class Tree extends Plain {
    static readonly getters = parts.map(
      ({ lane }) =>
        function (this: Tree): ColumnArray {
          return this.#columns.column(lane);
        },
    );
    readonly #columns: LaneColumns;

    constructor(columns: LaneColumns) {
      super({});
      this.#columns = columns;
      for (const [i, { name, make }] of parts.entries()) {
        const found = make === null ? { get: Tree.getters[i] } : { value: make(columns) };
        define(this, name, { enumerable: true, ...found });
      }
      Object.freeze(this);
    }
  }
  return { make: (columns) => new Tree(columns), next };
}
