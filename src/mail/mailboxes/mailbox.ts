import { invalid } from '#/base/errors.ts'
import { properName } from '#/base/text/text.ts'

/** Smart: the service can read its mail. Private: mail is encrypted to the owner's key as it arrives. */
export const kinds = ['smart', 'private'] as const

export type Kind = (typeof kinds)[number]

export interface Mailbox {
  readonly id: string
  readonly address: string
  readonly local_part: string
  readonly domain: string
  readonly name: string
  readonly kind: Kind
  /** Other addresses that reach it, in alphabetical order. */
  readonly aliases: readonly string[]
  readonly suspended: boolean
  readonly created_at: Date
}

/** A mailbox in the audit trail. */
export function recordedMailbox({ name, kind, aliases, suspended }: Mailbox) {
  return { name, kind, aliases, suspended }
}

/** Reserved by RFC 2142 and RFC 5321, section 4.5.1: no person may have them as a mailbox. */
const reserved = new Set(
  'postmaster abuse hostmaster webmaster noc security usenet news uucp ftp www mailer-daemon root'.split(' '),
)

/** Aliases that every domain with a mailbox has. */
export const requiredAliases = ['postmaster', 'abuse'] as const

/** The local part of a new mailbox (docs/reference/mailboxes.md). Upper case is refused, not changed: the caller would get
 *  another address than the requested one. */
export function newLocalPart(given: string): string {
  if (reserved.has(localPart('local_part', given))) {
    throw invalid('local_part', `${given}@ is reserved`, 'The first mailbox of a domain gets postmaster@ and abuse@')
  }
  return given
}

/** The local part of any new address. */
export function localPart(field: string, given: string): string {
  if (given.length > 64) throw invalid(field, `${field} can be at most 64 characters long`)
  if (!/^[a-z0-9._-]*$/.test(given)) {
    throw invalid(field, `${field} may hold lower-case letters a to z, digits, dots, hyphens and underscores`)
  }
  if (!/^[a-z0-9](.*[a-z0-9])?$/.test(given))
    throw invalid(field, `${field} must start and end with a letter or a digit`)
  if (given.includes('..')) throw invalid(field, `${field} must not hold two dots in a row`)
  return given
}

/** Trimmed, NFC, up to 128 code points; it may be empty. */
export function mailboxName(given: string): string {
  return given.trim() === '' ? '' : properName('name', given, 128)
}
