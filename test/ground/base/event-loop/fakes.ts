/** Fake timers, as test runners install them in a thread. */
import { mock } from "node:test";

/** All that a library can fake: Jest and Vitest use it. */
async function sinonTimers(): Promise<() => void> {
  // not by its types: they need those of browsers
  const name = "@sinonjs/fake-timers";
  const { install, timers } = (await import(name)).default;
  const clock = install({ toFake: Object.keys(timers) });
  return () => clock.uninstall();
}

async function nodeTimers(): Promise<() => void> {
  const { emitWarning } = process;
  // in some versions of Node.js: it is experimental
  process.emitWarning = () => {};
  try {
    mock.timers.enable({ apis: ["setTimeout", "setInterval", "setImmediate", "Date"] });
  } finally {
    process.emitWarning = emitWarning;
  }
  return () => mock.timers.reset();
}

export type FakeName = "node:test" | "sinon";

/** By name: what installs them, and gives what removes them. */
export const FAKES: Readonly<Record<FakeName, () => Promise<() => void>>> = {
  "node:test": nodeTimers,
  sinon: sinonTimers,
};
