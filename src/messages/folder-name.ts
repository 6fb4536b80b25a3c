import { invalid } from '#/errors.ts'

/** The folders that every mailbox has, in the order in which they are listed. */
export const standingFolders = ['inbox', 'sent', 'drafts', 'archive', 'junk', 'trash'] as const

/** A folder as a caller names it: one of the six whatever its case, `spam` for `junk`, or a path (`Projects/Apollo`),
 *  which keeps its case. Refused is what would mean something else, or nothing, to an IMAP server: controls, wildcards,
 *  empty steps, more than 255 octets. Names are in NFC, as in RFC 9051, section 5.1. */
export function folderName(given: string): string {
  const lower = given.toLowerCase()
  if (lower === 'spam') return 'junk'
  const standing = standingFolders.find((name) => name === lower)
  if (standing) return standing
  if (!given.isWellFormed() || unfit.test(given)) {
    throw invalid('folder', 'A folder must not hold control characters or marks that change direction')
  }
  const name = given.normalize('NFC')
  if (name === '') throw invalid('folder', 'A folder must have a name')
  if (Buffer.byteLength(name) > 255) throw invalid('folder', 'A folder can be at most 255 bytes long')
  if (/[*%]/.test(name)) throw invalid('folder', 'A folder must not hold * or %')
  if (name.split('/').some((step) => step.trim() === '' || step !== step.trim())) {
    throw invalid('folder', 'A folder is a path of names with / between them, without spaces around a name')
  }
  return name
}

const unfit = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u
