/** Illegal calls of value conveyors, in every state: see states.ts. */
import type { ConveyorOptions } from "../../../../src/route/geometry/options.ts";
import type { Play, Seat } from "./seats.ts";
import { freed, type Table, walk, wrong } from "./states.ts";

/** Values that are serialized, larger than a buffer. */
export function* valueStates(pe: Seat, options: ConveyorOptions): Play {
  const c = pe.valueConveyor<unknown>(options);
  const next = (c.rank + 1) % c.size;
  const previous = (c.rank + c.size - 1) % c.size;
  const large = "x".repeat((options.bufferBytes ?? 16384) + 100);
  const working = {
    ...wrong(c.push.bind(c) as never, [large]),
    // before the value is looked at
    ...wrong(c.push.bind(c) as never, [() => {}]),
    "push past the last": [() => c.push(c.size, large), "RANGE"],
  } as Table;
  const same = () => {
    const { from, text } = c.value as { from: number; text: string };
    return c.from === previous && from === previous && text === large;
  };
  yield* walk(c, () => c.push(next, { from: c.rank, text: large }), same, working);
  c.free();
  freed(c, () => c.push(next, 1));
}

/** Arrays. */
export function* arrayStates(pe: Seat, options: ConveyorOptions): Play {
  const c = pe.valueConveyor({ ...options, of: Float32Array });
  const next = (c.rank + 1) % c.size;
  const previous = (c.rank + c.size - 1) % c.size;
  const sent = new Float32Array(5).fill(c.rank);
  const gone = new Float32Array(4);
  structuredClone(gone, { transfer: [gone.buffer] });
  const others = {
    nothing: undefined,
    null: null,
    "an array of another type": new Float64Array(5),
    "an array of numbers": [1, 2],
    "a view of no type": new DataView(new ArrayBuffer(8)),
    "what only looks like one": Object.create(Float32Array.prototype),
    "what is another": Object.setPrototypeOf(new Uint8Array(8), Float32Array.prototype),
    "an array whose buffer was transferred": gone,
  };
  const misfits = Object.fromEntries(
    Object.entries(others).map(([name, value]) => [`push of ${name}`, [() => c.push(0, value), "USAGE"]]),
  );
  const working = { ...wrong(c.push.bind(c) as never, [sent]), ...misfits } as unknown as Table;
  const same = () =>
    c.from === previous && c.value.length === 5 && c.value.every((x) => x === previous) && c.bytes.length === 20;
  yield* walk(c, () => c.push(next, sent), same, working);
  c.free();
  freed(c, () => c.push(next, sent));
}
