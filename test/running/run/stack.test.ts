/** The stack of an error that ends a run: it leads to the line that waits for the run. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { launch } from "../../../src/index.ts";

const test = suite("stacks of runs");
const module = new URL("./ahead.program.js", import.meta.url);

async function waitFor(options: Parameters<typeof launch>[1] & object): Promise<unknown> {
  return await launch(module, options);
}

test("it names the caller, within the ten lines that Node.js keeps", async () => {
  const ends = [{ signal: AbortSignal.abort("no") }, { signal: AbortSignal.timeout(1) }, { args: "fail" }];
  for (const end of ends) {
    const error = await waitFor({ pes: 2, ...end }).then(
      () => null,
      (error: Error) => error,
    );
    assert.match(error?.stack ?? "", /waitFor/);
  }
});

test.run();
