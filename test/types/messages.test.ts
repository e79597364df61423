/** What TypeScript says of collectives: in errors the ops that there are, in hovers the whole text. */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import typescript from "typescript";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { root } from "../support/paths.ts";

const exec = promisify(execFile);
const dir = mkdtempSync(join(tmpdir(), "tundish-messages-"));
const test = suite("messages of types");

test.before(() => {
  mkdirSync(join(dir, "node_modules"));
  symlinkSync(root, join(dir, "node_modules/tundish"));
  writeFileSync(join(dir, "package.json"), JSON.stringify({ type: "module" }));
});

test.after(() => rmSync(dir, { recursive: true, force: true }));

const CALLS = ["reduce", "reduceAsync", "allreduce", "allreduceAsync", "reduceScatter", "reduceScatterAsync"];
const SCANS = ["scan", "scanAsync", "exscan", "exscanAsync"];

for (const compiler of ["typescript-oldest", "typescript", "typescript-native"]) {
  test(`${compiler}: a wrong op is told with those that there are`, async () => {
    const calls = [...CALLS, ...SCANS];
    const lines = calls.map((call) => `${call}(new Float32Array(2), "summ");`);
    const file = join(dir, `${compiler}.ts`);
    writeFileSync(file, [`import { ${calls.join(", ")} } from "tundish";`, ...lines, ""].join("\n"));
    const tsc = join(root, "node_modules", compiler, "bin/tsc");
    const options = ["--noEmit", "--strict", "--target", "es2022", "--module", "nodenext", "--skipLibCheck"];
    const { stdout } = await exec(process.execPath, [tsc, ...options, file], { cwd: dir }).catch(
      (error: unknown) => error as { readonly stdout: string },
    );
    const errors = stdout.split(/^(?=\S)/m);
    assert.is(errors.length, calls.length, stdout);
    for (const error of errors) {
      for (const op of ["sum", "prod", "min", "max", "minloc", "maxloc"]) assert.ok(error.includes(`"${op}"`));
      assert.not.match(error, /"and"|Located|OpFor|overload/);
    }
  });
}

test("hovers of allreduce have all of its text", () => {
  const file = join(dir, "hover.ts");
  const text =
    'import { allreduce, type PE } from "tundish";\nallreduce(1, "sum");\nexport const f = (pe: PE) => pe.allreduce(1, "sum");\n';
  writeFileSync(file, text);
  const { sys, ScriptSnapshot } = typescript;
  const service = typescript.createLanguageService({
    ...{ fileExists: sys.fileExists, readFile: sys.readFile, readDirectory: sys.readDirectory },
    ...{ directoryExists: sys.directoryExists, getDirectories: sys.getDirectories },
    getScriptFileNames: () => [file],
    getScriptVersion: () => "1",
    getScriptSnapshot: (path) => {
      const content = sys.readFile(path);
      return content === undefined ? undefined : ScriptSnapshot.fromString(content);
    },
    getCurrentDirectory: () => dir,
    getDefaultLibFileName: typescript.getDefaultLibFilePath,
    getCompilationSettings: () => ({
      module: typescript.ModuleKind.NodeNext,
      target: typescript.ScriptTarget.ES2022,
      strict: true,
      types: [],
    }),
  });
  const places = [...text.matchAll(/allreduce(?=\()/g)];
  assert.is(places.length, 2);
  for (const { index } of places) {
    const info = service.getQuickInfoAtPosition(file, index);
    assert.match(typescript.displayPartsToString(info?.displayParts), /op: "sum" \| "prod" .*\): number/);
    const words = typescript.displayPartsToString(info?.documentation);
    for (const part of [/result at every PE/, /"sum".*"prod"/, /"minloc"/, /in place/]) assert.match(words, part);
    assert.not.match(words, /^As /);
  }
});

test.run();
