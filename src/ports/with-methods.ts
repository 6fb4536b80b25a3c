type Method = (...given: never[]) => unknown

/** A proxy of `target` whose methods are replaced by `instead`. All else, private fields included, is that of `target`. */
export function withMethods<T extends object>(target: T, instead: (name: string, method: Method) => Method): T {
  const made = new Map<string | symbol, Method>()
  return new Proxy(target, {
    get(_, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      const known = made.get(name) ?? instead(String(name), value as Method)
      made.set(name, known)
      return known
    },
  })
}
