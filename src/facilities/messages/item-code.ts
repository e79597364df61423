/** Code that is generated for a type of items: what sends one through a channel. */
import { UsageError } from "../../ground/base/errors.ts";
import { shortText } from "../../ground/base/short-text.ts";
import { describeItem, type ItemType } from "../../ground/item/item-type.ts";
import type { Views } from "../../ground/item/views.ts";
import { leavesOf, stringsFor } from "../conveyor/codegen/code.ts";
import { generate, itemName } from "../conveyor/codegen/generate.ts";
import { argumentsOf } from "../conveyor/codegen/parts.ts";

/** Checks the values, claims a place, writes them there, and publishes; false if there is no place. */
export type SendItem = (...values: readonly unknown[]) => boolean;

/**
 * @param call whose errors these are @param claim gives a byte offset, or a negative number if there is no room @param
 * publish hands it over
 * @returns a function of the values of an item
 */
export function sendCode(
  call: string,
  item: ItemType,
  views: Views,
  claim: () => number,
  publish: () => void,
): SendItem {
  const { count, parameters } = argumentsOf(item);
  const leaves = leavesOf(item);
  const misfit = (given: ArrayLike<unknown>): never => {
    const got = Array.from(given, (one) => shortText(one)).join(", ");
    throw new UsageError(`${call}: expected ${describeItem(item)}, got (${got})`);
  };
  const source = `"use strict";
    return function send(${parameters}) {
      ${leaves.map(({ take }) => take).join(" ")}
      if (arguments.length !== ${count}${leaves.map(({ bad }) => ` || ${bad}`).join("")}) misfit(arguments);
      const at = claim();
      if (at < 0) return false;
      ${leaves.map(({ write, offset }) => write(offset === 0 ? "at" : `(at + ${offset})`)).join("\n      ")}
      publish();
      return true;
    };`;
  const scope = { ...views, ...stringsFor(leaves, views), claim, publish, misfit };
  return generate(`channel/send/${itemName(item)}`, source, scope) as SendItem;
}
