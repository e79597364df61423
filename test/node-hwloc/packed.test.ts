/** The tarball of node-hwloc in an empty project, offline: imported, required, type-checked, and without koffi. */
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { noHwloc } from "../machine/surroundings.ts";
import { root } from "../support/paths.ts";
import { testUnless } from "../support/skip.ts";

const exec = promisify(execFile);
const dir = mkdtempSync(join(tmpdir(), "node-hwloc-package-"));
const installed = join(dir, "node_modules/node-hwloc");
const node = async (...args: string[]): Promise<string> =>
  (await exec(process.execPath, ["--no-warnings", ...args], { cwd: dir })).stdout;

const test = suite("packed node-hwloc");

/** koffi and the package with its code for this platform, as they are installed here. */
function localKoffi(): Record<string, string> {
  const scope = join(root, "node_modules/@koromix");
  const natives = existsSync(scope) ? readdirSync(scope).map((name) => `@koromix/${name}`) : [];
  return Object.fromEntries(["koffi", ...natives].map((name) => [name, `file:${join(root, "node_modules", name)}`]));
}

test.before(async () => {
  // built already, and a build beside running tests would change files under them
  const pack = ["pack", "-w", "node-hwloc", "--ignore-scripts", "--pack-destination", dir];
  await exec("npm", pack, { cwd: root });
  const tarball = readdirSync(dir).find((file) => file.endsWith(".tgz")) as string;
  const dependencies = { "node-hwloc": `file:./${tarball}`, ...localKoffi() };
  writeFileSync(join(dir, "package.json"), JSON.stringify({ private: true, dependencies }));
  // an empty cache: what is not in the project or here cannot come
  const offline = ["--offline", "--cache", join(dir, "cache")];
  const install = ["install", "--install-links", "--ignore-scripts", "--no-audit", "--no-fund", ...offline];
  await exec("npm", install, { cwd: dir });
});

test.after(() => rmSync(dir, { recursive: true, force: true }));

test("holds the build, the README and the license, and runs nothing when it is installed", () => {
  const files = readdirSync(installed, { recursive: true }) as string[];
  for (const file of ["README.md", "LICENSE", "dist/index.js", "dist/index.d.ts"]) {
    assert.ok(files.includes(file), `${file} is missing`);
  }
  assert.equal(
    files.filter((file) => /\.ts$/.test(file) && !file.endsWith(".d.ts")),
    [],
  );
  const { scripts } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as {
    readonly scripts: Record<string, string>;
  };
  for (const hook of ["preinstall", "install", "postinstall"]) assert.not.ok(hook in scripts);
});

const program = `
  const here = openTopology();
  const made = openTopology({ synthetic: "pack:2 [numa] core:4 pu:2" });
  const refused = (source) => {
    try { openTopology(source); } catch (error) { return error instanceof HwlocError && error.code; }
  };
  console.log(JSON.stringify({
    cpus: here.objects("PU").length,
    made: ["Package", "NUMANode", "Core", "PU"].map((type) => made.objects(type).length),
    core: made.children(made.children(made.root)[1])[0].cpuset,
    code: refused({ synthetic: "pack:" }),
  }));
  made.close();
  here.close();
`;

testUnless(test, noHwloc, "hwloc: imported and required, it reads this machine and a description", async () => {
  const names = "{ HwlocError, openTopology }";
  writeFileSync(join(dir, "use.mjs"), `import ${names} from "node-hwloc";${program}`);
  writeFileSync(join(dir, "use.cjs"), `const ${names} = require("node-hwloc");${program}`);
  for (const file of ["use.mjs", "use.cjs"]) {
    const told = JSON.parse(await node(file)) as { readonly cpus: number };
    assert.equal(told, { cpus: told.cpus, made: [2, 2, 8, 16], core: [8, 9], code: "ERR_HWLOC_SOURCE" }, file);
    // os.cpus() has those that are online, as hwloc's PUs are
    assert.is(told.cpus, cpus().length, file);
  }
});

const typed = `import { formatCpuList, HwlocError, hwlocVersion, NoHwlocError, openTopology, parseCpuList, type HwlocErrorCode, type HwlocObject, type HwlocSource, type HwlocTopology } from "node-hwloc";
export function use(source: HwlocSource): string {
  using topology: HwlocTopology = openTopology(source);
  const [core]: HwlocObject[] = topology.objects("Core");
  const cpus: readonly number[] = core?.cpuset ?? [];
  const above: HwlocObject | null = core === undefined ? topology.root : topology.parent(core);
  topology.bindThread(cpus);
  // @ts-expect-error no text
  topology.bindThread("0-3");
  // @ts-expect-error no such source
  openTopology({ file: "machine.xml" });
  // @ts-expect-error may be null
  above.type;
  return formatCpuList(parseCpuList(hwlocVersion()));
}
export const codeOf = (error: unknown): HwlocErrorCode | undefined =>
  error instanceof NoHwlocError || error instanceof HwlocError ? error.code : undefined;
`;

test("types under NodeNext, strict, library checks included, without those of Node.js", async () => {
  const compilerOptions = {
    module: "NodeNext",
    target: "ES2022",
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: false,
    lib: ["ES2022"],
    types: [],
  };
  writeFileSync(join(dir, "use.mts"), typed);
  writeFileSync(join(dir, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["use.mts"] }));
  try {
    await node(join(root, "node_modules/typescript-native/bin/tsc"), "-p", dir);
  } catch (error) {
    assert.unreachable((error as { stdout: string }).stdout);
  }
});

test("without koffi it is imported, and says what to install when it is used", async () => {
  renameSync(join(dir, "node_modules/koffi"), join(dir, "koffi"));
  try {
    const code = `
      import { formatCpuList, NoHwlocError, openTopology } from "node-hwloc";
      console.log(formatCpuList([0, 1, 2, 8]));
      try { openTopology(); } catch (error) { console.log(error instanceof NoHwlocError, error.code, error.message); }`;
    const [list, told] = (await node("--input-type=module", "-e", code)).split("\n");
    assert.is(list, "0-2,8");
    assert.match(told as string, /^true ERR_HWLOC_MISSING .*Cannot find module 'koffi'.*npm install koffi@2\.16\.3$/);
  } finally {
    renameSync(join(dir, "koffi"), join(dir, "node_modules/koffi"));
  }
});

test.run();
