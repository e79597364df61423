/** Checks of options: what is unknown, what is meant, and where something is wrong. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { UsageError } from "../../../src/ground/base/errors.ts";
import { unknownName } from "../../../src/ground/base/names.ts";
import { checkLaunchOptions } from "../../../src/running/run/options.ts";
import { settle } from "../../../src/running/simulate/options.ts";

const options = suite("options");

const refusal = (call: () => void): string => {
  try {
    call();
  } catch (error) {
    assert.instance(error, UsageError);
    return (error as Error).message.replace(" [ERR_TUNDISH_USAGE]", "");
  }
  return "";
};
const launching = (given: unknown): string => refusal(() => checkLaunchOptions(given as never));
const simulating = (given: unknown): string => refusal(() => settle(given as never));

options("an unknown option is told with the one that was probably meant", () => {
  for (const name of ["workers", "threads", "processes", "np", "Pes", "pess"]) {
    assert.match(
      launching({ [name]: 2 }),
      `launch: unknown option '${name}'; did you mean 'pes'? Known options: pes, machine, trees`,
    );
  }
  assert.match(launching({ colour: 1 }), /^launch: unknown option 'colour'\. Known options: pes, /);
  assert.match(launching({ timeOut: 1 }), /did you mean 'timeout'\?/);
  assert.match(launching({ heap: 1 }), /did you mean 'heapBytes'\?/);
});

options("names of programs are not looked up among the aliases of options, nor in a prototype", () => {
  assert.is(
    unknownName("mailbox", "other", ["constructor", "toString"]),
    "unknown mailbox 'other'. Known mailboxes: constructor, toString",
  );
  assert.is(unknownName("mailbox", "model", ["machine"]), "unknown mailbox 'model'. Known mailboxes: machine");
});

options("names that are long or no names are told", () => {
  assert.is(unknownName("mailbox", 3, ["a", "b"]), "unknown mailbox 3. Known mailboxes: a, b");
  assert.ok(unknownName("option", "x".repeat(1e6), ["pes"]).length < 200);
});

options("what is no object is told, and what is left out or undefined passes", () => {
  for (const given of [null, 5, "pes", [1]]) {
    assert.match(launching(given), /^launch: expected an object, got /);
  }
  for (const given of [{}, { pes: undefined }, { pes: 2, timeout: Number.POSITIVE_INFINITY }]) {
    assert.is(launching(given), "");
  }
});

options("a wrong option is told by its place, with what was expected and what came", () => {
  for (const [given, message] of [
    [{ pes: 0 }, "pes: expected a whole number from 1 to 4096, got 0"],
    [{ pin: "no" }, 'pin: expected true or false, got "no"'],
    [{ timeout: 0 }, "timeout: expected a number of milliseconds > 0, got 0"],
    [{ signal: {} }, "signal: expected an AbortSignal, got {}"],
    [{ trace: "" }, 'trace: expected the path of a file, got ""'],
  ] as const) {
    assert.is(launching(given), message);
  }
});

options("a missing option is told by its own words, unless it is there under another name", () => {
  assert.is(simulating({}), "pes: expected a whole number >= 1, or a plan that must fit, got undefined");
  assert.is(simulating({ pes: 0 }), "pes: expected a whole number from 1 to 1048576, got 0");
  assert.match(simulating({ workers: 2 }), /^simulate: unknown option 'workers'; did you mean 'pes'\?/);
});

options("the place is told within nested options", () => {
  const pes = 4;
  assert.is(simulating({ pes, network: { alpha: -1 } }), "network.alpha: expected a number >= 0, got -1");
  assert.match(simulating({ pes, network: { alhpa: 1 } }), /^network: unknown option 'alhpa'; did you mean 'alpha'\?/);
  const fault = { pe: 1, at: 0, kind: "crash" };
  assert.is(
    simulating({ pes, faults: [fault, { ...fault, kind: "late" }] }),
    'faults.1.kind: expected one of "crash", "stall", got "late"',
  );
  assert.is(simulating({ pes, faults: [{ ...fault, pe: 4 }] }), "faults.0.pe: expected a rank from 0 to 3, got 4");
});

options.run();
