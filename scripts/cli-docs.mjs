// Writes the commands into docs/cli.md and packages/tundish-bench/README.md, from what their --help is made of; with --check it only says
// whether they are there. The build must be done: npm run build
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(fileURLToPath(import.meta.url), "../..");
const MARK = "<!-- What follows is written by scripts/cli-docs.mjs -->";
/** An option that so many commands of a group have is told once, by the group. */
const SHARED = 3;
/** So many options that two commands have in the same words are told once, by the command with more options. */
const ALIKE = 4;
/** So many examples of a command; --help has all. */
const EXAMPLES = 2;

const { tundishProgram } = await import(join(root, "dist/src/interface/cli/options/program.js"));
const { optionDescription } = await import(join(root, "dist/src/interface/cli/terminal/help.js"));
const { benchProgram } = await import(join(root, "dist/packages/tundish-bench/src/cli/options/program-bench.js"));
writeInto("docs/cli.md", tundishProgram(), ["tundish"]);
writeInto("packages/tundish-bench/README.md", benchProgram(), ["tundish", "bench"]);

/** @param words of the program itself: those below them are its commands */
function writeInto(name, program, words) {
  const page = join(root, name);
  const before = readFileSync(page, "utf8");
  const own = before.includes(MARK) ? before.slice(0, before.indexOf(MARK)) : before;
  const after = `${own}${MARK}\n\n${sections(program, words, words.length).join("\n")}`;
  if (after === before) return;
  if (!process.argv.includes("--check")) {
    writeFileSync(page, after);
    return;
  }
  process.stderr.write(`${name} is not what --help prints. Run: npm run build && node scripts/cli-docs.mjs\n`);
  process.exitCode = 1;
}

/** A command and those below it; `bench` is only named by `tundish`, and has a page of its own. @param top words of the program */
function sections(command, words, top) {
  const commands = command.commands.filter((one) => !["help", "bench"].includes(one.name()));
  const isGroup = words.length > top && commands.length > 0;
  const shared = isGroup ? sharedBy(commands) : [];
  const { other, alike } = words.length === top ? { alike: [] } : likeOf(command);
  const usage = [...words.slice(0, -1), command.name(), command.usage()].join(" ");
  const parts = [
    `## ${words.join(" ")}`,
    // with options alone it says nothing
    command.registeredArguments.length === 0 ? "" : `\`${usage}\``,
    command.description(),
    [
      ...byCondition(linesOf(command).filter((line) => !alike.includes(line))),
      ...(other === undefined ? [] : [asOf(other, alike, words.slice(0, -1))]),
    ].join("\n"),
    words.length === top ? commands.map((one) => linkOf(one, words)).join("\n") : "",
    isGroup ? `Options of several of them:\n\n${shared.join("\n")}` : "",
    words.length === top ? "" : examplesOf(command),
    isGroup ? commands.map((one) => entryOf(one, words, shared)).join("\n") : "",
  ];
  const below = isGroup ? [] : commands.flatMap((one) => sections(one, [...words, one.name()], top));
  return [`${parts.filter(Boolean).join("\n\n")}\n`, ...below];
}

function linkOf(command, words) {
  const all = [...words, command.name()];
  return `- [\`${all.join(" ")}\`](#${all.join("-")}): ${command.summary()}`;
}

/** A command of a group, in a line: its summary, and its options by name. What they mean stands in its --help. */
function entryOf(command, words, shared) {
  const lines = linesOf(command);
  const flags = lines
    .filter((line) => !shared.includes(line))
    .flatMap((line) => /--[\w-]+/.exec(line.split("`: ")[0]) ?? []);
  const isAll = shared.every((line) => lines.includes(line));
  const others = isAll ? [] : lines.filter((line) => shared.includes(line)).map((line) => /--[\w-]+/.exec(line)[0]);
  const all = [...others, ...flags].map((flag) => `\`${flag}\``);
  const also = [...(isAll ? ["all of these"] : []), ...all].join(", ");
  const usage = [...words, command.name(), command.usage().replace("[options]", "").trim()].join(" ").trim();
  return `- \`${usage}\`: ${command.summary()}; ${also}`;
}

/** The arguments and options. Not those that all commands have, which the page tells once: help, version, --json. */
function linesOf(command) {
  const options = command.options.filter(({ long, description }) => {
    const isDocument = long === "--json" && description.endsWith("and nothing else on stdout");
    return long !== "--version" && !isDocument;
  });
  return [
    ...command.registeredArguments.map((one) => `- \`${one.name()}\`: ${one.description}`),
    ...options.map((option) => `- \`${option.flags}\`: ${optionDescription(option)}`),
  ];
}

/** Options that another one needs (`with --tune: …`) are told below that one's name, together. */
function byCondition(lines) {
  const needed = lines.map((line) => /`: with (--[\w-]+): /.exec(line)?.[1]);
  return [...new Set(needed)].flatMap((flag) => {
    const some = lines.filter((_, i) => needed[i] === flag);
    if (flag === undefined) return some;
    return [`- with \`${flag}\`:`, ...some.map((line) => `  ${line.replace(`with ${flag}: `, "")}`)];
  });
}

/** The command beside this one that tells its options of the same words, and these; none if they are few. */
function likeOf(command) {
  const own = linesOf(command);
  for (const other of command.parent.commands) {
    const lines = linesOf(other);
    const alike = own.filter((line) => line.startsWith("- `-") && lines.includes(line));
    // one that tells them itself
    const tells =
      alike.length >= ALIKE && lines.length > own.length && likeOf(other).alike.every((line) => !own.includes(line));
    if (tells) return { other, alike };
  }
  return { alike: [] };
}

/** Options by name, with a link to the command that tells them. */
function asOf(other, lines, words) {
  const name = [...words, other.name()];
  const flags = lines.map((line) => `\`${/--[\w-]+/.exec(line)[0]}\``);
  return `- ${flags.join(", ")}: as of [\`${name.join(" ")}\`](#${name.join("-")})`;
}

/** The lines of options that several commands have in the same words. */
function sharedBy(commands) {
  const lines = commands.flatMap(linesOf);
  return [...new Set(lines)].filter((line) => lines.filter((one) => one === line).length >= SHARED);
}

/** The examples of its --help, but those that only add --json. */
function examplesOf(command) {
  let text = "";
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
    getOutHasColors: () => false,
  });
  command.outputHelp();
  const [, examples] = /^Examples:\n(.*?)\n(?=\n?Exit codes:)/ms.exec(text) ?? [];
  return examples === undefined ? "" : `\`\`\`sh\n${compact(examples)}\n\`\`\``;
}

/** One line for each example, with what it does behind `#`. */
function compact(examples) {
  const lines = examples.split("\n").filter(Boolean);
  const isBelow = lines.some((line) => line.startsWith("      "));
  const pairs = isBelow
    ? lines.flatMap((line, i) => (line.startsWith("      ") ? [] : [[line.trim(), lines[i + 1].trim()]]))
    : lines.map((line) => line.trim().split(/ {2,}/));
  return pairs
    .filter(([example]) => !example.endsWith("--json"))
    .slice(0, EXAMPLES)
    .map(([example, meaning]) => `${example} # ${meaning}`)
    .join("\n");
}
