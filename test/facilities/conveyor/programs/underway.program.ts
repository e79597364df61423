/** A begin that is awaited, and what else the program calls meanwhile. */
import { biconveyor as biconveyorOf, conveyor as conveyorOf } from "../../../../src/conveyor.ts";
import { type PE, type Spmd, spmd, u32 } from "../../../../src/index.ts";

/** What calls come to, by name: "went on", or the code of the error without its beginning. */
type Outcomes = Record<string, string>;

const codeOf = (error: unknown): string =>
  String((error as { code?: unknown }).code ?? error).replace("ERR_TUNDISH_", "");

function outcomesOf(calls: Readonly<Record<string, () => unknown>>): Outcomes {
  const entries = Object.entries(calls).map(([name, call]): [string, string] => {
    try {
      call();
      return [name, "went on"];
    } catch (error) {
      return [name, codeOf(error)];
    }
  });
  return Object.fromEntries(entries);
}

/** The sessions of these begin with a vote. */
const VOTING = { type: "simple" } as const;

/** PE 0 awaits; PE 1 comes later, so that PE 0 has the time to do what it may not. */
async function conveyor(pe: PE): Promise<unknown> {
  const c = conveyorOf(pe, u32, VOTING);
  if (pe.rank > 0) {
    pe.barrier();
    c.begin();
    for (let sent = false; c.advance(sent); ) {
      sent ||= c.push(0, 5);
      while (c.pull());
    }
    c.reset();
    return null;
  }
  let sum = 0;
  const calls = {
    batches: () => c.batches(),
    begin: () => c.begin(),
    run: () =>
      c.run(
        () => {},
        () => {},
      ),
    push: () => c.push(0, 1),
    pull: () => c.pull(),
    advance: () => c.advance(true),
    reset: () => c.reset(),
    free: () => c.free(),
    using: () => c[Symbol.dispose](),
  };
  // made before the session begins, and asked for its first batch when it has
  const late = c.batches();
  const session = (async () => {
    for await (const { columns } of c.batches((push) => push(0, 2))) for (const item of columns) sum += item;
  })();
  const begin = { state: c.state as string, ...outcomesOf(calls), late: await late.next().catch(codeOf) };
  pe.barrier();
  await session;
  const { begins, pushes, pulls } = c.stats().cumulative;
  return { begin, after: `${c.state} ${sum} ${begins} ${pushes} ${pulls}` };
}

async function biconveyor(pe: PE): Promise<unknown> {
  const c = biconveyorOf(pe, u32, u32, (i) => i + 1, VOTING);
  if (pe.rank > 0) {
    pe.barrier();
    c.begin();
    while (c.advance(true));
    c.reset();
    return null;
  }
  const calls = {
    begin: () => c.begin(),
    push: () => c.push(0, 1),
    pull: () => c.pull(),
    advance: () => c.advance(true),
    reset: () => c.reset(),
    free: () => c.free(),
    using: () => c[Symbol.dispose](),
  };
  const more = () => c.runAsync(() => 0).catch(codeOf);
  const session = c.runAsync(() => c.ask(0, 1));
  const begin = { state: c.state as string, ...outcomesOf(calls), runAsync: await more() };
  pe.barrier();
  return { begin, after: `${await session} ${c.state}` };
}

/** Another session is asked for in the middle of one: the one goes on, and still lets the event loop have its turns. */
async function middle(pe: PE): Promise<unknown> {
  const c = biconveyorOf(pe, u32, u32, (i) => i + 1);
  return c.runAsync(async () => {
    const refused = await c.runAsync(() => 0).catch(codeOf);
    let ticks = 0;
    const timer = setInterval(() => ticks++, 1);
    let at = 0;
    while (ticks < 3) at = await c.ask((pe.rank + 1) % pe.size, at);
    clearInterval(timer);
    return refused;
  });
}

const program: Spmd = spmd(async (pe) => [await conveyor(pe), await biconveyor(pe), await middle(pe)]);
export default program;
