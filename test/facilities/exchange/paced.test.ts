/** A pace: kept on average, so that PEs that began in step stay so; in virtual time. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { machines } from "../../../packages/tundish-bench/src/traffic/machines.ts";
import { runTraffic } from "../../../packages/tundish-bench/src/traffic/run.ts";

const test = suite("paces");

const NODES = 16;
// receivers that are slower than senders, and nothing else between them
const { network } = machines.alewife;
const machine = {
  ...{ ...machines.alewife, nodes: NODES, network: { ...network, processor: false, control: false } },
};
const [blockBytes, blocks, packetBytes] = [16_384, 4 * (NODES - 1), 2016];
const HEAD = 32;
const wire = blocks * Math.ceil(blockBytes / packetBytes) * HEAD + blocks * blockBytes;

const timeAt = (pace: number): number =>
  runTraffic({
    machine,
    discipline: "interleaved",
    pattern: "all pairs",
    blockBytes,
    blocks,
    options: { packetBytes, buffersPerLink: 2, pace },
  }).time;

test("late packets are made up for: a phase takes hardly longer than its pace", () => {
  const pace = 26e6;
  const ratio = timeAt(pace) / ((wire / pace) * 1e9);
  // 1.18 where each late packet delays all that follow, as senders then meet at receivers and hold up each other
  assert.ok(ratio < 1.05, `${ratio}`);
});

test("no faster than the pace, but for the packet that may be made up for", () => {
  for (const pace of [1e6, 10e6]) {
    const least = ((wire - 2 * (packetBytes + HEAD)) / pace) * 1e9;
    const time = timeAt(pace);
    assert.ok(time >= least, `${time}, at least ${least}`);
  }
});

test.run();
