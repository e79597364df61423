/**
 * Code that is generated for a biconveyor: it answers queries one by one, and writes the replies where they are sent
 * from.
 */
import type { ItemType } from "../../../ground/item/item-type.ts";
import type { Views } from "../../../ground/item/views.ts";
import { leavesOf, stringsFor } from "./code.ts";
import { generate, typesOf } from "./generate.ts";
import { readCode, readersFor } from "./item-view.ts";

/** How far it has come, also when it throws. */
export interface Answered {
  /** Queries that were answered. */
  count: number;
  /** The value that the last answer has returned; whether it was being written. */
  value: unknown;
  isReplying: boolean;
}

/**
 * Answers `count` queries of PE `from`, the first one at byte offset `at`, and writes the replies from `to` on.
 * @throws what `answer` throws, and `misfit` for what is no reply
 */
export type AnswerMany = (answer: unknown, to: number, at: number, count: number, from: number) => void;

/**
 * @param view shows the query at the cursor, if it is a struct
 * @param misfit throws for what is no reply
 */
export function answerCode(
  query: ItemType,
  reply: ItemType,
  views: Views,
  cursor: { at: number },
  view: object | null,
  answered: Answered,
  misfit: (from: number, value: unknown) => void,
): AnswerMany {
  const leaves = leavesOf(reply);
  const isStruct = reply.kind === "struct";
  const parts = isStruct
    ? reply.fields.map(({ name }, i) => `const a${i} = value[${JSON.stringify(name)}];`)
    : ["const a0 = value;"];
  const to = (offset: number) => (offset === 0 ? "to" : `(to + ${offset})`);
  const source = `"use strict";
    return function answerMany(answer, to, at, count, from) {
      let done = 0, value, isReplying = false;
      try {
        for (; done < count; done++) {
          ${query.kind === "struct" ? "cursor.at = at;" : ""}
          value = answer(${query.kind === "struct" ? "view" : readCode(query, 0)}, from);
          isReplying = true;
          ${isStruct ? `if (typeof value !== "object" || value === null) misfit(from, value);` : ""}
          ${[...parts, ...leaves.map(({ take }) => take)].join(" ")}
          if (${leaves.map(({ bad }) => bad).join(" || ")}) misfit(from, value);
          ${leaves.map((leaf) => leaf.write(to(leaf.offset))).join("\n          ")}
          isReplying = false;
          at = (at + ${query.bytes}) >>> 0;
          to = (to + ${reply.bytes}) >>> 0;
        }
      } finally {
        answered.count = done;
        answered.value = value;
        answered.isReplying = isReplying;
      }
    };`;
  const name = `biconveyor/answer/${query.kind === "struct" ? query.bytes : typesOf(query)},${typesOf(reply)}`;
  return generate(name, source, {
    ...views,
    ...{ cursor, view, answered, misfit },
    ...stringsFor(leaves, views),
    ...readersFor(query, views),
  }) as AnswerMany;
}
