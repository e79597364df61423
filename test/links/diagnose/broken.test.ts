/** Broken programs: who breaks which promise is said in a sentence. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { launch } from "../../../src/running/launch/launch.ts";
import type { LaunchOptions } from "../../../src/running/run/options.ts";
import { root } from "../../support/paths.ts";
import { patiently } from "../../support/patiently.ts";
import type { Part } from "./broken.program.ts";

const program = sibling("./broken.program.js", import.meta.url);

/** What a program ends with, after so many ms at most. */
async function ending(part: Part, options: LaunchOptions = { timeout: 60_000 }): Promise<string> {
  try {
    await launch(program, { pes: 3, args: part, ...options });
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return `${code} ${message}`;
  }
  return "nothing";
}

const broken = suite("broken programs");

const sentences: readonly [part: Part, sentence: RegExp][] = [
  [
    "noDone",
    /PE 1 breaks K3: it advances the conveyor of u32, in which it has moved nothing for \d+\.\d s, but has not called advance\(true\) for \d+\.\d s, and PE 0, 2 are done\.$/,
  ],
  ["nobodyDone", /Each of PE 0, 1, 2 breaks K3: it advances .* and nothing is in transit\.$/],
  [
    "noPull",
    /PE 1 breaks K2: \d+ buffers have come for it in the conveyor of u32, and it has not pulled anything for \d+\.\d s\.$/,
  ],
  [
    "noLastPull",
    /PE 1 breaks K2: a pull that returns false is due in the conveyor of u32, and it has not pulled anything for \d+\.\d s\.$/,
  ],
  [
    "putsBack",
    /PE 1 breaks K2: .* and it has put back what it pulled \(\d+ times\) and not pulled anything for \d+\.\d s\.$/,
  ],
  [
    "noReset",
    /Each of PE 1, 2 breaks K1: it has not called begin of the conveyor of u32, where PE 0 has waited for \d+\.\d s\. It waits in barrier, for /,
  ],
  [
    "noVote",
    /PE 1(, 2)? breaks K1: it has not called begin of the conveyor of u32, where PE 0 has waited for \d+\.\d s\. It waits in barrier, for /,
  ],
  [
    "noBegin",
    /Each of PE 1, 2 breaks K1: it has not called begin of the conveyor of u32, where PE 0 has waited for \d+\.\d s\. It is in its own code\.$/,
  ],
  [
    "beginOnOne",
    /PE 1(, 2)? breaks K1: it has not called begin of the conveyor of u32, where PE 0 has waited for \d+\.\d s\. It waits in barrier, for \d+\.\d (to \d+\.\d )?s\./,
  ],
  [
    "sinkLoops",
    /PE 1 breaks K3: it has not called advance of the conveyor of u32 for \d+\.\d s\. It is inside its sink of the conveyor of u32\.$/,
  ],
  [
    "sinkBlocks",
    /PE 1 breaks K3: it has not called advance of the conveyor of u32 for \d+\.\d s\. It waits in barrier inside its sink of the conveyor of u32, for \d+\.\d s\.$/,
  ],
  [
    "answerBlocks",
    /PE 1 breaks K3: .* It waits in barrier inside an answer of the conveyor of queries of u32, for \d+\.\d s\.$/,
  ],
  [
    "noAdvance",
    /PE 1 breaks K3: it has not called advance of the conveyor of u32 for \d+\.\d s\. It is in its own code\.$/,
  ],
];

for (const [part, sentence] of sentences) {
  broken(part, async () => {
    const run = launch(program, { pes: 3, args: part, timeout: 60_000 });
    let text = "";
    let isOver = false;
    const over = run
      .catch((error: Error) => {
        text = error.message;
      })
      .finally(() => {
        isOver = true;
      });
    while (!sentence.test(text) && !isOver) {
      text = run.diagnose(200).problems.join(" ");
      await delay(20);
    }
    assert.match(text, sentence);
    await run.close();
    await over;
  });
}

broken("a run that took too long says it as well", async () => {
  await patiently(1200, async (timeout) => {
    assert.match(
      await ending("noDone", { timeout }),
      /^ERR_TUNDISH_TIMEOUT The run took longer than \d+ ms \(timeout\); not finished: PE 0, 1, 2\. PE 1 breaks K3/,
    );
  });
});

broken("a sink that throws, and a PE that is killed, say so themselves", async () => {
  assert.match(await ending("sinkThrows"), /^ERR_TUNDISH_RANK_LOST PE 1 threw TypeError: sink broke/);
  assert.match(await ending("killed"), /^ERR_TUNDISH_RANK_LOST PE 1 ended with exit code 3/);
});

broken("the limit of a conveyor says it as well", async () => {
  assert.match(
    await ending("limit"),
    /^ERR_TUNDISH_TIMEOUT The conveyor's session took longer than 800 ms .* PE 1 breaks K3: /,
  );
});

const PATIENCE_MS = 200;
broken("a warning comes before the end, once", async () => {
  const told: string[] = [];
  const listen = (warning: Error & { code?: string }) => {
    if (warning.code === "TUNDISH_STALL") told.push(warning.message);
  };
  process.on("warning", listen);
  for (const stallAfter of [Number.POSITIVE_INFINITY, PATIENCE_MS]) {
    await using run = launch(program, { pes: 3, args: "noDone", timeout: 60_000, stallAfter });
    let isOver = false;
    run.catch(() => {
      isOver = true;
    });
    const isTold = () => (stallAfter === PATIENCE_MS ? told : run.diagnose(PATIENCE_MS).problems).length > 0;
    while (!isTold() && !isOver) await delay(20);
    // in which it would come, or come again
    await delay(2.5 * PATIENCE_MS);
    if (stallAfter !== PATIENCE_MS) assert.equal(told, []);
  }
  process.off("warning", listen);
  // on a busy machine another PE may stand still as well
  const essences = told.flatMap((text) => text.split("\n")).map((line) => line.split(":")[0]);
  assert.ok(essences.length > 0);
  assert.is(new Set(essences).size, essences.length, told.join("\n"));
  for (const essence of essences) assert.match(essence, /^(Each of )?PE [\d, ]+ breaks K\d$/);
});

broken("wrong patience is refused", async () => {
  for (const stallAfter of [0, -1, Number.NaN, "1" as never]) {
    assert.match(await ending("fine", { stallAfter }), /^ERR_TUNDISH_USAGE stallAfter: expected a number/);
  }
});

broken("where all is well nothing is said", async () => {
  const results = await launch(program, { pes: 3, args: "fine", timeout: 30_000 });
  for (const [problems, conveyors] of results as [string[], number[]][]) {
    assert.equal(problems, []);
    assert.is(conveyors.length, 3);
  }
});

broken("more conveyors than there is room to tell of", async () => {
  const results = await launch(program, { pes: 2, args: "many", timeout: 30_000 });
  assert.equal(results, [
    [15, 0],
    [15, 0],
  ]);
});

broken("SIGUSR2 prints what everybody does, and the run goes on", async () => {
  const cli = `${root}/dist/src/interface/cli/main.js`;
  const child = spawn(
    process.execPath,
    [cli, "run", program.pathname, "-n", "2", "--timeout", "60000", "--", "noDone"],
    {
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  let text = "";
  child.stderr.on("data", (data) => {
    text += data;
  });
  const over = once(child, "exit");
  // a PE that says so runs when the handler is there; earlier the signal would end the process
  for (let left = 600; left > 0 && !text.includes("PE 1 breaks"); left--) {
    await delay(100);
    if (text.includes("begun")) child.kill("SIGUSR2");
  }
  assert.match(
    text,
    /tundish: PE 1 breaks K3: .*\n {2}PE 0: u32: endgame for .*, done, advanced .*\n {2}PE 1: u32: working/,
  );
  child.kill("SIGTERM");
  await over;
});

broken.run();
