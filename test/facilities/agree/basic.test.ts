/** Replicas on a virtual network without faults, and with one loss after the other. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Replica } from "../../../src/facilities/agree/replica.ts";
import { Group } from "./support/group.ts";

const basic = suite("replicas");

for (const size of [1, 2, 3, 5]) {
  basic(`${size} without faults`, () => {
    const group = new Group({ network: { size, seed: size } });
    for (let i = 0; i < 100; i++) {
      group.propose(i % size);
      if (i % 10 === 0) group.sync((i * 7) % size);
      group.network.run(group.network.now + 0.3);
    }
    assert.ok(group.finish(1000));
    assert.is(group.order.commands.length, 100);
    assert.is(group.answers, 110);
    assert.is(group.replicas[0]?.epoch, 1);
  });
}

/** Who is lost: the role that it has when it is. */
type Role = "leader" | "acceptor" | "other";
const ROLES: readonly Role[] = ["leader", "acceptor", "other"];

function lostInTurn(size: number, roles: readonly Role[]): void {
  const group = new Group({ network: { size, seed: 7 } });
  const propose = () => {
    for (let i = 0; i < 20; i++) {
      for (const rank of group.living) group.propose(rank);
      group.network.run(group.network.now + 0.2);
    }
  };
  for (const role of roles) {
    propose();
    const { leader, acceptor } = group.replicas[group.living[0] as number] as Replica;
    const other = group.living.find((rank) => rank !== leader && rank !== acceptor) as number;
    group.network.lose({ leader, acceptor, other }[role]);
    propose();
    assert.ok(group.finish(5000), `after the ${role}`);
    assert.ok(group.isWhole);
  }
}

for (const first of ROLES) {
  basic(`of 3, the ${first}`, () => lostInTurn(3, [first]));
  for (const second of ROLES) {
    basic(`of 5, the ${first}, then the ${second}`, () => lostInTurn(5, [first, second]));
    for (const third of ROLES) {
      basic(`of 7, the ${first}, the ${second}, the ${third}`, () => lostInTurn(7, [first, second, third]));
    }
  }
}

basic.run();
