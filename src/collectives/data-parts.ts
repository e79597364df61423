/** What calls on arrays and values need beside those on numbers, as collectives take it; data-calls.ts has it. */
import type { CollectivesBackend } from "./calls/backend.ts";
import type { AlgorithmParts } from "./calls/data-algorithms.ts";
import type { CallEngine } from "./calls/engine.ts";
import type { KeptCalls } from "./calls/kept-calls.ts";
import type { HeapArrays } from "./heap-arrays.ts";
import type { Allocating } from "./own-memory.ts";
import type { Team } from "./team/team.ts";

/** Loaded by the first such call of a thread. */
export interface DataParts extends AlgorithmParts {
  readonly HeapArrays: new (group: Allocating) => HeapArrays;
  readonly KeptCalls: new (team: Team, backend: CollectivesBackend, isAlone: boolean) => KeptCalls;
  readonly NodeBackend: new (engine: CallEngine) => CollectivesBackend;
}
