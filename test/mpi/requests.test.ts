/** What MPI is asked for content that is longer than what it can count, 2^31 - 1 bytes: without the memory being touched. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { OPEN_MPI } from "../../src/mpi/abi.ts";
import type { Mpi } from "../../src/mpi/mpi.ts";
import { Requests } from "../../src/mpi/requests.ts";

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
requests.run();
