/** What MPI is asked for content that is longer than what it can count, 2^31 - 1 bytes: without the memory being touched. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { OPEN_MPI } from "../../../src/machine/mpi/abi.ts";
import type { Mpi } from "../../../src/machine/mpi/mpi.ts";
import { Requests } from "../../../src/machine/mpi/requests.ts";

const requests = suite("requests");

requests("no call of MPI is given more bytes than an int counts", () => {
  const counts: number[] = [];
  const begin = (_at: number, count: number): number => {
    counts.push(count);
    return 0;
  };
  const functions = { isend: begin, issend: begin, irecv: begin };
  const library = { abi: OPEN_MPI, functions, world: 1, byte: 1, requestNull: 1 };
  const some = new Requests({ library, check() {} } as unknown as Mpi, 4);
  const bytes = new Uint8Array(new SharedArrayBuffer(2 ** 31 + 5));
  some.send(0, bytes, 0, 1);
  some.sendSynchronously(1, bytes, 0, 1);
  some.receive(2, bytes, 0, 1);
  some.send(3, bytes, 0, 1, 2 ** 30);
  assert.equal(counts, [2 ** 30, 2 ** 30, 2 ** 30, 2 ** 30]);
  assert.is(some.active, 4);
});
requests("a prepared receive is told to MPI once, started again and again, and given up once", () => {
  const calls: string[] = [];
  const told =
    (name: string) =>
    (..._of: number[]): number => {
      calls.push(name);
      return 0;
    };
  const functions = {
    ...{ recvInit: told("init"), start: told("start"), requestFree: told("free") },
    test(request: number, completed: number, _status: number): number {
      calls.push(`test ${request === first ? 0 : 1}`);
      assert.type(completed, "number");
      return 0;
    },
  };
  const library = { abi: OPEN_MPI, functions, world: 1, byte: 1, requestNull: 1 };
  const some = new Requests({ library, check() {} } as unknown as Mpi, 2);
  const bytes = new Uint8Array(new SharedArrayBuffer(64));
  let first = 0;
  functions.recvInit = (...of: number[]) => {
    calls.push("init");
    first ||= of[6] as number;
    return 0;
  };
  some.prepare(0, bytes, -1, 1);
  some.prepare(1, bytes, -1, 1);
  some.start(0);
  some.start(1);
  assert.is(some.active, 2);
  assert.not(some.testOne(1));
  assert.is(some.active, 2);
  some.unprepare();
  some.unprepare();
  assert.equal(calls, ["init", "init", "start", "start", "test 1", "free", "free"]);
});
requests.run();
