/** Messages over a network by itself, without PEs. */
import * as assert from "uvu/assert";
import type { SimulatedNetwork } from "../../../../src/plan/network/network.ts";
import { networkOf } from "../../../../src/plan/network/network-settings.ts";
import { Network, type NetworkUse } from "../../../../src/running/simulate/network/network.ts";
import { Timeline } from "../../../../src/running/simulate/time/timeline.ts";

export interface TestMessage {
  readonly from: number;
  readonly to: number;
  readonly bytes: number;
  /** @default 0 */
  readonly at?: number;
  /** The PE that takes it. @default `to` */
  readonly pe?: number;
  /** @default false */
  readonly isControl?: boolean;
  /** Messages of one keep their order. @default that of the pair */
  readonly link?: number;
}

export interface Played {
  /** By message: when it arrived. */
  readonly times: readonly number[];
  /** When the last one did. */
  readonly time: number;
  readonly use: NetworkUse;
  readonly events: number;
}

export interface Surroundings {
  readonly seed?: number;
  readonly jitter?: number;
  /** When a node takes packets again, if it does not take them from the start. */
  readonly stalls?: Readonly<Record<number, number>>;
}

/** Nothing takes time but what is said. */
const NOTHING = { alpha: 0, beta: 0, receiver: 0 };

export function playTraffic(
  network: SimulatedNetwork,
  nodes: number,
  messages: Iterable<TestMessage>,
  { seed = 1, jitter = 0, stalls = {} }: Surroundings = {},
): Played {
  const timeline = new Timeline(seed, jitter);
  const settings = networkOf({ ...NOTHING, ...network }, nodes, undefined);
  assert.ok(settings.congestion, "a network that can be congested");
  const net = new Network(timeline, settings, settings.congestion, nodes, (node) => stalls[node] ?? 0);
  const times: number[] = [];
  // as messages of one link, so that those of a pair keep their order
  const arrivals = new Float64Array(nodes * nodes);
  let sent = 0;
  for (const { from, to, bytes, at = 0, pe = to, isControl = false, link = from * nodes + to } of messages) {
    const number = sent++;
    times.push(Number.NaN);
    const deliver = (time: number) => {
      assert.ok(Number.isNaN(times[number]), `message ${number} arrived twice`);
      times[number] = time;
    };
    // the order in which a node sends is that of its departures
    net.send({ from, to, pe, bytes, deliver, times: arrivals, isControl, link }, at + number * 1e-6);
  }
  let events = 0;
  for (let event = timeline.next(); event !== undefined; event = timeline.next()) {
    event.run();
    events++;
  }
  assert.not.ok(times.some(Number.isNaN), "every message arrived");
  return { times, time: times.reduce((a, b) => Math.max(a, b), 0), use: net.use(), events };
}

/** Each node sends `count` messages to each other one; in round r to the one r after it. */
export function* allToAll(nodes: number, bytes: number, count = 1): Generator<TestMessage> {
  for (let i = 0; i < count; i++) {
    for (let round = 1; round < nodes; round++) {
      for (let from = 0; from < nodes; from++) yield { from, to: (from + round) % nodes, bytes };
    }
  }
}

export function near(actual: number, expected: number, part = 0.05): void {
  assert.ok(
    Math.abs(actual - expected) <= part * expected,
    `expected ${expected} within ${100 * part} %, got ${actual} (${(actual / expected).toFixed(3)})`,
  );
}
