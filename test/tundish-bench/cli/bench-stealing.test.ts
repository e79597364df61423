/** `tundish bench stealing`: in the simulator, so what it says is the same each time. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { printStealing } from "../../../packages/tundish-bench/src/cli/text/loops/stealing-text.ts";
import { type StealingCase, simulateStealing } from "../../../packages/tundish-bench/src/loops/stealing.ts";
import { stealingMachines } from "../../../packages/tundish-bench/src/smelt/fixtures.ts";
import { selectPEs } from "../../../src/machine/model/select.ts";
import { cliHere } from "../../interface/cli/support/cli.ts";
import { Kept } from "../../interface/cli/support/kept.ts";

const test = suite("cli bench stealing");

test("on two packages nearest first is no slower than random victims, and moves less data between them", async () => {
  const [machine] = await stealingMachines();
  assert.ok(machine !== undefined);
  const cases = await simulateStealing({ machines: [machine], quick: true });
  const [{ pes, packages, ideal, nearest, random }] = cases as [StealingCase];
  assert.equal([pes, packages], [64, 2]);
  for (const { us, steals, far, bytes } of [nearest, random]) {
    assert.ok(us > ideal && us < 2 * ideal, `${us} of ${ideal}`);
    assert.ok(steals > 64 && far > 0 && far < steals && bytes > 0);
  }
  assert.ok(nearest.us <= random.us, `${nearest.us} ${random.us}`);
  assert.ok(nearest.far < random.far);
  assert.ok(nearest.bytes < random.bytes);
  const output = new Kept({});
  printStealing(cases, output);
  assert.match(
    output.text,
    /^Of 1 cases with several packages nearest first is no slower in 1, and moves no more data between packages in 1\.$/m,
  );
  // in one package nothing is far
  const half = selectPEs(
    machine,
    machine.pes.flatMap((pe, row) => (pe.package === 0 ? row : [])),
  );
  const [one] = await simulateStealing({ machines: [half], quick: true });
  assert.equal([one?.packages, one?.nearest.far, one?.random.bytes], [1, 0, 0]);
});

test("the help says what is measured", async () => {
  const { code, stdout } = await cliHere(["bench", "stealing", "--help"]);
  assert.is(code, 0);
  assert.match(stdout, /tundish bench stealing --machines machine\.json --json/);
});

test.run();
