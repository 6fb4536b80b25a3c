const address = /^(?:https?:)?\/\//i

/** The places of remote pictures in a message, and their replacements. */
export class RemotePictures {
  leftOut = 0
  readonly addresses = new Set<string>()
  readonly #found: ReadonlyMap<string, string>

  constructor(found: ReadonlyMap<string, string>) {
    this.#found = found
  }

  /** The replacement of the picture at this address; undefined if it is left out. */
  take(source: string): string | undefined {
    if (address.test(source)) this.addresses.add(source)
    return this.#found.get(source) ?? this.leave()
  }

  /** Leaves out a picture that is never fetched. */
  leave(): undefined {
    this.leftOut++
  }
}
