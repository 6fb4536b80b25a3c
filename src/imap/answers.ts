/** The end of a command: a tagged OK with this text, and a response code (RFC 9051, section 7.1) such as `READ-WRITE`. */
export interface Completed {
  readonly text: string
  readonly code?: string
}

/** A command that is refused: a tagged NO, with one of the response codes of RFC 9051 or RFC 5530, such as `NONEXISTENT`. The
 *  text is for people, in ASCII. */
export class No extends Error {
  readonly code: string | undefined

  constructor(text: string, code?: string) {
    super(text)
    this.code = code
  }
}

/** A command that cannot be read: a tagged BAD. */
export class Bad extends Error {}

/** The connection ends with an untagged BYE. */
export class Bye extends Error {
  readonly code: string | undefined

  constructor(text: string, code?: string) {
    super(text)
    this.code = code
  }
}
