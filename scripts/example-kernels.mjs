// Builds examples/kernels/*.wasm, which are in the repository: AssemblyScript by its compiler, C by clang with lld (Debian:
// apt-get install clang lld). Tests build them again and compare what they do.
//
//   node scripts/example-kernels.mjs [FOLDER]     into this folder. Default: where they are
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const kernels = join(root, "examples/kernels");
const folder = process.argv[2] ?? kernels;

function run(command, ...args) {
  const { status, error } = spawnSync(command, args, { stdio: "inherit" });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

const asc = join(root, "node_modules/assemblyscript/bin/asc.js");
const config = join(kernels, "assembly/asconfig.json");
const assembly = join(kernels, "assembly/index.ts");
run(process.execPath, asc, assembly, "--outFile", join(folder, "matrix-assemblyscript.wasm"), "--config", config);
run("clang", `@${join(kernels, "wasm32.txt")}`, "-o", join(folder, "matrix-c.wasm"), join(kernels, "matrix.c"));
