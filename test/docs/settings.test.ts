/** docs/cli.md has every environment variable of the source, with the values that it takes and its default. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { UsageError } from "../../src/ground/base/errors.ts";
import { setting, variableOf } from "../../src/ground/base/settings.ts";
import { settingNames, settings } from "../../src/interface/cli/doctor/settings.ts";
import { root } from "../support/paths.ts";

const test = suite("the page on settings");
const page = readFileSync(join(root, "docs/cli.md"), "utf8");
const rows = [...page.matchAll(/^\| `(TUNDISH_\w+)` *\| (.*?) *\| (.*?) *\| (.*?) *\| (.*?) *\|$/gm)].map(
  ([, variable = "", values = "", fallback = "", option = "", does = ""]) => ({
    ...{ variable, values, fallback, option, does },
  }),
);
for (const name of settingNames) delete process.env[variableOf(name)];
const codes = (text: string) => [...text.matchAll(/`(.*?)`/g)].map(([, code]) => code as string);

test("it has every variable, in the order of the source, and says what each does", () => {
  const variables = settings().map(({ variable }) => variable);
  assert.equal(
    rows.map(({ variable }) => variable),
    variables,
  );
  for (const { variable, does } of rows) assert.match(does, /[a-z]{3} [a-z]/, `${variable}: ${does}`);
});

test("the defaults are those of the source", () => {
  assert.equal(
    rows.map(({ fallback }) => (fallback === "none" ? "" : codes(fallback)[0])),
    settings().map(({ value }) => value),
  );
});

test("the values are taken, and others refused where there are no more", () => {
  for (const [i, name] of settingNames.entries()) {
    const { variable, values } = rows[i] as (typeof rows)[number];
    for (const value of codes(values)) {
      process.env[variable] = value;
      assert.is(setting(name), value);
    }
    process.env[variable] = "-1";
    const isOpen = /\b(path|folder|file)\b|CALL/.test(values);
    if (isOpen) assert.is(setting(name), "-1");
    else
      assert.throws(
        () => setting(name),
        (error: unknown) => error instanceof UsageError,
      );
    delete process.env[variable];
  }
});

test("the options are those of launch and of tundish run", () => {
  const options = readFileSync(join(root, "src/running/run/options.ts"), "utf8");
  const commands = readFileSync(join(root, "src/interface/cli/options/program.ts"), "utf8");
  const channel = readFileSync(join(root, "src/interface/cli/terminal/channel.ts"), "utf8");
  for (const { option } of rows) {
    if (option.startsWith("none") || option.includes("of a call")) continue;
    const [name, flag] = codes(option) as [string, string];
    assert.match(options, new RegExp(`readonly ${name}\\?:`));
    assert.match(commands + channel, `"${flag} <`);
  }
});

test.run();
