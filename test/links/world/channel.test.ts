/** The kind of channels of a world: the option, else TUNDISH_CHANNEL, else UMP; the same for its groups. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ChannelKind } from "../../../src/ground/base/channel-kinds.ts";
import { FastForwardSender } from "../../../src/ground/channel/fastforward.ts";
import { UmpSender } from "../../../src/ground/channel/ump.ts";
import { createWorld, join, UsageError, type WorldOptions } from "../../../src/index.ts";

const channels = suite("kinds of channels");

/** How often messages of each kind were sent while `work` ran. */
async function sent(work: () => Promise<void>): Promise<Record<ChannelKind, number>> {
  const counts = { ump: 0, fastforward: 0 };
  const senders = { ump: UmpSender.prototype, fastforward: FastForwardSender.prototype };
  for (const kind of ["ump", "fastforward"] as const) {
    const { publish } = senders[kind];
    senders[kind].publish = function (tag) {
      counts[kind]++;
      publish.call(this as never, tag);
    };
    restores.push(() => {
      senders[kind].publish = publish;
    });
  }
  try {
    await work();
    return counts;
  } finally {
    for (const restore of restores.splice(0)) restore();
  }
}
const restores: (() => void)[] = [];

/** Which kind the collectives of a world of two PEs, and of a group of them, run on. */
async function kindOf(options: WorldOptions): Promise<ChannelKind> {
  using host = await createWorld({ pes: 2, heapBytes: 2 ** 24, ...options });
  using a = await join(host.ticket(0));
  using b = await join(host.ticket(1));
  const pes = [a, b];
  const groups = pes.map((pe) => pe.group([1, 0]));
  const counts = await sent(async () => {
    for (const [first, second] of [pes, groups]) {
      assert.equal(await Promise.all([first.allreduceAsync(1, "sum"), second.allreduceAsync(2, "sum")]), [3, 3]);
    }
  });
  const [kind] = (Object.keys(counts) as ChannelKind[]).filter((one) => counts[one] > 0);
  assert.is(counts[kind], 4, JSON.stringify(counts));
  for (const one of [...pes, ...groups]) assert.match(one.explain(), new RegExp(`^channels: ${kind}$`, "m"));
  return kind;
}

channels("the option wins over TUNDISH_CHANNEL; UMP without both", async () => {
  try {
    assert.is(await kindOf({}), "ump");
    assert.is(await kindOf({ channel: "fastforward" }), "fastforward");
    process.env.TUNDISH_CHANNEL = "fastforward";
    assert.is(await kindOf({}), "fastforward");
    assert.is(await kindOf({ channel: "ump" }), "ump");
  } finally {
    delete process.env.TUNDISH_CHANNEL;
  }
});

channels("what is no kind is refused, in the option and in the variable", async () => {
  const failure = (options: WorldOptions) =>
    createWorld(options).then(
      () => assert.unreachable("a world was made") as never,
      (error: Error) => error,
    );
  for (const channel of ["smoke", "UMP", null, 1]) {
    const error = await failure({ channel: channel as never });
    assert.instance(error, UsageError);
    assert.match(error.message, /^channel: expected one of "ump", "fastforward", got /);
  }
  process.env.TUNDISH_CHANNEL = "pipe";
  try {
    const error = await failure({});
    assert.instance(error, UsageError);
    assert.match(error.message, /^TUNDISH_CHANNEL: expected ump or fastforward, got "pipe"/);
  } finally {
    delete process.env.TUNDISH_CHANNEL;
  }
});

channels.run();
