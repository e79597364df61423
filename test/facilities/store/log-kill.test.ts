/** A process that is killed in the middle (SIGKILL): after a restart, all that it has acknowledged is there. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { rounds } from "../../support/long.ts";
import { drawn, SEED } from "../../support/sample.ts";
import { withFolder } from "./support/folders.ts";

const test = suite("log, killed");
const program = fileURLToPath(new URL("./support/log-writer.program.js", import.meta.url));

/** Lets a writer run for some time after its first line. @returns what it found, and the last that it told */
function runAndKill(folder: string, fsync: string, ms: number): Promise<{ found: number; told: number }> {
  const child = spawn(process.execPath, [program, folder, fsync], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  let errors = "";
  let isCounting = false;
  child.stdout.on("data", (data) => {
    output += data;
    if (isCounting) return;
    isCounting = true;
    setTimeout(() => child.kill("SIGKILL"), ms);
  });
  child.stderr.on("data", (data) => (errors += data));
  return new Promise((resolve, reject) => {
    child.on("close", (_, signal) => {
      if (signal !== "SIGKILL") return reject(new Error(`ended by itself: ${errors}`));
      // the last line may be cut
      const lines = output.slice(0, output.lastIndexOf("\n")).split("\n");
      const found = Number(/^found (\d+)$/.exec(lines[0] as string)?.[1]);
      resolve({ found, told: lines.length === 1 ? found : Number(lines.at(-1)) });
    });
  });
}

for (const fsync of ["always", "never"]) {
  test(`fsync ${fsync}`, () =>
    withFolder(async (folder) => {
      let acknowledged = 0;
      for (let round = 0; round < rounds(6, 200); round++) {
        const what = `round ${round}, TUNDISH_TEST_SEED=${SEED}`;
        const { found, told } = await runAndKill(folder, fsync, drawn(60, fsync, round));
        assert.ok(found >= acknowledged, `${what}: ${acknowledged} were acknowledged, ${found} were found`);
        assert.ok(told >= found);
        acknowledged = told;
      }
      assert.ok(acknowledged > 0);
    }));
}

test.run();
