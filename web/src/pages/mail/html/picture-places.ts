const address = /^(?:https?:)?\/\//i

/** The places in a message where pictures from elsewhere stand, and what is to stand there. */
export class RemotePictures {
  leftOut = 0
  readonly addresses = new Set<string>()
  readonly #found: ReadonlyMap<string, string>

  constructor(found: ReadonlyMap<string, string>) {
    this.#found = found
  }

  /** What stands in the place of the picture at this address; undefined where it is left out. */
  take(source: string): string | undefined {
    if (address.test(source)) this.addresses.add(source)
    return this.#found.get(source) ?? this.leave()
  }

  /** Leaves one out that is never fetched. */
  leave(): undefined {
    this.leftOut++
  }
}
