/** One random history of a group of replicas: all of it follows from the seed. */
import type { ReplicaOptions } from "../../../../src/facilities/agree/options.ts";
import { Group } from "./group.ts";
import { Random } from "./network.ts";

/** What came of it. */
export interface Outcome {
  readonly epochs: number;
  readonly lost: number;
  readonly restored: number;
  /** Whether what must survive did, so that all went on. */
  readonly wentOn: boolean;
}

/** A tree in which each member's parent is a random one of those before it, in a random order. */
export function randomTree(random: Random, size: number): (root: number) => number[][] {
  const trees = Array.from({ length: size }, (_, root) => {
    const order = Array.from({ length: size }, (_, i) => (root + i) % size);
    const children: number[][] = order.map(() => []);
    for (let i = 1; i < size; i++) children[order[random.whole(0, i - 1)] as number]?.push(order[i] as number);
    return children;
  });
  return (root) => trees[root] as number[][];
}

/** @param lossy whether members are lost at any time; otherwise a next one only when the others have come to terms with the last */
export function randomRun(seed: number, lossy: boolean): Outcome {
  const random = new Random(seed * 2 + (lossy ? 1 : 0));
  const size = random.pick([2, 3, 3, 4, 5, 5, 6, 7]);
  const suspectAfter = random.pick([3, 20, 50]);
  const replica: ReplicaOptions = {
    suspectAfter,
    window: random.pick([1, 3, 16, 1024]),
    batchBytes: random.pick([1, 100, 65_536]),
    backlogBytes: random.pick([500, 2 ** 20]),
    snapshotEvery: random.pick([1, 5, 30, 65_536]),
    treeFor: random.chance(0.6) ? randomTree(random, size) : undefined,
    leader: random.whole(0, size - 1),
  };
  const group = new Group({
    network: {
      size,
      seed,
      delay: random.pick([0.2, 1, 5]),
      late: random.pick([0, 0.01, 0.1]),
      noticed: random.pick([0, 5, 500]),
      room: random.pick([300, 2 ** 16]),
    },
    replica: { ...replica, acceptor: ((replica.leader as number) + random.whole(1, size - 1)) % size },
    ballast: random.pick([0, 0, 0, 600_000]),
    commandBytes: random.pick([8, 8, 40]),
  });
  const { network } = group;
  const most = lossy && random.chance(0.2) ? size - 1 : Math.floor((size - 1) / 2);
  const losses = random.whole(0, most);
  let lost = 0;
  const steps = random.whole(20, 120);
  const [stalls, idles] = [random.pick([0, 0.05, 0.2]), random.pick([0.1, 1, 5])];
  for (let step = 0; step < steps; step++) {
    const { living } = group;
    for (let i = random.whole(0, 3); i > 0; i--) group.propose(random.pick(living));
    if (random.chance(0.1)) group.sync(random.pick(living));
    if (random.chance(stalls))
      network.stall(random.pick(living), suspectAfter * random.pick([0.5, 2, 6]) * random.next());
    if (lost < losses && random.chance(0.08) && (lossy || group.isWhole)) {
      const known = group.replicas[random.pick(living)];
      network.lose(
        random.pick([known?.leader ?? 0, known?.acceptor ?? 0, random.pick(living)].filter((x) => living.includes(x))),
      );
      lost++;
    }
    network.run(network.now + idles * random.next());
  }
  // the faults end
  network.calm();
  const finished = group.finish(200 * suspectAfter + 20_000);
  const wentOn = group.mayGoOn;
  if (wentOn && !finished) {
    const states = group.replicas.map((replica, rank) => {
      const { epoch, leader, acceptor, committed, applied } = replica;
      return `${rank}${network.isLost(rank) ? " lost" : ""}: ${epoch} (${leader}, ${acceptor}) ${committed} ${applied}`;
    });
    throw new Error(`seed ${seed}: does not go on: ${group.open} open; ${states.join("; ")}`);
  }
  return {
    epochs: Math.max(...group.living.map((rank) => group.replicas[rank]?.epoch ?? 0)),
    lost,
    restored: group.machines.reduce((sum, { restored }) => sum + restored, 0),
    wentOn,
  };
}
