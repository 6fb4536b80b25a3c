/** The fault of a value and what to do, as the rest of a sentence that begins with the variable's name. */
export class Unusable extends Error {}

/** Reads variables of the environment. Collects their names and faults. */
export class Reader {
  readonly problems: string[] = []
  readonly known = new Set<string>()
  readonly #env: Readonly<Record<string, string | undefined>>

  constructor(env: Readonly<Record<string, string | undefined>>) {
    this.#env = env
  }

  /** Undefined if the variable is not set, or is unusable, which adds to `problems`. */
  value<T>(name: string, parse: (text: string) => T): T | undefined {
    this.known.add(name)
    const text = this.#env[name]
    if (text === undefined || text === '') return undefined
    try {
      return parse(text)
    } catch (problem) {
      if (!(problem instanceof Unusable)) throw problem
      this.problems.push(`${name} ${problem.message}`)
      return undefined
    }
  }

  isSet(name: string): boolean {
    return (this.#env[name] ?? '') !== ''
  }
}

/** A value as it appears in a problem. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)
}
