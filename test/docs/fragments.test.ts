/** Code of the pages that is no whole program has the types that it should have; documents in JSON follow their schemas. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { root } from "../support/paths.ts";
import { blocksOf, pages } from "./support/blocks.ts";
import { complaints } from "./support/complaints.ts";

const test = suite("fragments of the pages");
const blocks = pages().flatMap((page) => blocksOf(page));
const typed = blocks.filter(
  ({ kind, language }) =>
    kind.is === "fragment" || (language === "ts" && (kind.is === "file" || kind.is === "program")),
);
const found = await complaints(typed);

for (const { name } of typed) {
  test(`${name}: types`, () => assert.equal(found.get(name), undefined, found.get(name)?.join("\n")));
}

test("there are fragments", () => assert.ok(typed.length > 5));

const ajv = new Ajv2020({ strict: true });
const documents = blocks.filter(({ kind }) => kind.is === "document");
for (const { name, text } of documents) {
  test(`${name}: a document`, () => {
    const document = JSON.parse(text) as { schema?: unknown };
    const schema = /^tundish\/([a-z-]+)@1$/.exec(String(document.schema))?.[1];
    if (schema === undefined) return;
    const file = join(root, "schemas", `${schema}.json`);
    const isValid = ajv.compile(JSON.parse(readFileSync(file, "utf8")));
    assert.ok(isValid(document), JSON.stringify(isValid.errors));
  });
}

test.run();
