/** Messengers, channels, append buffers and ordered broadcasts in random programs. */

import { appendBuffer, appendBufferAsync } from "../../../src/append.ts";
import { channel, messenger as messengerOf, orderedBroadcast } from "../../../src/messages.ts";
import { mix } from "../../facilities/conveyor/support/payloads.ts";
import { type Play, Received, ranksOf, type Seat, same } from "./seat.ts";

const LENGTHS = [0, 8, 100, 3000];
/** Of what must find room where nobody takes it out yet. */
const SHORT = [0, 8, 40, 100];
const FEW = 20;

export const messenger: Play = async (seat) => {
  const { group, step, traffic, awaits } = seat;
  const { rank } = group;
  const m = await seat.object(() => messengerOf(group, step.options));
  for (const to of ranksOf(group)) {
    for (let i = 0; i < traffic.count(rank, to); i++) {
      const data = traffic.content(rank, to, i, traffic.bytes(rank, to, i, LENGTHS));
      if (awaits) await m.sendAsync(to, data, step.object);
      else m.send(to, data, step.object);
    }
  }
  const received = new Received(seat);
  return async () => {
    for (let n = 0; received.left > 0; n++) {
      const from = mix(traffic.value(rank, rank, 3), n) % group.size;
      const filter = received.leftOf(from) > 0 ? { from, tag: step.object } : { tag: step.object };
      const message = awaits ? await m.receiveAsync(filter) : m.receive(filter);
      received.takeBytes(message.from, message.bytes, LENGTHS);
    }
    received.end();
    // what the next step sends with this tag is not for this one
    if (awaits) await group.barrierAsync();
    else group.barrier();
  };
};

export const channels: Play = async (seat) => {
  const { group, step, traffic, awaits } = seat;
  const { rank } = group;
  const others = ranksOf(group).filter((other) => other !== rank);
  const all = await seat.object(() => {
    const made = others.map((other) => channel(group, other, step.options));
    const free = () => {
      for (const one of made) one.free();
    };
    return Object.assign(made, { free });
  });
  const countOf = (from: number, to: number) => Math.min(FEW, traffic.count(from, to));
  for (const [k, other] of others.entries()) {
    for (let i = 0; i < countOf(rank, other); i++) {
      const data = traffic.content(rank, other, i, traffic.bytes(rank, other, i, SHORT));
      if (awaits) await all[k]?.sendAsync(data);
      else all[k]?.send(data);
    }
  }
  return async () => {
    const received = new Received(seat);
    for (const [k, other] of others.entries()) {
      for (let i = 0; i < countOf(other, rank); i++) {
        const bytes = awaits ? await all[k]?.receiveAsync() : all[k]?.receive();
        received.takeBytes(other, bytes as Uint8Array, SHORT);
      }
    }
  };
};

/** What all PEs append to one: its bytes, and the sum of all values. */
function appended({ group, traffic }: Seat): { readonly bytes: number; readonly sum: number } {
  let [count, sum] = [0, 0];
  for (const from of ranksOf(group)) {
    for (const value of traffic.values(from, group.rank)) {
      count++;
      sum += value;
    }
  }
  return { bytes: 8 * count, sum };
}

export const append: Play = async (seat) => {
  const { group, step, traffic, awaits } = seat;
  const { rank } = group;
  const expected = appended(seat);
  const options = step.options;
  const a = await seat.object(() =>
    awaits ? appendBufferAsync(group, expected.bytes, options) : appendBuffer(group, expected.bytes, options),
  );
  for (const to of ranksOf(group)) {
    for (const value of traffic.values(rank, to)) {
      const data = Float64Array.of(value);
      if (awaits) await a.pushAsync(to, data);
      else a.push(to, data);
    }
  }
  return async () => {
    if (awaits) await a.waitUntilAsync({ bytes: expected.bytes });
    else a.waitUntil({ bytes: expected.bytes });
    same(
      "appended",
      a.data(Float64Array).reduce((sum, x) => sum + x, 0),
      expected.sum,
    );
  };
};

export const ordered: Play = async (seat) => {
  const { group, step, traffic, awaits } = seat;
  const { rank, size } = group;
  const b = await seat.object(() => orderedBroadcast(group, step.options));
  const countOf = (from: number) => Math.min(Math.floor(FEW / size), traffic.count(from, from));
  for (let i = 0; i < countOf(rank); i++) {
    const data = traffic.content(rank, rank, i, traffic.bytes(rank, rank, i, SHORT));
    if (awaits) await b.submitAsync(data);
    else b.submit(data);
  }
  return async () => {
    const next = new Array<number>(size).fill(0);
    const total = ranksOf(group).reduce((sum, from) => sum + countOf(from), 0);
    let order = 0;
    for (let n = 0; n < total; n++) {
      const bytes = (awaits ? await b.deliverAsync() : b.deliver()).slice();
      const i = next[b.from]++ as number;
      same(
        `message ${i} of ${b.from}`,
        bytes,
        traffic.content(b.from, b.from, i, traffic.bytes(b.from, b.from, i, SHORT)),
      );
      order = mix(order, b.from);
    }
    same("messages", next, ranksOf(group).map(countOf));
    const [least, most] = awaits
      ? [await group.allreduceAsync(order, "min"), await group.allreduceAsync(order, "max")]
      : [group.allreduce(order, "min"), group.allreduce(order, "max")];
    same("orders", most, least);
  };
};
