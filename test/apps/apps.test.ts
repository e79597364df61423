/** The programs in apps/: verified whatever the PEs, types and hops; a wrong result ends with exit code 1, wrong options with 2. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Report } from "../../apps/common.ts";
import { cli } from "../interface/cli/support/cli.ts";
import { LONG } from "../support/long.ts";
import { root } from "../support/paths.ts";
import { drawn } from "../support/sample.ts";
import { launchPooled } from "../support/thread-pool.ts";

const app = (name: string): string => join(root, "dist/apps", `${name}.js`);
const apps = ["histogram", "index-gather", "index-gather-pair"];

const WAYS: readonly string[][] = [
  ["--type", "trivial"],
  ["--type", "simple"],
  ["--type", "tensor"],
  ["--buffer-bytes", "64", "--buffers-per-link", "1"],
  ["--hops", "3"],
];
const ALL_PES = [1, 2, 3, 4];

/** What is tried with so many PEs: each way of each app with one number of PEs or another, in the long run with all. */
const waysOf = (app: string, pes: number): string[][] => [
  ...WAYS.filter((_, way) => LONG || (way + apps.indexOf(app)) % ALL_PES.length === pes - 1),
  ...(pes === 4 ? [["--hops", "2", "--group-size", "2"]] : []),
];

for (const name of apps) {
  const test = suite(`app ${name}`);
  const module = pathToFileURL(app(name));

  /** Runs it, and gives what PE 0 returned. */
  const run = async (pes: number, ...args: string[]): Promise<Report> => {
    const [report, ...others] = await launchPooled(module, { pes, args, waitTimeout: 60_000 });
    assert.ok(others.every((other) => other === undefined));
    return report as Report;
  };

  let checksum: number | undefined;
  for (const pes of ALL_PES) {
    test(`${pes} PEs, one result, whatever the way`, async () => {
      for (const way of waysOf(name, pes)) {
        const report = await run(pes, "--items", "3000", "--table", "501", ...way);
        checksum ??= report.checksum;
        const { app, errors, items, table, itemsPerSecond, gigabytesPerSecond } = report;
        assert.equal({ app, errors, items, table }, { app: name, errors: 0, items: 3000, table: 501 });
        assert.is(report.pes, pes);
        assert.is(report.checksum, checksum, way.join(" "));
        assert.ok(itemsPerSecond > 0 && gigabytesPerSecond >= 0);
      }
    });
  }

  test("fewer elements, and fewer items, than PEs; none at all", async () => {
    assert.is((await run(3, "--items", "100", "--table", "2")).errors, 0);
    assert.is((await run(3, "--items", "1", "--table", "7")).errors, 0);
    assert.is((await run(2, "--items", "0")).items, 0);
  });

  test("another seed is another result", async () => {
    const other = await run(2, "--items", "3000", "--table", "501", "--seed", "2");
    assert.is.not(other.checksum, checksum);
  });

  test("options that cannot be", async () => {
    for (const [args, message] of [
      [["--itms", "5"], /Unknown option '--itms'[\s\S]*--items, --table/],
      [["--items", "many"], /--items: expected a whole number from 0 to 4294967296, got many/],
      [["--type", "tensr"], /type: expected one of "trivial", "simple", "tensor", got "tensr"/],
      [["--hops", "4"], /--hops: expected a whole number from 1 to 3, got 4/],
      [["--mesh", "2x"], /--mesh: expected sizes from 1 on, such as 3x5x7, got 2x/],
    ] as const) {
      const error = await run(1, ...args).catch((error: unknown) => error);
      assert.match((error as Error).message, message);
    }
  });

  // in a plain run processes of one app, as what they do with its report and its errors is the same for all
  if (!LONG && name !== apps[drawn(apps.length, "processes")]) {
    test("a wrong result is an error, and how many", async () => {
      const error = await run(2, "--items", "9", "--spoil").catch((error: unknown) => error);
      assert.match((error as Error).message, `threw Error: ${name}: errors = 2, of 9 items, at 2 PEs`);
    });
    test.run();
    continue;
  }

  test("tundish run: one line, or one document", async () => {
    const args = ["--", "--items", "2000", "--hops", "2"];
    const { code, stdout, stderr } = await cli(["run", app(name), "-n", "2", ...args]);
    assert.is(code, 0, stderr);
    assert.match(stdout, new RegExp(`^0: \\{ app: '${name}', pes: 2, table: 40000, .*errors: 0 \\}\\n$`));
    const json = await cli(["run", app(name), "-n", "2", "--json", ...args]);
    const [report] = (JSON.parse(json.stdout) as { results: Report[] }).results;
    assert.is(report?.app, name);
  });

  test("a wrong result: exit code 1, and how many", async () => {
    const { code, stdout, stderr } = await cli(["run", app(name), "-n", "2", "--", "--items", "9", "--spoil"]);
    assert.is(code, 1);
    assert.is(stdout, "");
    assert.match(stderr, `threw Error: ${name}: errors = 2, of 9 items, at 2 PEs`);
  });

  test.run();
}

const words = suite("apps: the command line");

words("--help: what a program takes, and no run", async () => {
  const { code, stdout, stderr } = await cli(["run", app("histogram"), "-n", "2", "--", "--help"]);
  assert.is(code, 0, stderr);
  assert.match(stdout, /^Usage: tundish run histogram\.js \[-n PES\] -- \[options\]\n/);
  assert.match(stdout, /\n {2}--items <value> +whole, from 0 to 4294967296 \(default: 1000000\)\n/);
  assert.match(stdout, /\n {2}--spoil\n {2}--help +print this help\n/);
  assert.is(stdout.match(/Usage/g)?.length, 1);
  for (const line of stdout.split("\n")) assert.ok(line.length <= 80, line);
});

words("wrong words: one message, no stack, exit code 2", async () => {
  const { code, stdout, stderr } = await cli(["run", app("kvs"), "-n", "2", "--json", "--", "--ops", "many"]);
  const message = "--ops: expected a whole number from 1 to 2147483648, got many";
  assert.is(code, 2);
  assert.is(stderr, `error ERR_TUNDISH_USAGE: ${message}\n`);
  assert.is(JSON.parse(stdout).error.message, message);
});
words.run();

const mesh = suite("apps: options of conveyors in the report");

mesh("a mesh, and what else was given, so that reports can be told apart", async () => {
  for (const name of apps) {
    const run = async (pes: number, ...words: string[]): Promise<Report> => {
      const args = ["--items", "3e2", "--table", "50", ...words];
      return (await launchPooled(pathToFileURL(app(name)), { pes, args }))[0] as Report;
    };
    const { type, hops, mesh, adapt, bufferBytes } = await run(4, "--mesh", "2x2", "--buffer-bytes", "512");
    assert.equal([type, hops, mesh, adapt, bufferBytes], ["tensor", 2, [2, 2], undefined, 512]);
    const one = await run(3, "--mesh", "1,3", "--adapt");
    assert.equal([one.hops, one.mesh, one.adapt], [1, [1, 3], true]);
    const plain = await run(2);
    assert.equal([plain.hops, "mesh" in plain, "adapt" in plain], [1, false, false]);
  }
});

mesh.run();

const search = suite("app graph-search");
const searching = pathToFileURL(app("graph-search"));

search("threads and virtual PEs: the distances of a serial search", async () => {
  for (const pes of [1, 3]) {
    const args = ["--scale", "7", "--hops", "2"];
    const [report] = await launchPooled(searching, { pes, args, waitTimeout: 60_000 });
    const { errors, reached } = report as { errors: number; reached: number };
    assert.equal([errors, reached], [0, 119]);
  }
  const simulated = ["simulate", app("graph-search"), "--pes", "4", "--nodes", "2", "--args"];
  const { code, stdout, stderr } = await cli([...simulated, '["--scale", "7"]']);
  assert.is(code, 0, stderr);
  assert.match(
    stdout,
    /app: 'graph-search', pes: 4, scale: 7, edges: 2048, aggregate: 'on', reached: 119, .* errors: 0/,
  );
});

search("a wrong result, and options that cannot be", async () => {
  for (const [args, message] of [
    [["--scale", "4", "--spoil"], /graph-search: errors = 1, of \d+ messages, at 2 PEs/],
    [["--scale", "30"], /--scale: expected a whole number from 1 to 24, got 30/],
    [["--size", "3"], /Unknown option '--size'[\s\S]*--scale, --edges/],
  ] as const) {
    const error = await launchPooled(searching, { pes: 2, args: [...args] }).catch((error: unknown) => error);
    assert.match((error as Error).message, message);
  }
});

search.run();

const ranks = suite("app page-rank");
const ranking = pathToFileURL(app("page-rank"));

ranks("threads and virtual nodes, by allgather and by conveyor: the ranks of a serial run", async () => {
  const checksums = new Set<number>();
  for (const by of ["allgather", "conveyor"]) {
    // blocks of different lengths, and one that is empty
    for (const [pes, log2] of [
      [1, "7"],
      [3, "7"],
      [3, "1"],
    ] as const) {
      const args = ["--log2-vertices", log2, "--by", by];
      const [report] = await launchPooled(ranking, { pes, args, waitTimeout: 60_000 });
      const { errors, checksum } = report as { errors: number; checksum: number };
      assert.is(errors, 0);
      if (log2 === "7") checksums.add(checksum);
    }
    const simulated = ["simulate", app("page-rank"), "--pes", "6", "--nodes", "3", "--args"];
    const { code, stdout, stderr } = await cli([...simulated, `["--log2-vertices", "7", "--by", "${by}"]`]);
    assert.is(code, 0, stderr);
    checksums.add(Number(/app: 'page-rank', pes: 6, .* checksum: (\d+), errors: 0/.exec(stdout)?.[1]));
  }
  assert.is(checksums.size, 1, `${[...checksums]}`);
});

ranks("a wrong result", async () => {
  const args = ["--log2-vertices", "4", "--spoil"];
  const error = await launchPooled(ranking, { pes: 2, args }).catch((error: unknown) => error);
  assert.match((error as Error).message, /page-rank: errors = 1, of 0 messages, at 2 PEs/);
});

ranks.run();
