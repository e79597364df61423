/** Entries, logs and sessions against plain models; messages that are cut off or wrong. */
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { CommandSessions } from "../../../../src/facilities/agree/sessions.ts";
import { MessageBatch } from "../../../../src/facilities/agree/wire/batch.ts";
import { readConfig, writeConfig } from "../../../../src/facilities/agree/wire/config.ts";
import { COMMAND, ENTRY, type EntryHead, NOTHING, skipEntries } from "../../../../src/facilities/agree/wire/entries.ts";
import { CommandLog } from "../../../../src/facilities/agree/wire/log.ts";
import { FORWARD, HEADER, IncomingMessage, LEARN } from "../../../../src/facilities/agree/wire/message.ts";
import { reachChildren, Trees } from "../../../../src/facilities/agree/wire/tree.ts";
import { MismatchError } from "../../../../src/ground/base/errors.ts";
import { rounds } from "../../../support/long.ts";
import { SEED } from "../../../support/sample.ts";

const wire = suite("messages of agreement");
const settings = { seed: SEED, numRuns: rounds(200, 20_000) };

const heads: fc.Arbitrary<EntryHead> = fc.record({
  origin: fc.nat(0xffff),
  kind: fc.constantFrom(COMMAND, NOTHING),
  incarnation: fc.nat(2 ** 31),
  sequence: fc.integer({ min: 1, max: 2 ** 52 }),
  back: fc.nat(65_535),
});
const commands = fc.uint8Array({ maxLength: 40 });

wire("entries are read as they were written", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(heads, commands), { maxLength: 20 }), fc.nat(100), (entries, room) => {
      const batch = new MessageBatch(room);
      for (const [head, command] of entries) batch.add(head, command);
      const message = batch.finish({ kind: FORWARD, epoch: 7, index: 2 ** 50, extra: entries.length });
      const incoming = new IncomingMessage();
      incoming.open(3, message);
      assert.equal(
        [incoming.from, incoming.kind, incoming.epoch, incoming.index, incoming.extra],
        [3, FORWARD, 7, 2 ** 50, entries.length],
      );
      const { view, bytes } = incoming;
      let at = HEADER;
      for (const [head, command] of entries) {
        assert.is(view.getUint32(at, true), command.length);
        assert.equal(
          {
            origin: view.getUint16(at + 4, true),
            kind: view.getUint8(at + 6),
            incarnation: view.getUint32(at + 8, true),
            sequence: view.getFloat64(at + 12, true),
            back: view.getUint32(at + 20, true),
          },
          { ...head },
        );
        const next = skipEntries(view, at, 1);
        assert.equal([...bytes.subarray(at + ENTRY, next)], [...command]);
        at = next;
      }
      assert.is(at, bytes.length);
      // cut off anywhere, it is refused
      for (let length = HEADER; length < bytes.length; length++) {
        const cut = bytes.slice(0, length);
        assert.throws(() => skipEntries(new DataView(cut.buffer), HEADER, entries.length), isMismatch);
      }
    }),
    settings,
  );
});

const isMismatch = (error: unknown): boolean => error instanceof MismatchError;

wire("messages and configurations that are too short are refused", () => {
  for (const length of [0, 1, HEADER - 1])
    assert.throws(() => new IncomingMessage().open(0, new Uint8Array(length)), isMismatch);
  const view = new DataView(new ArrayBuffer(16));
  const config = { epoch: 5, leader: 1, acceptor: 65_535, top: 2 ** 40 + 1 };
  writeConfig(view, 0, config);
  assert.equal(readConfig(view, 0), config);
  assert.throws(() => readConfig(view, 1), isMismatch);
});

/** A message of entries whose bytes tell which they are. */
function entriesOf(count: number, salt: number): Uint8Array {
  const batch = new MessageBatch(8);
  for (let i = 0; i < count; i++) {
    const head = { origin: 0, kind: COMMAND, incarnation: 1, sequence: salt + i, back: 0 };
    batch.add(head, new Uint8Array((salt + i) % 5).fill(i));
  }
  return batch.finish({ kind: LEARN }).slice();
}

/** The entries of bytes, each as text. */
function listOf(bytes: Uint8Array, at: number, count: number): string[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const list: string[] = [];
  for (let i = 0; i < count; i++) {
    const next = skipEntries(view, at, 1);
    list.push(bytes.slice(at, next).join());
    at = next;
  }
  return list;
}

wire("a log, as a list would", () => {
  const step = fc.oneof(
    fc.record({ append: fc.integer({ min: 1, max: 6 }) }),
    fc.record({ cut: fc.nat(8) }),
    fc.record({ drop: fc.nat(12) }),
    fc.record({ skip: fc.nat(12) }),
    fc.record({ copy: fc.nat(200) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const log = new CommandLog();
      const list: string[] = [];
      for (const [i, step] of steps.entries()) {
        const size = log.end - log.base;
        if ("append" in step) {
          const bytes = entriesOf(step.append, 100 * i + 1);
          list.length = log.end;
          list.push(...listOf(bytes, HEADER, step.append));
          log.append(step.append, bytes, HEADER);
        } else if ("cut" in step) log.cutTo(Math.max(log.base, log.end - step.cut));
        else if ("drop" in step) {
          const to = Math.min(log.end, log.base + step.drop);
          log.dropTo(to);
          assert.ok(log.base <= to);
        } else if ("skip" in step) {
          const to = log.base + step.skip;
          log.skipTo(to);
          assert.ok(log.base <= to && log.end >= to);
          while (list.length < log.end) list.push("");
        } else if (size > 0) {
          const from = log.base + 1 + (step.copy % size);
          const { count, bytes } = log.copy(from, log.end, step.copy, 3);
          assert.ok(count >= 1 || step.copy === 0);
          assert.equal(listOf(bytes, 3, count), list.slice(from - 1, from - 1 + count));
        }
        for (let index = log.base + 1; index <= log.end; index++) {
          const segment = log.segmentOf(index);
          const at = segment.offsetOf(index);
          assert.equal(listOf(segment.bytes, at, 1), [list[index - 1]]);
        }
      }
    }),
    settings,
  );
});

wire("sessions: each command once and in order; a snapshot has all of it", () => {
  const command = fc.record({
    origin: fc.nat(2),
    incarnation: fc.integer({ min: 1, max: 3 }),
    sequence: fc.integer({ min: 1, max: 9 }),
    back: fc.nat(5),
  });
  fc.assert(
    fc.property(fc.array(command, { maxLength: 80 }), fc.nat(80), (commands, at) => {
      let sessions = new CommandSessions(3, 4);
      const last = new Map<number, [number, number]>();
      const replies = new Map<string, Uint8Array>();
      for (const [i, { origin, incarnation, sequence, back }] of commands.entries()) {
        if (i === at) {
          const other = new CommandSessions(3, 4);
          other.decode(sessions.encode());
          assert.equal(other.encode(), sessions.encode());
          sessions = other;
        }
        const [life, before] = last.get(origin) ?? [0, 0];
        const admits = (incarnation === life && sequence === before + 1) || (incarnation > life && sequence === 1);
        assert.is(sessions.admit(origin, incarnation, sequence, back), admits);
        // a later life ends the earlier one even with a command that does not apply
        if (!admits && incarnation > life) last.set(origin, [incarnation, 0]);
        if (!admits) continue;
        last.set(origin, [incarnation, sequence]);
        const reply = Uint8Array.of(origin, incarnation, sequence);
        sessions.keep(origin, reply);
        replies.set(`${origin} ${sequence}`, reply);
        for (let open = Math.max(1, sequence - Math.min(back, 3)); open <= sequence; open++) {
          // of those that may be open, as far as earlier ones have not said otherwise
          const kept = sessions.replyTo(origin, open);
          if (kept.length > 0) assert.equal(kept, replies.get(`${origin} ${open}`));
        }
        assert.equal(sessions.replyTo(origin, sequence), reply);
      }
      const bytes = sessions.encode();
      if (bytes.length > 60)
        assert.throws(() => new CommandSessions(3, 4).decode(bytes.subarray(0, bytes.length - 1)), isMismatch);
    }),
    settings,
  );
});

wire("trees: everybody who lives is reached once, whoever is lost or slow", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 12 }), fc.infiniteStream(fc.nat()), (size, draws) => {
      const draw = (n: number) => (draws.next().value as number) % n;
      const children: number[][] = Array.from({ length: size }, () => []);
      for (let i = 1; i < size; i++) children[draw(i)]?.push(i);
      const ability = Array.from({ length: size }, () => draw(3) as 0 | 1 | 2);
      const tree = new Trees(() => children, size).of(0);
      const reached = new Array(size).fill(0);
      const visit = (member: number): void =>
        reachChildren(tree, member, {
          ability: (child) => ability[child] as 0 | 1 | 2,
          only: (child) => reached[child]++,
          relay: (child) => {
            reached[child]++;
            visit(child);
          },
        });
      visit(0);
      for (let member = 1; member < size; member++) assert.is(reached[member], ability[member] === 0 ? 0 : 1);
      // without a tree, the root sends to all
      const star = new Trees(undefined, size).of(size - 1);
      assert.equal(
        [...(star[size - 1] as number[])].sort((a, b) => a - b),
        Array.from({ length: size - 1 }, (_, i) => i),
      );
    }),
    settings,
  );
});

wire.run();
