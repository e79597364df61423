/** A counter that three clients count up, each by its own comparisons, while the replica of rank `lost` is lost on purpose. */
import { type PE, type Spmd, spmd } from "../../../src/index.ts";
import { openStore } from "../../../src/store.ts";

export const EACH = 15;

async function main(pe: PE, args: unknown): Promise<unknown> {
  const { lost } = args as { lost: number };
  const store = openStore(pe, { replicas: [0, 1, 2], agreement: { suspectAfter: 300 } });
  if (pe.rank === lost) {
    await store.serveAsync(() => Number(store.get("count") ?? 0) > EACH);
    throw new Error("lost on purpose");
  }
  if (store.isReplica) {
    await store.serveAsync(() => [3, 4, 5].every((rank) => store.get(`done ${rank}`) === "yes"));
    const count = store.get("count");
    await store.closeAsync();
    return count;
  }
  for (let i = 0; i < EACH; ) {
    const before = (await store.getLatestAsync("count")) as string | undefined;
    if (await store.compareAndSetAsync("count", before, String(Number(before ?? 0) + 1))) i++;
  }
  await store.setAsync(`done ${pe.rank}`, "yes");
  await store.closeAsync();
  return "counted";
}

const program: Spmd = spmd(main);
export default program;
