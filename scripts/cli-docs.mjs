// Writes the commands into docs/cli.md, as their --help prints them; with --check it only says whether they are there.
// The build must be done: npm run build
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(fileURLToPath(import.meta.url), "../..");
const page = join(root, "docs/cli.md");
const MARK = "<!-- What follows is written by scripts/cli-docs.mjs -->";

const { tundishProgram } = await import(join(root, "dist/src/interface/cli/options/program.js"));
const before = readFileSync(page, "utf8");
const after = `${before.slice(0, before.indexOf(MARK))}${MARK}\n\n${sections(tundishProgram(), ["tundish"]).join("\n")}`;
if (process.argv.includes("--check")) {
  if (after === before) process.exit(0);
  process.stderr.write(
    "docs/cli.md is not what --help prints. Run: npm run build && node scripts/cli-docs.mjs\n",
  );
  process.exit(1);
}
writeFileSync(page, after);

/** A command and those below it. */
function sections(command, words) {
  const below = command.commands.flatMap((one) => sections(one, [...words, one.name()]));
  return [
    `${words.length > 2 ? "###" : "##"} ${words.join(" ")}\n\n\`\`\`\n${helpOf(command)}\n\`\`\`\n`,
    ...below,
  ];
}

/** Without what is the same for all commands. */
function helpOf(command) {
  let text = "";
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
    getOutHelpWidth: () => 80,
    getOutHasColors: () => false,
  });
  command.outputHelp();
  const parts = text.trimEnd().split(/\n\n(?=[A-Z][^\n]*:\n {2})/);
  return parts.filter((part) => !/^(Global Options|Exit codes):/.test(part)).join("\n\n");
}
