/** The forms that the answer of a biconveyor may have. */
import { UsageError } from "../../../ground/base/errors.ts";
import { isAsync } from "../../../ground/base/promise.ts";
import { shortText } from "../../../ground/base/short-text.ts";
import type { ItemType } from "../../../ground/item/item-type.ts";
import type { Answer } from "../belts/rigid-bi.ts";
import type { AnswersAll } from "../belts/serving-all.ts";
import type { AnswersTable } from "../belts/serving-table.ts";
import { INSTEAD } from "../codegen/returned.ts";

/** The answer of a biconveyor, in one of its forms. */
export type Answers<Q extends ItemType, R extends ItemType> = Answer<Q, R> | AnswersAll<Q, R> | AnswersTable<Q, R>;

/** Whether an answer answers many queries at once. */
export const isOfAll = <Q extends ItemType, R extends ItemType>(answer: Answers<Q, R>): answer is AnswersAll<Q, R> =>
  typeof answer === "object" && answer !== null && "answerAll" in answer;

/** Whether it is a table. */
export const isTable = <Q extends ItemType, R extends ItemType>(answer: Answers<Q, R>): answer is AnswersTable<Q, R> =>
  typeof answer === "object" && answer !== null && "table" in answer;

/** @throws UsageError unless the answer is a function that is not async */
export function checkAnswer(what: string, answer: unknown, form: string): void {
  if (typeof answer === "function" && !isAsync(answer)) return;
  const found = typeof answer === "function" ? "an async one" : shortText(answer);
  throw new UsageError(
    `${what}: expected a function that answers queries and is not async: ${form}, got ${found}; ${INSTEAD.answer}`,
  );
}
