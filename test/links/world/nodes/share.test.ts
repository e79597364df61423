/** Who lives where, and on which CPUs. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { MAX_NODE_PES, mailboxTag, rendezvousTag } from "../../../../src/links/transport/messages/tags.ts";
import { type Nodes, nodeOf } from "../../../../src/links/transport/nodes.ts";
import type { Hello } from "../../../../src/links/world/nodes/said.ts";
import { shareOf, startsOf } from "../../../../src/links/world/nodes/share.ts";
import { UNKNOWN_COSTS } from "../../../../src/machine/model/node-costs.ts";

const hello = (pes: number | null, cpus: readonly number[], host = "a"): Hello => ({
  ...{ pes, cpus, host, checks: true, onLoss: "end" as const, heap: null, channel: "ump" as const },
  ...{ plan: "none", machine: "m" },
  measured: UNKNOWN_COSTS,
  costs: { alpha: 1, overhead: 1, near: 1, mpi: null },
});

const share = suite("shares of a machine");

share("each on a machine of its own", () => {
  const hellos = [hello(null, [0, 1, 2, 3]), hello(3, [0, 1], "b")];
  assert.equal(startsOf(hellos), [0, 4, 7]);
  assert.equal(shareOf(hellos, 0), { pes: 4, first: 0, cores: 4, shared: false });
  assert.equal(shareOf(hellos, 1), { pes: 3, first: 0, cores: 2, shared: false });
});

share("two on one: half of the CPUs each, unless they are told", () => {
  const cpus = [0, 2, 4, 6];
  const hellos = [hello(null, cpus), hello(null, cpus)];
  assert.equal(startsOf(hellos), [0, 2, 4]);
  assert.equal(shareOf(hellos, 1), { pes: 2, first: 2, cores: 2, shared: true });
  const many = [hello(4, cpus), hello(4, cpus), hello(1, [1], "a")];
  assert.equal(shareOf(many, 1), { pes: 4, first: 0, cores: 2, shared: true });
  assert.equal(shareOf(many, 2), { pes: 1, first: 0, cores: 1, shared: false });
});

share("more processes than CPUs: one PE each", () => {
  const hellos = Array.from({ length: 3 }, () => hello(null, [0, 1]));
  assert.equal(startsOf(hellos), [0, 1, 2, 3]);
  assert.equal(shareOf(hellos, 2), { pes: 1, first: 0, cores: 2 / 3, shared: true });
});

share("more PEs on a node than tags tell apart are refused", () => {
  assert.throws(() => startsOf([hello(MAX_NODE_PES + 1, [0])]), /at most 1024 .* got 1025 on node 0/);
});

share("the node of a rank", () => {
  const nodes: Nodes = { node: 0, starts: [0, 3, 4, 9] };
  assert.equal(
    Array.from({ length: 9 }, (_, rank) => nodeOf(nodes, rank)),
    [0, 0, 0, 1, 2, 2, 2, 2, 2],
  );
});

share("tags of mailboxes and of what goes apart never meet, and fit all libraries", () => {
  const most = mailboxTag(MAX_NODE_PES - 1);
  assert.ok(mailboxTag(0) > 0);
  for (const n of [0, 1, 2 ** 31, -1, 2 ** 32 - 1, 8_380_415, 8_380_414]) {
    assert.ok(rendezvousTag(n) > most && rendezvousTag(n) < 2 ** 23, `${n}: ${rendezvousTag(n)}`);
  }
});
share.run();
