import { decodeUtf7, encodeUtf7 } from '#/mime/modified-utf7.ts'
import { bytesOf, type Token } from './response.ts'
import { quoted } from './syntax.ts'

// IMAP calls a folder a mailbox. A folder has a name of ours, `Projects/Apollo`, and a path: the mailbox's name on its
// server, in modified UTF-7 (RFC 3501, section 5.1.3) and so in printable ASCII. All names pass through this file.

/** Where a mailbox's own folders are (RFC 2342). */
export interface Namespace {
  readonly prefix: string
  readonly delimiter: string
}

export function pathOf(name: string, { prefix, delimiter }: Namespace): string {
  return prefix + name.split('/').map(encodeUtf7).join(delimiter)
}

/** The name of a path within the namespace. Two paths may have one name: a server need not encode as we do. */
export function nameOf(path: string, { prefix, delimiter }: Namespace): string {
  return path.slice(prefix.length).split(delimiter).map(decodeUtf7).join('/')
}

/** A path as an argument of a command. Throws for an invalid path, which `pathOf` and `pathIn` never answer. */
export function mailbox(path: string): string {
  return quoted(path)
}

/** The path in a response; undefined if it has other characters, with which no command can name it. */
export function pathIn(token: Token | undefined): string | undefined {
  const path = bytesOf(token)?.toString('latin1') ?? ''
  if (path.toUpperCase() === 'INBOX') return 'INBOX'
  return /^[\x20-\x7e]+$/.test(path) ? path : undefined
}
