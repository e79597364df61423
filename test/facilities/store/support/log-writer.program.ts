/** A process that appends records to a log until it is killed. It tells each batch when the log has it: one line, its last record. */
import { writeSync } from "node:fs";
import { openLog } from "../../../../src/facilities/store/log/open.ts";
import type { FsyncPolicy } from "../../../../src/facilities/store/log/options.ts";
import { recordsFrom, stateOf } from "./folders.ts";

const [folder, fsync] = process.argv.slice(2) as [string, FsyncPolicy];
const log = openLog(folder, { fsync, segmentBytes: 1000 });
const { snapshotIndex, records } = log.recovered;
const wrong = records.findIndex(({ index, command }, i) => {
  const [expected] = recordsFrom(snapshotIndex + 1 + i, snapshotIndex + 1 + i);
  return index !== expected?.index || Buffer.compare(command, expected.command) !== 0;
});
if (wrong >= 0) throw new Error(`record ${wrong} is not as it was written`);
writeSync(1, `found ${log.lastIndex}\n`);
for (let at = log.lastIndex; ; ) {
  const count = 1 + (at % 5);
  log.append(recordsFrom(at + 1, at + count));
  at += count;
  writeSync(1, `${at}\n`);
  if (at % 50 < count) log.truncate(at - 10 > snapshotIndex ? at - 10 : at, stateOf(at));
}
