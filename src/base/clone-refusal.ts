/** Whether what `v8.serialize` has thrown is its own word on a value, not what code of the value has thrown: a getter, a Proxy. */
export const isCloneRefusal = (thrown: unknown): boolean =>
  thrown instanceof Error &&
  (thrown.constructor === Error || thrown.name === "DataCloneError") &&
  /could not be cloned\.$|^Data cannot be cloned/.test(thrown.message);
