/** In which context each function of a program is called, while a call of another one is under way. */
import { AsyncLocalStorage } from "node:async_hooks";
import { type PE, type Spmd, spmd } from "../../../../src/index.ts";
import { FACILITIES } from "./facilities.ts";

/** By facility: the contexts that were seen. */
export type Contexts = Readonly<Record<string, readonly unknown[]>>;

export async function contextsOf(pe: PE): Promise<Contexts> {
  const storage = new AsyncLocalStorage<string>();
  const contexts: Record<string, readonly unknown[]> = {};
  const elsewhere = <T>(call: () => T): T => storage.run("elsewhere", call);
  // at PE 0 it is this wait whose loop looks at all later ones
  const beside = pe.group([0, 1]);
  const late = pe.rank === 0 ? elsewhere(() => beside.barrierAsync()) : null;
  for (const [name, facility] of Object.entries(FACILITIES)) {
    const seen = new Set<unknown>();
    const saw = () => void seen.add(storage.getStore() ?? "none");
    await storage.run(name, () => facility(pe, saw, elsewhere));
    contexts[name] = [...seen];
  }
  await (late ?? beside.barrierAsync());
  pe.post("over");
  return contexts;
}

const main: Spmd = spmd(contextsOf);
export default main;
