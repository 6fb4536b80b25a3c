import type { SequenceSet } from './sequence-set.ts'

/** A string as octets. `isBinary` if it was a literal8 (RFC 3516). */
export interface Octets {
  readonly bytes: Buffer
  readonly isBinary: boolean
}

/** The arguments of a command, read from left to right by the grammar of RFC 9051, section 9. Every method throws `Bad` where
 *  something else stands. A command has been received whole, with its literals, before it is read. They begin directly after the
 *  command's name, so that those of `FETCH 1 FLAGS` begin with a space, and those of `NOOP` are at their end. */
export interface Arguments {
  /** Reads a space, and all that follow it. */
  space(): void
  /** Reads this one character, and says whether it stood there. */
  take(character: string): boolean
  /** Whether this character comes next. */
  isNext(character: string): boolean
  /** Whether nothing follows but spaces. */
  isAtEnd(): boolean
  /** Throws unless everything was read. */
  end(): void
  /** An atom, as given. */
  atom(): string
  /** An atom in upper case, as keywords of the protocol are compared. */
  word(): string
  /** The characters up to one of these, which stays, in upper case: for `BODY.PEEK[HEADER.FIELDS`. */
  upTo(ends: string): string
  number(): number
  /** A number above 0. */
  nzNumber(): number
  /** 63 bits, as a modification sequence may have (RFC 7162); above `Number.MAX_SAFE_INTEGER` that. */
  number64(): number
  /** An astring, in UTF-8. */
  astring(): string
  /** A quoted string or a literal, in UTF-8, without NUL. It may have line breaks. */
  string(): string
  /** The same or NIL. */
  nstring(): string | undefined
  /** A string or literal as octets, for a message. */
  octets(): Octets
  /** The name of a mailbox as the service writes it: NFC, decoded from modified UTF-7 unless the client uses UTF-8, `INBOX` in
   *  any case as `INBOX`. Wildcards are kept. Throws `No` with CANNOT for what is not in that encoding. */
  mailbox(): string
  /** The name that `mailbox` has read last as the client wrote it, in whatever form and case. */
  readonly givenName: string
  sequenceSet(): SequenceSet
  /** A flag, as given: `\Seen`, `$Forwarded`, `work`. */
  flag(): string
  /** `"17-Jul-1996 02:44:25 -0700"`. */
  dateTime(): Date
  /** `(one two)`, also empty, each read by `one`. */
  list<T>(one: () => T): T[]
  /** Reads what may hold another such thing, as a key of SEARCH may, by `one`. Throws `Bad` a hundred levels deep: whoever reads by
   *  recursion calls itself through this, so that no client fills the stack. `list` does so itself. */
  nested<T>(one: () => T): T
}

/** A command as received. */
export interface Command {
  readonly tag: string
  /** In upper case; `UID FETCH` for those with UID before them. */
  readonly name: string
  readonly args: Arguments
}
