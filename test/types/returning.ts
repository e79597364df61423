/** Functions that are called in the middle of something: none may return a promise. */

import { expectTypeOf } from "expect-type";
import { type AtOnce, type PE, u32 } from "tundish";
import {
  biconveyor,
  calls,
  conveyor,
  elasticBiconveyor,
  elasticConveyor,
  PUT_BACK,
  selector,
  valueConveyor,
} from "tundish/conveyor";
import { exchange } from "tundish/exchange";

expectTypeOf<Promise<void>>().not.toExtend<AtOnce>();
expectTypeOf<PromiseLike<number>>().not.toExtend<AtOnce>();
expectTypeOf<Map<string, number>>().toExtend<AtOnce>();
expectTypeOf<() => number>().toExtend<AtOnce>();
expectTypeOf<undefined | number[] | typeof PUT_BACK>().toExtend<AtOnce>();

const nothing = (): void => {};

/** Compiled only. */
export function returning(pe: PE): void {
  const list: number[] = [];
  const map = new Map<number, number>();
  const c = conveyor(pe, u32);
  // what comes of an expression is of no interest
  c.run(
    (push) => list.forEach((x) => void push(0, x)),
    (x) => list.push(x),
  );
  c.run(
    () => {},
    (x) => map.set(x, 1),
  );
  c.run(
    () => {},
    (x) => (x > 3 ? PUT_BACK : undefined),
  );
  // @ts-expect-error an async sink
  c.run(nothing, async () => {});
  c.run(
    // @ts-expect-error an async source
    async () => {},
    () => {},
  );
  // @ts-expect-error a sink that returns a promise
  elasticConveyor(pe).run(nothing, () => Promise.resolve());
  // @ts-expect-error an async sink
  valueConveyor<string>(pe).run(nothing, async () => {});
  // @ts-expect-error an async sink
  biconveyor(pe, u32, u32, (x) => x).run(nothing, async () => {});
  // @ts-expect-error an async answer
  biconveyor(pe, u32, u32, async (x) => x);
  // @ts-expect-error an async answer
  elasticBiconveyor(pe, async (x) => x);
  const s = selector(pe, { a: u32 });
  s.run(() => {}, { a: (x) => list.push(x) });
  // @ts-expect-error an async handler
  s.run(() => {}, { a: async () => {} });
  // @ts-expect-error an async handler
  s.run(() => {}, { async a() {} });
  // an async source where one may be
  void s.runAsync(async () => {}, { a() {} });
  // @ts-expect-error an async handler beside an async source
  void s.runAsync(async () => {}, { async a() {} });
  calls(pe, { a: (x: number) => list.push(x) });
  // @ts-expect-error an async handler
  calls(pe, { async a() {} });
  // @ts-expect-error a typed handler that is async
  calls(pe, { a: { args: u32, async run(_x: number) {} } });
  // @ts-expect-error an async source
  calls(pe, { a() {} }).run(async () => {});
  const x = exchange(pe);
  x.serviceQueue(({ bytes }) => bytes.slice());
  // @ts-expect-error async: the bytes are gone when it returns
  x.serviceQueue(async () => {});
}
