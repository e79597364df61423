/**
 * Bundled packages loop over objects by `for … in`, and ask for a key by `in`, which find what is inherited as well:
 * with an enumerable property on Object.prototype no options could be checked. Here they get what is the object's own.
 */
export const withOwnKeys = (text) =>
  text
    .replace(/\bfor \((var|let|const) (\w+) in ([\w.]+)\)/g, "for ($1 $2 of Object.keys($3))")
    .replace(/\bkey in input\b/g, "Object.hasOwn(input, key)");
