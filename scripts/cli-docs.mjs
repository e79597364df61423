// Writes the commands into docs/cli.md and packages/tundish-bench/README.md, as their --help prints them; with
// --check it only says whether they are there. The build must be done: npm run build
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(fileURLToPath(import.meta.url), "../..");
const MARK = "<!-- What follows is written by scripts/cli-docs.mjs -->";

const { tundishProgram } = await import(join(root, "dist/src/interface/cli/options/program.js"));
const { benchProgram } = await import(
  join(root, "dist/packages/tundish-bench/src/cli/options/program-bench.js")
);
writeInto("docs/cli.md", tundishProgram(), ["tundish"]);
writeInto("packages/tundish-bench/README.md", benchProgram(), ["tundish", "bench"]);

function writeInto(name, program, words) {
  const page = join(root, name);
  const before = readFileSync(page, "utf8");
  const own = before.includes(MARK) ? before.slice(0, before.indexOf(MARK)) : before;
  const after = `${own}${MARK}\n\n${sections(program, words).join("\n")}`;
  if (after === before) return;
  if (!process.argv.includes("--check")) {
    writeFileSync(page, after);
    return;
  }
  process.stderr.write(
    `${name} is not what --help prints. Run: npm run build && node scripts/cli-docs.mjs\n`,
  );
  process.exitCode = 1;
}

/** A command and those below it; `bench` is only named by `tundish`, and has a page of its own. */
function sections(command, words) {
  const below = command.commands.filter((one) => one.name() !== "bench");
  return [
    `## ${words.join(" ")}\n\n\`\`\`\n${helpOf(command)}\n\`\`\`\n`,
    ...below.flatMap((one) => sections(one, [...words, one.name()])),
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
