/** Plays of shared objects on threads, several in a world. */
import { type PE, type Spmd, spmd } from "../../../../src/index.ts";
import { type Play, playKind } from "./play.ts";

async function main(pe: PE, args: unknown): Promise<void> {
  for (const play of args as readonly Play[]) {
    try {
      await playKind(pe, play);
    } catch (error) {
      throw new Error(`${JSON.stringify(play)}: ${(error as Error).stack}`, { cause: error });
    }
  }
}

const program: Spmd = spmd(main);
export default program;
