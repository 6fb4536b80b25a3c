import { type Budget, FairShare, type Holder, type Share } from '#/base/event-loop/fair-share.ts'

/** Memory for whole bodies, each from its first octet until its request is answered: one that is being read never waits, so no two can
 *  deadlock. */
export class BodyMemory {
  readonly #octets: FairShare
  readonly #shares = new WeakMap<object, Share>()

  constructor(budget: Budget) {
    this.#octets = new FairShare(budget)
  }

  /** Waits for memory; returns false if there is none in time, or `gone` is aborted. A caller that enters must `leave`. */
  async enter(body: object, holder: Holder, octets: number, gone: AbortSignal): Promise<boolean> {
    const share = await this.#octets.enter(holder, octets, gone)
    if (share) this.#shares.set(body, share)
    return share !== undefined
  }

  /** Frees the memory of a body, if it had any. */
  release(body: object): void {
    this.#shares.get(body)?.[Symbol.dispose]()
  }
}
