type Method = (...given: never[]) => unknown

/** A proxy of `target` whose methods are replaced by `instead`. All else, private fields included, is that of `target`. */
export function withMethods<T extends object>(target: T, instead: (name: string, method: Method) => Method): T {
  /** By the method that each replaces, which may be another one later. */
  const made = new WeakMap<Method, Method>()
  return new Proxy(target, {
    get(_, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      const known = made.get(value as Method) ?? instead(String(name), value as Method)
      made.set(value as Method, known)
      return known
    },
  })
}
