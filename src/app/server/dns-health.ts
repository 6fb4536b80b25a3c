import { LookupFailed } from '#/base/errors.ts'
import type { Resolver } from '#/base/network/resolver.ts'
import { withMethods } from '#/base/with-methods.ts'

/** So many names in a row could not be looked up: then it is not their servers that fail. */
const fewestNames = 3

/** Whether the DNS answers this process, by the lookups that it makes anyway. */
export class DnsHealth {
  readonly #failed = new Set<unknown>()

  /** The same resolver, whose lookups are noted. */
  watched(resolver: Resolver): Resolver {
    return withMethods(resolver, (_, method) => async (...given: never[]) => {
      try {
        const answer = await Reflect.apply(method, resolver, given)
        this.#failed.clear()
        return answer
      } catch (error) {
        if (!(error instanceof LookupFailed)) this.#failed.clear()
        else if (!this.isAway) this.#failed.add(given[0])
        throw error
      }
    })
  }

  get isAway(): boolean {
    return this.#failed.size >= fewestNames
  }

  /** Where it seems away, looks `name` up, which any answer shows to be wrong. @throws LookupFailed while it is away */
  async check(resolver: Resolver, name: string): Promise<void> {
    if (this.isAway) await resolver.a(name)
  }
}
