/** What calls on arrays and values need beside those on numbers: loaded by the first of them (team/late-calls.ts). */
export { DataAlgorithms } from "./calls/data-algorithms.ts";
export { explainDecisions } from "./calls/explain.ts";
export { KeptCalls } from "./calls/kept-calls.ts";
export { NodeBackend } from "./calls/node-backend.ts";
export { HeapArrays } from "./heap-arrays.ts";
export { heapBoards } from "./team/heap-boards.ts";
export { Payload } from "./team/payload.ts";
