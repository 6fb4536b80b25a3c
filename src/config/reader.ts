/** What is wrong with a value and what to do; follows the variable's name in a sentence. */
export class Unusable extends Error {}

/** Reads variables of the environment, and notes what is wrong with them and which there are. */
export class Reader {
  readonly problems: string[] = []
  readonly known = new Set<string>()
  readonly #env: Readonly<Record<string, string | undefined>>

  constructor(env: Readonly<Record<string, string | undefined>>) {
    this.#env = env
  }

  /** Undefined where the variable is not set, or is unusable, which is noted. */
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

/** A value as a problem shows it. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)
}
