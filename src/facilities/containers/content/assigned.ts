/** The stored form of a value that a visitor assigns: that of the same value in an operation. */
import { UsageError } from "../../../ground/base/errors.ts";
import { shortText } from "../../../ground/base/short-text.ts";
import { codecOf } from "./codec.ts";
import { type Content, describeContent } from "./content.ts";
import { Scratch } from "./cursor.ts";

/** Gives what is stored. @param what for messages @throws UsageError for what is no value of the content */
export type Assigned = (what: string, value: unknown) => unknown;

/** Bytes and structs are copied, as the program may change them later; JavaScript values are stored as they are. */
export function assignedTo(content: Content): Assigned {
  switch (content.kind) {
    case "value":
      return (_what, value) => value;
    case "text":
      return typed(content, "string");
    case "scalar":
      return typed(content, content.name === "i64" || content.name === "u64" ? "bigint" : "number");
    default:
      return copied(content);
  }
}

function typed(content: Content, type: "string" | "number" | "bigint"): Assigned {
  const expected = describeContent(content);
  return (what, value) => {
    if (typeof value === type) return value;
    throw new UsageError(`${what}: expected ${expected}, got ${shortText(value)}`);
  };
}

function copied(content: Content): Assigned {
  const { write, read } = codecOf(content);
  const scratch = new Scratch();
  return (what, value) => {
    scratch.at = 0;
    write(scratch, what, value);
    scratch.at = 0;
    return read(scratch);
  };
}
