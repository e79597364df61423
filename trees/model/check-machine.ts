/**
 * Checks a machine model given as an object: all fields that trees are derived from. A model from a file has passed a
 * stricter check already (src/machine/model/schema.ts). This one is loaded by every PE, and allows fields to be missing
 * that trees do not need.
 *
 * Example: `send: [[0, 1], [1, -1]]` is rejected with `send.1.1: expected a number >= 0, got -1`.
 */
import { ModelError, sentenceOf } from "../../src/ground/base/errors.ts";
import { shortText } from "../../src/ground/base/short-text.ts";
import { checkCpus } from "../../src/machine/model/cpus.ts";
import type { MachineModel } from "../../src/machine/model/machine-model.ts";
import { checkMatrix, checkRelay } from "../../src/machine/model/matrix.ts";
import { checkVersion } from "../../src/machine/model/version.ts";

const NUMBERS = ["cpu", "core", "l3", "numa", "package"] as const;
const ADVICE = "Measure the machine again, or correct the model.";

/** Checks a machine model. @throws ModelError for an invalid one; its `path` is the place */
export function checkMachine(machine: unknown): asserts machine is MachineModel {
  checkCosts(machine);
  advised(() => checkCpus(machine.pes));
}

/** As {@link checkMachine}, but PEs may share CPUs: for a world with more PEs than cores. */
export function checkCosts(machine: unknown): asserts machine is MachineModel {
  const { schema, name, unit, pes, send, receive, propagate, relay, noise } = (machine ?? {}) as Partial<MachineModel>;
  if (!Array.isArray(pes)) {
    const found = machine === null || typeof machine !== "object" ? shortText(machine) : "one without pes";
    throw new ModelError(
      "",
      `Expected a machine model, an object with pes, send and receive, got ${found}. readMachine() reads one, profile() measures one.`,
    );
  }
  // optional in a model that a program makes
  if (schema !== undefined) checkVersion(schema);
  expect(typeof name === "string", "name", "a string", name);
  expect(unit === "ns" || unit === "cycles", "unit", '"ns" or "cycles"', unit);
  expect(pes.length > 0, "pes", "one or more PEs", pes);
  for (let i = 0; i < pes.length; i++) checkPE(pes[i], `pes.${i}`);
  if (noise !== undefined) checkNoise(noise);
  advised(() => {
    checkMatrix("send", send, pes.length);
    checkMatrix("receive", receive, pes.length);
    if (propagate !== undefined) checkMatrix("propagate", propagate, pes.length);
    if (relay !== undefined) checkRelay(relay, pes.length);
  });
}

function checkPE(pe: unknown, path: string): void {
  const isObject = typeof pe === "object" && pe !== null;
  expect(isObject, path, "a PE {cpu, core, numa, package}", pe);
  for (const field of NUMBERS) {
    const value = (pe as Record<string, unknown>)[field];
    if (value === undefined || (value === null && field !== "cpu")) continue;
    const isIndex = Number.isSafeInteger(value) && (value as number) >= 0;
    expect(isIndex, `${path}.${field}`, `an integer >= 0${field === "cpu" ? "" : " or null"}`, value);
  }
}

/** Checks the data that denoising uses. */
function checkNoise(noise: unknown): void {
  expect(typeof noise === "object" && noise !== null, "noise", "an object with its spread", noise);
  const { spread } = noise as { spread?: unknown };
  const isAmount = typeof spread === "number" && spread >= 0 && Number.isFinite(spread);
  expect(spread === undefined || isAmount, "noise.spread", "a number >= 0", spread);
}

function expect(holds: boolean, path: string, what: string, found: unknown): void {
  if (!holds) throw new ModelError(path, `${path}: expected ${what}, got ${shortText(found)}. ${ADVICE}`);
}

/** Adds advice to the errors of checks shared with files, whose errors name the file instead. */
function advised(check: () => void): void {
  try {
    check();
  } catch (cause) {
    if (!(cause instanceof ModelError)) throw cause;
    throw new ModelError(cause.path, `${sentenceOf(cause)}. ${ADVICE}`, { cause });
  }
}
