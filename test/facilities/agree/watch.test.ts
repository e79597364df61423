/** Suspicion: silence is noticed by a replica that waits in between, and is not by one that was not polled itself. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Watch } from "../../../src/facilities/agree/watch.ts";
import type { Members } from "../../../src/facilities/messages/members.ts";

const watching = suite("watching members");

/** Members of which only the time and the losses matter. */
function stub(): { now: number; lost: number; watch: Watch } {
  const state = { now: 1000, lost: -1, watch: undefined as unknown as Watch };
  const members = {
    rank: 0,
    size: 3,
    get now() {
      return state.now;
    },
    isLost: (member: number) => member === state.lost,
  };
  state.watch = new Watch(members as Partial<Members> as Members, 100);
  return state;
}

watching("a silent member is suspected, by a replica that is polled as seldom as it asks for", () => {
  const state = stub();
  for (let i = 0; i < 5; i++) {
    assert.not.ok(state.watch.isSuspected(1, state.now));
    state.now += 20.5;
    state.watch.heard(2, state.now);
    assert.equal(state.watch.look(state.now), []);
  }
  assert.ok(state.watch.isSuspected(1, state.now));
  assert.not.ok(state.watch.isSuspected(2, state.now));
  state.watch.heard(1, state.now);
  assert.not.ok(state.watch.isSuspected(1, state.now));
});

watching("a replica that was not polled suspects nobody for that", () => {
  const state = stub();
  state.now += 500;
  state.watch.look(state.now);
  assert.not.ok(state.watch.isSuspected(1, state.now));
  state.now += 40;
  state.watch.look(state.now);
  state.now += 45;
  state.watch.look(state.now);
  state.now += 45;
  state.watch.look(state.now);
  assert.ok(state.watch.isSuspected(1, state.now));
});

watching("a lost member is told once", () => {
  const state = stub();
  state.lost = 2;
  assert.equal(state.watch.look(state.now), [2]);
  assert.equal(state.watch.look(state.now), []);
  assert.ok(state.watch.isLost(2) && state.watch.isSuspected(2, state.now));
  assert.is(state.watch.living, 2);
});

watching.run();
