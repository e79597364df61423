/** Parts that are loaded when a call needs them, without waiting; and before, where that cannot be done. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Late, loadParts } from "../../../../src/ground/base/thread/late.ts";

type Room = typeof import("../../../../src/ground/base/thread/room.ts");

const test = suite("late parts");
const load = (): Promise<Room> => import("../../../../src/ground/base/thread/room.ts");
const canRequire = (process.features as { readonly require_module?: boolean }).require_module === true;

test("a part is there at once, and is what an import gives", async () => {
  let imports = 0;
  const path = "../../../../src/ground/base/thread/room.js";
  const part = new Late<Room>(path, import.meta.url, () => {
    imports++;
    return load();
  });
  await loadParts();
  assert.is(imports, canRequire ? 0 : 1);
  assert.is(part.now.whyNoMemory, (await load()).whyNoMemory);
  assert.is(part.now, part.now);
});

test("where it cannot be loaded at once, it is loaded when the thread begins", async () => {
  // sources, which something compiles on the way
  const part = new Late<Room>("./none.js", "file:///a/b.ts", load);
  assert.throws(() => part.now, /loadParts/);
  await loadParts();
  assert.is(part.now.whyNoMemory, (await load()).whyNoMemory);
});

test.run();
