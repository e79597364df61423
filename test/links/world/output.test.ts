/** What PEs print: at once, whole, and where what the launcher prints goes. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { fixture } from "../../support/paths.ts";
import { testUnless } from "../../support/skip.ts";

const start = (part: string): ChildProcess =>
  spawn(process.execPath, [fixture("programs", "world-print.mjs"), part], {
    stdio: ["ignore", "pipe", "pipe"],
  });

/** What it prints until it ends. */
async function outputOf(part: string): Promise<string> {
  const child = start(part);
  let text = "";
  child.stdout?.on("data", (data) => {
    text += data;
  });
  await once(child, "close");
  return text;
}

/** Waits until it has printed all this, or ends; it is killed then. */
async function untilPrinted(part: string, expected: readonly string[]): Promise<string> {
  const child = start(part);
  let text = "";
  const over = once(child, "close");
  const seen = new Promise<void>((resolve) => {
    const take = (data: Buffer) => {
      text += data;
      if (expected.every((line) => text.includes(line))) resolve();
    };
    child.stdout?.on("data", take);
    child.stderr?.on("data", take);
  });
  const late = setTimeout(() => child.kill("SIGKILL"), 60_000);
  await Promise.race([seen, over]);
  clearTimeout(late);
  child.kill("SIGKILL");
  await over;
  return text;
}

const LINES = ["line 0", "line 1", "line 2"];
const output = suite("output of PEs");

output("what a PE prints before it hangs is printed, also when the main thread blocks", async () => {
  const expected = [0, 1].flatMap((rank) => [...LINES, "in trouble"].map((line) => `PE ${rank} ${line}\n`));
  const text = await untilPrinted("hang", expected);
  for (const line of expected) assert.ok(text.includes(line), `no ${line} in ${text}`);
});

output("fs.writeSync prints at once on threads of one's own", async () => {
  const expected = LINES.map((line) => `PE 0 ${line}\n`);
  assert.is(await untilPrinted("join", expected), expected.join(""));
});

output("long lines of several PEs stay whole in a pipe, and come before the end", async () => {
  const lines = (await outputOf("long lines")).split("\n");
  assert.equal(lines.slice(-2), ["over", ""]);
  for (const rank of ["0", "1", "2"]) {
    assert.is(lines.filter((line) => line === rank.repeat(20_000)).length, 40);
  }
  assert.is(lines.length, 3 * 40 + 2);
});

output("tagged: what is printed before a PE hangs is printed, and the line of who prints next is whole", async () => {
  assert.is(await outputOf("tagged hang"), "[0] working on step 7...\nERR_TUNDISH_WORLD_CLOSED\n");
});

output(
  "tagged: parts of lines by several PEs: nothing is lost, each line is of one PE, whole ones are whole",
  async () => {
    const lines = (await outputOf("tagged parts")).split("\n");
    assert.equal(lines.slice(-2), ["over", ""]);
    for (const rank of [0, 1, 2]) {
      const own = lines.filter((line) => line.startsWith(`[${rank}] `)).map((line) => line.slice(4));
      const isWhole = (line: string) => line.startsWith("whole");
      assert.equal(
        own.filter(isWhole),
        Array.from({ length: 500 }, (_, i) => `whole ${rank} ${i}`),
      );
      const parts = Array.from({ length: 500 }, (_, i) => `<${rank}${i % 3 === 0 ? ".".repeat(i) : ""}>`);
      assert.is(own.filter((line) => !isWhole(line)).join(""), parts.join(""));
    }
    assert.ok(lines.slice(0, -2).every((line) => /^\[[012]\] /.test(line)));
  },
);

for (const [what, rest] of [
  ["a reader that has left", "| true"],
  ["a full disk", "> /dev/full"],
] as const) {
  const why = existsSync("/dev/full") ? null : "needs /dev/full";
  testUnless(
    output,
    why,
    `what PEs print to ${what} is lost, as what the launcher prints, and the run goes on`,
    async () => {
      const program = [process.execPath, fixture("programs", "world-print.mjs"), "long lines"];
      const script = `{ "$@"; echo $? >&3; } 3>&2 ${rest}`;
      const child = spawn("sh", ["-c", script, "sh", ...program], { stdio: ["ignore", "ignore", "pipe"] });
      let text = "";
      child.stderr?.on("data", (data) => {
        text += data;
      });
      await once(child, "close");
      assert.is(text, "0\n");
    },
  );
}

for (const part of ["caught", "in a worker"]) {
  output(`who catches what the launcher prints gets what PEs print: ${part}`, async () => {
    assert.is(await outputOf(part), "caught PE 0 line 0;PE 0 line 1;PE 0 line 2;\n");
  });
}
output.run();
