/** Documents from stdin, `-`: it can be read once, and under mpirun at node 0 alone; others would find it empty. */
import { UsageError } from "../../../ground/base/errors.ts";
import { setting, variableOf } from "../../../ground/base/settings.ts";

/**
 * Passes unless stdin is to be read where it is not, or twice.
 * @param files by what messages call them
 * @param isOverNodes whether other nodes read the same files
 * @throws UsageError
 */
export function checkStdin(files: Readonly<Record<string, unknown>>, isOverNodes: boolean): void {
  const [name, other] = Object.keys(files).filter((one) => files[one] === "-");
  if (name === undefined) return;
  if (isOverNodes) {
    throw new UsageError(
      `${name}: expected a file that all nodes can read, got - (stdin), which under mpirun only node 0 has. Write it into a file, and name that.`,
    );
  }
  if (other === undefined) return;
  throw new UsageError(
    `${other}: expected a file, got - (stdin), which ${name} has taken. Name a file for one of them.`,
  );
}

/** The same for what a world reads. */
export function checkInputs(
  { plan, machine }: { readonly plan?: unknown; readonly machine?: unknown },
  isOverNodes: boolean,
): void {
  const input = (name: "plan" | "machine", given: unknown) => [
    given === undefined ? variableOf(name) : `the option ${name}`,
    given ?? setting(name),
  ];
  checkStdin(Object.fromEntries([input("plan", plan), input("machine", machine)]), isOverNodes);
}
