/**
 * What a fragment of code uses and does not declare: `<!-- with: pe, c: Conveyor<number>, dest -->` before it. A name without a
 * type is one of this table, or one that `tundish` exports.
 */

const names: Readonly<Record<string, string>> = {
  pe: "PE",
  n: "number",
  dest: "(i: number) => number",
  slot: "(i: number) => number",
  counts: "Uint32Array",
};

/** The declarations of the names, as the beginning of a TypeScript module. */
export function declarations(given: string | undefined): string {
  const lines = new Set<string>();
  for (const entry of splitNames(given ?? "")) {
    const [, name = "", type = names[name]] = /^(\w+)(?:: (.*))?$/s.exec(entry) ?? [];
    if (name === "") throw new Error(`expected a name, or a name and its type, got ${entry}`);
    if (type === undefined) {
      lines.add(`import { ${name} } from "tundish";\n`);
      continue;
    }
    for (const word of type.match(/(?<![.\w"])[A-Z]\w+/g) ?? []) {
      if (!(word in globalThis)) lines.add(`import type { ${word} } from "tundish";\n`);
    }
    // a variable, as the fragment may assign it
    lines.add(`declare let ${name}: ${type};\n`);
  }
  return [...lines].join("");
}

/** Parts between commas that stand in no brackets. */
function splitNames(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = "";
  for (const [i, sign] of [...text].entries()) {
    if ("(<{[".includes(sign)) depth++;
    if (")>}]".includes(sign) && text[i - 1] !== "=") depth--;
    if (sign === "," && depth === 0) {
      parts.push(part.trim());
      part = "";
    } else part += sign;
  }
  return [...parts, part.trim()].filter(Boolean);
}
