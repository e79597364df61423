/**
 * Defines a property, as Object.defineProperty does. The descriptor inherits nothing: with a `get` or a `value` on
 * Object.prototype Node refuses any other one.
 */
export function define<T extends object>(object: T, key: PropertyKey, descriptor: PropertyDescriptor): T {
  return Object.defineProperty(object, key, Object.setPrototypeOf(descriptor, null));
}
