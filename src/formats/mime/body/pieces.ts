import type { Part } from './part.ts'

/** A piece of the body: an alternative's text and HTML, or a single text part. */
export interface Piece {
  readonly text: Part[]
  readonly html: Part[]
}

/** The parts of a message by their use. */
export interface Body {
  readonly pieces: readonly Piece[]
  readonly attached: readonly { readonly part: Part; readonly within: readonly Part[] }[]
}
