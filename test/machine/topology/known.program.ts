/** Prints what a new process knows of its machine. */
import { knownTopology } from "../../../src/machine/topology/known.ts";

console.log(JSON.stringify(await knownTopology()));
