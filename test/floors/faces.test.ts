/**
 * Public classes show what is documented and nothing else: what is inside is in private fields, not in members that are marked
 * internal and stand in the shipped types.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { root } from "../support/paths.ts";

const test = suite("faces");

const source = (file: string): string => readFileSync(join(root, file), "utf8");

/** The file that a name is imported or exported from. */
function originOf(file: string, name: string): string | undefined {
  for (const [, names = "", from = ""] of source(file).matchAll(/\{([^}]*)\} from "(\.[^"]*)"/g)) {
    if (new RegExp(`\\b${name}\\b`).test(names)) return relative(root, join(root, dirname(file), from));
  }
  return undefined;
}

/** The classes in a file and those that they extend, by name and file, with their texts. */
function addClasses(file: string, name: string, classes: Map<string, string>): void {
  const text = source(file);
  const start = text.search(new RegExp(`^export (abstract )?class ${name}\\b`, "m"));
  const at = `${file} ${name}`;
  if (start < 0 || classes.has(at)) return;
  const body = text.slice(start, text.indexOf("\n}\n", start));
  classes.set(at, body);
  const base = /^[^{]*? extends (\w+)/.exec(body.replace(/<[^{]*?>(?= extends [A-Z]\w*[ <\n{])/, ""))?.[1];
  if (base !== undefined) addClasses(originOf(file, base) ?? file, base, classes);
}

test("public classes have no members that are marked internal", () => {
  const classes = new Map<string, string>();
  const entries = readdirSync(join(root, "src")).filter((name) => name.endsWith(".ts"));
  for (const entry of entries) {
    for (const [, names = "", from = ""] of source(`src/${entry}`).matchAll(
      /export (?:type )?\{([^}]*)\} from "([^"]*)"/g,
    )) {
      const file = relative(root, join(root, "src", from));
      for (const [name] of names.matchAll(/\b[A-Z]\w*/g)) addClasses(file, name, classes);
    }
  }
  assert.ok(classes.size > 20, `few classes: ${[...classes.keys()].join(", ")}`);
  const marked = [...classes].filter(([, body]) => body.includes("@internal")).map(([at]) => at);
  assert.equal(marked, []);
});

test.run();
