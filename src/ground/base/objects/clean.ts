import { define } from "./define.ts";

/**
 * Loads a package; meanwhile Object.prototype has nothing that others have put there and that loops find. The code that
 * esbuild makes for a module, such as koffi's, loops over an object when it is loaded.
 * @param load must not wait
 */
export function loadClean<T>(load: () => T): T {
  const { prototype } = Object;
  const added = Object.entries(Object.getOwnPropertyDescriptors(prototype)).filter(
    ([, { enumerable, configurable }]) => enumerable && configurable,
  );
  for (const [key] of added) Reflect.deleteProperty(prototype, key);
  try {
    return load();
  } finally {
    for (const [key, descriptor] of added) define(prototype, key, descriptor);
  }
}
