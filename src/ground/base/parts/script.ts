/**
 * The text of a part as a script. A part is a module without `import()` and `import.meta`, as scripts/build/parts.mjs
 * writes it:
 *
 *     import { a as b } from "./chunk-x.js";           the parts that it needs
 *     const $url = import.meta.url, $import = …;       what the script gets as arguments
 *     …
 *     export { c as d };
 *
 * The lines stay where they are, so that stacks are right for the file.
 */

/** A part's exports. */
export type Part = Readonly<Record<string, unknown>>;

/**
 * What a script is: a function that gives the part's exports.
 * @param load gives a part by its name
 * @param url stands for `import.meta.url`
 * @param importPart stands for `import()` of a file of this package
 * @param importAny stands for any other `import()`
 */
export type Script = (
  load: (name: string) => Part,
  url: string,
  importPart: (name: string) => Promise<unknown>,
  importAny: (url: string) => Promise<unknown>,
) => Part;

const IMPORT = /^import (?:(\{.*\}) from )?("[^"]+");$/;

/** @throws SyntaxError for a text of another form */
export function scriptOf(text: string): string {
  let head = '(function ($load, $url, $import, $importAny) { "use strict"; ';
  let at = 0;
  for (;;) {
    const end = text.indexOf("\n", at);
    const line = text.slice(at, end);
    if (line.startsWith("import ")) {
      const [, names, from] = IMPORT.exec(line) ?? [];
      if (from === undefined) throw new SyntaxError(`a part: expected an import of names, got ${line}`);
      head += names === undefined ? `$load(${from});\n` : `const ${names.replaceAll(" as ", ": ")} = $load(${from});\n`;
    } else if (line.startsWith("const $")) head += "\n";
    else break;
    at = end + 1;
  }
  // at the begin of a line, which may be the first
  const last = `\n${text}`.lastIndexOf("\nexport {");
  const [body, names] =
    last < 0 ? [text.slice(at), ""] : [text.slice(at, last), text.slice(last + 8, text.indexOf("}", last))];
  const exported = names.replace(/([\w$]+) as ([\w$]+)/g, "$2: $1");
  return `${head}${body}return {${exported}};\n})`;
}
