/** A call of a group over nodes. A class, as every call of a program makes one: a literal with a spread takes 2 us. */
import type { Call } from "../calls/call.ts";
import type { Engine } from "../calls/engine.ts";
import { type Operation, type Routine, RoutineOperation } from "../team/operation.ts";
import type { Hierarchy } from "./hierarchy.ts";

/** What the steps of a call need. */
export interface Course {
  readonly hierarchy: Hierarchy;
  /** Of this PE's part. */
  readonly engine: Engine;
  readonly tag: number;
}

/** The parts of a course that are the same for all calls. */
export type Ground = Omit<Course, "tag">;

/** Messages between the steps are of this call. */
export class ClusterCall<T> implements Call<T> {
  readonly word: number;
  readonly count: number;
  readonly root: number;
  readonly straight: ((tag: number) => T) | undefined;
  readonly #ground: Ground;
  readonly #routine: (course: Course) => Routine<T>;

  /** @param straight does the same, blocking; undefined where the routine is to be run for that as well */
  constructor(
    ground: Ground,
    word: number,
    count: number,
    root: number,
    routine: (course: Course) => Routine<T>,
    straight?: (tag: number) => T,
  ) {
    this.word = word;
    this.count = count;
    this.root = root;
    this.#ground = ground;
    this.#routine = routine;
    this.straight =
      straight &&
      ((tag) => {
        ground.hierarchy.begin(tag, word, count, root);
        return straight(tag);
      });
  }

  begin(tag: number): Operation<unknown> {
    const { hierarchy, engine } = this.#ground;
    hierarchy.begin(tag, this.word, this.count, this.root);
    return new RoutineOperation(this.#routine({ hierarchy, engine, tag }));
  }

  finish(result: unknown): T {
    return result as T;
  }
}
