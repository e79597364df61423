/** Calls that cannot be right are refused before anything is sent. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../src/ground/base/package-file.ts";
import { launchPooled } from "../support/thread-pool.ts";
import type { Thrown } from "./programs/misuse.program.ts";

const program = sibling("./programs/misuse.program.js", import.meta.url);
const MESSAGES: Readonly<Record<string, RegExp>> = {
  root: /^root: expected a rank from 0 to \d+, got /,
  combined: /(xpected a bigint of 64 bits|take a number, a bigint or a typed array).* got /,
  op: /op.*expected.* got |Expected an op(erator)? .* got /i,
  pair: /^minloc and maxloc: expected \{ value, index \}, a number and a whole number, got \{ value: .*, index: .* \}\./,
  list: /^reduceScatter: expected a list of numbers, of bigints or of \{ value, index \}, got .* as entry \d+\./,
  scatter: /^algorithm: (min|max)loc is by scatter only, got (tree|exchange)\. Leave it out\./,
  clone: /^Expected a (value that can be cloned|bigint of 64 bits)/,
  parts: /expected .*(list|multiple).* got /,
  timeout: /^timeout: expected a number of milliseconds > 0, got /,
  signal: /^signal: expected an AbortSignal, got /,
  options:
    /^barrier: (expected an object, got (5|"soon"|null)|unknown option 'timeOut'; did you mean 'timeout'\? Known options: timeout, signal, algorithm)/,
  algorithm: /^algorithm: \w+: unknown algorithm .*[.?] Known algorithms: /,
  choice: /^algorithm: only broadcast, reduce, allreduce have a choice; \w+ got .*\. Leave it out\. \[/,
};

const misuse = suite("wrong calls");
for (const pes of [1, 3]) {
  misuse(`are refused at once, with what was expected and what came, ${pes} PEs`, async () => {
    const all = await launchPooled<Thrown[]>(program, { pes, waitTimeout: 20_000 });
    for (const thrown of all) {
      assert.ok(thrown.length > 300);
      for (const { call, name, code, message } of thrown) {
        const what = `${call}: ${name}: ${message}`;
        assert.equal([name, code], ["UsageError", "ERR_TUNDISH_USAGE"], what);
        assert.match(message, MESSAGES[call.split(" ")[0]], what);
      }
    }
  });
}
misuse.run();
