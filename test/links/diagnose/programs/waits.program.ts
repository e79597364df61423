/**
 * PE 1 waits in one call after another for PE 0, which is in a barrier or waits for PE 2. PE 2 looks on, and says when
 * it has seen the waits, so nothing depends on time.
 */

import { openReplica, openTwoPhaseCommit, type Replica, type TwoPhaseCommit } from "../../../../src/agree.ts";
import { type AppendBuffer, appendBuffer } from "../../../../src/append.ts";
import { diagnose, type Group, type PE, type Spmd, spmd, TimeoutError, u32 } from "../../../../src/index.ts";
import {
  type ByteChannel,
  channel as channelOf,
  type ItemChannel,
  type Messenger,
  messenger as messengerOf,
  type OrderedBroadcast,
  orderedBroadcast,
} from "../../../../src/messages.ts";
import { openStore, type Store } from "../../../../src/store.ts";

const machine = { apply: () => new Uint8Array(1), snapshot: () => new Uint8Array(0), restore() {} };
const party = { vote: () => true, decide() {} };
const BYTE = Uint8Array.of(1);
const BIG = new Uint8Array(2 ** 21);
/** Longer than a test: nobody is taken for lost. */
const FOR_EVER = 1e6;

/** What two PEs make together. */
interface Kit {
  readonly g: Group;
  readonly channel: ByteChannel;
  readonly items: ItemChannel;
  readonly messenger: Messenger;
  readonly ordered: OrderedBroadcast;
  readonly append: AppendBuffer;
  readonly store: Store;
  readonly replica: Replica;
  readonly commit: TwoPhaseCommit;
}

const kitOf = (g: Group): Kit => ({
  g,
  channel: channelOf(g, 1 - g.rank, { name: "pipe", partBytes: 64, slots: 2 }),
  items: channelOf(g, 1 - g.rank, { item: u32 }),
  messenger: messengerOf(g, { name: "mail" }),
  ordered: orderedBroadcast(g, { name: "news", slots: 2, partBytes: 64 }),
  append: appendBuffer(g, 64, { name: "log" }),
  store: openStore(g, { agreement: { suspectAfter: FOR_EVER } }),
  replica: openReplica(g, machine, { suspectAfter: FOR_EVER }),
  commit: openTwoPhaseCommit(g, party, { voteWithin: FOR_EVER }),
});

/** A call of PE 1. */
interface Case {
  /** As it is told. */
  readonly told: string;
  /** @param timeout ms */
  readonly call: (kit: Kit, timeout: number) => unknown;
  /** What PE 0 does to let it end; without, it ends by its limit, and PE 0 is in a barrier. */
  readonly release?: (kit: Kit) => unknown;
}

const drain = ({ channel }: Kit) => {
  for (let i = 0; i < 20; i++) channel.receive();
};
const take = ({ messenger }: Kit) => {
  for (let i = 0; i < 2; i++) messenger.receive();
};
const deliver = ({ ordered }: Kit) => {
  for (let i = 0; i < 20; i++) ordered.deliver();
};

export const CASES: readonly Case[] = [
  {
    told: 'receive of the channel "pipe" to PE 0',
    call: ({ channel }, timeout) => channel.receive({ timeout }),
  },
  {
    told: 'receiveAsync of the channel "pipe" to PE 0',
    call: ({ channel }, timeout) => channel.receiveAsync({ timeout }),
  },
  { told: "receive of the channel to PE 0", call: ({ items }, timeout) => items.receive({ timeout }) },
  {
    told: 'send of the channel "pipe" to PE 0',
    call({ channel }) {
      for (let i = 0; i < 20; i++) channel.send(BYTE);
    },
    release: drain,
  },
  {
    told: 'sendAsync of the channel "pipe" to PE 0',
    async call({ channel }) {
      for (let i = 0; i < 20; i++) await channel.sendAsync(BYTE);
    },
    release: drain,
  },
  {
    told: 'receive (tag 7) of the messenger "mail"',
    call: ({ messenger }, timeout) => messenger.receive({ from: 0, tag: 7, timeout }),
  },
  {
    told: 'receiveAsync of the messenger "mail"',
    call: ({ messenger }, timeout) => messenger.receiveAsync({ timeout }),
  },
  {
    told: 'send (tag 3) of the messenger "mail"',
    call({ messenger }) {
      for (let i = 0; i < 2; i++) messenger.send(0, BIG, 3);
    },
    release: take,
  },
  {
    told: 'sendAsync (tag 4) of the messenger "mail"',
    async call({ messenger }) {
      for (let i = 0; i < 2; i++) await messenger.sendAsync(0, BIG, 4);
    },
    release: take,
  },
  {
    told: 'deliver of the ordered broadcast "news"',
    call: ({ ordered }, timeout) => ordered.deliver({ timeout }),
  },
  {
    told: 'deliverAsync of the ordered broadcast "news"',
    call: ({ ordered }, timeout) => ordered.deliverAsync({ timeout }),
  },
  {
    told: 'submitAsync of the ordered broadcast "news"',
    async call({ ordered }) {
      const submit = async () => {
        for (let i = 0; i < 20; i++) await ordered.submitAsync(BYTE);
      };
      const receive = async () => {
        for (let i = 0; i < 20; i++) await ordered.deliverAsync();
      };
      await Promise.all([submit(), receive()]);
    },
    release: deliver,
  },
  {
    told: 'waitUntil of the append buffer "log"',
    call: ({ append }, timeout) => append.waitUntil({ bytes: 1 }, { timeout }),
  },
  {
    told: 'waitUntilAsync of the append buffer "log"',
    call: ({ append }, timeout) => append.waitUntilAsync({ messages: 1 }, { timeout }),
  },
  { told: 'set of "a" in the store', call: ({ store }, timeout) => store.set("a", "1", { timeout }) },
  {
    told: 'setAsync of "a" in the store',
    call: ({ store }, timeout) => store.setAsync("a", "2", { timeout }),
  },
  { told: 'getLatest of "a" in the store', call: ({ store }, timeout) => store.getLatest("a", { timeout }) },
  { told: "syncAsync in the store", call: ({ store }, timeout) => store.syncAsync({ timeout }) },
  { told: "close in the store", call: ({ store }) => store.close(), release: ({ store }) => store.close() },
  { told: "wait of the replica", call: ({ replica }, timeout) => replica.proposeAndWait(BYTE, { timeout }) },
  { told: "waitAsync of the replica", call: ({ replica }, timeout) => replica.syncAsync({ timeout }) },
  {
    told: "wait of the two-phase commit",
    call: ({ commit }, timeout) => commit.wait(commit.propose(BYTE), { timeout }),
  },
  {
    told: "waitAsync of the two-phase commit",
    call: ({ commit }, timeout) => commit.waitAsync(commit.propose(BYTE), { timeout }),
  },
  {
    told: "allreduce sum of a number",
    call: ({ g }) => g.allreduce(1, "sum"),
    release: ({ g }) => g.allreduce(1, "sum"),
  },
  {
    told: "gather of a value at root 1 in the group of PE 0, 1",
    call: ({ g }) => g.gatherAsync("x", 1),
    release: ({ g }) => g.gatherAsync("x", 1),
  },
  {
    told: "alloc of 8 bytes in the group of PE 0, 1",
    call: ({ g }) => g.alloc(Uint8Array, 8),
    release: ({ g }) => g.alloc(Uint8Array, 8),
  },
  {
    told: "split",
    call: ({ g }) => g.split(0)?.leave(),
    release: ({ g }) => g.split(0)?.leave(),
  },
];

/** What PE 2 has seen in each case, in the same look: the line of PE 1, and a circle with it. */
export type Seen = readonly (readonly [line: string, circle: string])[];

/** Looks at a case, and how often: a few ms each. */
const LOOKS = 10_000;
const LOOK_MS = 3;

function look(seen: Int32Array, go: () => void): Seen {
  const never = new Int32Array(new SharedArrayBuffer(4));
  return CASES.map(({ told, release }, i) => {
    let shown: Seen[number] = ["", ""];
    for (let left = LOOKS; left > 0; left--) {
      const { text } = diagnose(0);
      const lines = text.split("\n");
      const line = lines.find((one) => one.startsWith("  PE 1: ") && one.includes(`in ${told}`));
      // what a PE has reported may be over, if it has had no CPU since
      const begin = "PE 0 waits in a circle: for PE 1 in barrier";
      const circle = lines.find((one) => one.startsWith(begin) && one.includes(`in ${told}`));
      shown = [line ?? text, circle ?? text];
      if (line !== undefined && (circle !== undefined || release !== undefined)) break;
      Atomics.wait(never, 0, 0, LOOK_MS);
    }
    // pairs with the load at PE 1
    Atomics.store(seen, 0, i + 1);
    if (release !== undefined) go();
    return shown;
  });
}

/** Calls again and again, with longer limits, until PE 2 has seen it. @returns what the limit has said */
async function limited(call: (timeout: number) => unknown, isSeen: () => boolean): Promise<string> {
  for (let timeout = 100, error = ""; ; timeout *= 2) {
    try {
      await call(timeout);
    } catch (thrown) {
      if (!(thrown instanceof TimeoutError)) throw thrown;
      error = thrown.message;
    }
    if (isSeen() && error !== "") return error;
  }
}

/** PE 1 waits in a receive for PE 0, which is in a barrier; PE 2 makes no call. */
async function stuck(pe: PE): Promise<never> {
  if (pe.rank === 0) pe.barrier();
  else if (pe.rank === 1) channelOf(pe, 0).receive();
  return new Promise(() => setTimeout(() => {}, FOR_EVER));
}

async function main(pe: PE, args: unknown): Promise<Seen | string[]> {
  if (args === "stuck") return stuck(pe);
  const seen = pe.allocShared(Int32Array, 1);
  const go = pe.rank === 1 ? null : channelOf(pe, 2 - pe.rank, { name: "go" });
  const g = pe.group(pe.rank === 2 ? [2] : [0, 1]);
  if (pe.rank === 2) return look(seen, () => go?.send(BYTE));
  const kit = kitOf(g);
  const errors: string[] = [];
  for (const [i, { call, release }] of CASES.entries()) {
    if (pe.rank === 1) {
      const isSeen = () => Atomics.load(seen, 0) > i; // pairs with the store of PE 2
      if (release === undefined) errors.push(await limited((timeout) => call(kit, timeout), isSeen));
      else await call(kit, 0);
    } else if (release !== undefined) {
      go?.receive();
      await release(kit);
    }
    if (release === undefined) g.barrier();
  }
  kit.replica.close();
  kit.commit.close();
  return errors;
}

const program: Spmd = spmd(main);
export default program;
