/**
 * What test/run.mjs has every node process of the tests begin with, and every thread: Node's warnings go into a file,
 * also those of processes whose output a test keeps to itself. Ours have a code of ours, and are tested where they are
 * given.
 */
const { appendFileSync } = require("node:fs");

const file = process.env.TUNDISH_TEST_WARNINGS;

process.on("warning", ({ name, code, message }) => {
  if (file === undefined || code?.startsWith("TUNDISH_")) return;
  try {
    appendFileSync(file, `${JSON.stringify({ warning: `${name}: ${message}`, by: process.argv.slice(1) })}\n`);
  } catch {
    // without permission, or with a folder that is gone as the test is over
  }
});
