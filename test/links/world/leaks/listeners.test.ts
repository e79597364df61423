/** What a world listens to, and that it stops: events of its threads, of the process, of another thread. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { RankLostError } from "../../../../src/ground/base/errors.ts";
import { sibling } from "../../../../src/ground/base/package-file.ts";
import { launch } from "../../../../src/running/launch/launch.ts";
import { open } from "../../../../src/running/launch/open.ts";
import { createWorld, join } from "../../../../src/running/launch/world.ts";
import { grace } from "../../../../src/running/run/running-world.ts";

const warnings: string[] = [];
const hear = ({ name, message }: Error): void => void warnings.push(`${name}: ${message}`);
/** How many listeners each event of the process has. */
const listeners = (): string =>
  process
    .eventNames()
    .map((name) => `${String(name)} ${process.listenerCount(name)}`)
    .sort()
    .join(", ");

const test = suite("listeners");
test.before(() => void process.on("warning", hear));
test.after(() => void process.off("warning", hear));

test("a thread that does not end for long is listened to once", async () => {
  const { ms } = grace;
  grace.ms = 5;
  const error = await launch(sibling("./listeners.program.js", import.meta.url), { pes: 3 }).catch(
    (error: unknown) => error,
  );
  grace.ms = ms;
  assert.instance(error, RankLostError);
  assert.equal(warnings, []);
});

test("worlds that are there at once, and one after the other", async () => {
  const program = sibling("../../../ground/wait/stay.program.js", import.meta.url);
  const args = { value: 1 };
  // what stays for the life of the process
  await launch(program, { pes: 1, args });
  const before = listeners();
  const worlds = await Promise.all(Array.from({ length: 12 }, () => open({ pes: 1 })));
  for (const world of worlds) assert.equal(await world.run(program, { args }), [1]);
  await Promise.all(worlds.map((world) => world.close()));
  for (let i = 0; i < 12; i++) {
    const pe = await join((await createWorld({ pes: 1 })).ticket(0));
    pe.leave();
  }
  assert.is(listeners(), before);
  assert.equal(warnings, []);
});

test.run();
