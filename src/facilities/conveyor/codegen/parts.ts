/** Parts of generated code that several pieces have. */
import type { ItemType, Scalar } from "../../../ground/item/item-type.ts";

/** Push, of a conveyor or biconveyor, whatever the items are. */
export interface Pushing {
  push(dest: number, ...values: readonly unknown[]): boolean;
}

/** The arguments of a push after the destination: how many, and their names. */
export function argumentsOf(item: ItemType): { readonly count: number; readonly parameters: string } {
  const count = item.kind === "struct" ? item.fields.length : 1;
  return { count, parameters: Array.from({ length: count }, (_, i) => `a${i}`).join(", ") };
}

export const SHIFT: Readonly<Record<number, number>> = { 1: 0, 2: 1, 4: 2, 8: 3 };
const TAG_VIEW: Readonly<Record<number, string>> = { 1: "u8", 2: "u16", 4: "u32" };

/** An element of the heap, of the array of its type. */
export const element = ({ name, bytes }: Scalar, address: string): string => `${name}[${address} >>> ${SHIFT[bytes]}]`;

/** The code that says who sent the item whose tag, of a width, is at `tagAt`: `from`. */
export const originCode = (width: number): string =>
  width === 0
    ? "const from = inbox.source;"
    : `const tag = ${tagAt(width)};
        const from = ranks[(tag >>> 8) * plane + inbox.source * row + (tag & low)];`;

export function tagAt(width: number): string {
  return `${TAG_VIEW[width]}[tagAt >>> ${SHIFT[width]}]`;
}
