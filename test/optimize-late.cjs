/**
 * What test/run.mjs has every node process of the tests begin with: V8 optimizes a function after 15 times as much work as
 * it would otherwise. Most processes of tests are so short that compiling was half of their CPU time; what is long gets
 * its optimized code still. The option is one of V8 as Node 20 has it.
 */
const { setFlagsFromString } = require("node:v8");
const { isMainThread } = require("node:worker_threads");

// for all threads of the process
if (isMainThread && process.version.startsWith("v20.")) setFlagsFromString("--interrupt-budget=1000000");
