/** Whether a JavaScript value is one of a content: what programs assign where nothing is written into an operation. */
import { lengthOf } from "../../base/byte-length.ts";
import type { Content } from "./types.ts";

/** The check of a content. It does not look into JavaScript values. */
export function isValueOf(content: Content): (value: unknown) => boolean {
  switch (content.kind) {
    case "text":
      return (value) => typeof value === "string";
    case "value":
      return () => true;
    case "bytes":
      return (value) => lengthOf(value) === content.bytes;
    case "scalar":
      return content.name === "i64" || content.name === "u64"
        ? (value) => typeof value === "bigint"
        : (value) => typeof value === "number";
    case "struct": {
      const fields = content.fields.map(({ name, type }) => ({ name, isValue: isValueOf(type) }));
      return (value) =>
        typeof value === "object" &&
        value !== null &&
        fields.every(({ name, isValue }) => isValue((value as never)[name]));
    }
  }
}
