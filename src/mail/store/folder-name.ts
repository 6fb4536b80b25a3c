import { invalid, Refusal } from '#/base/errors.ts'
import { normalized } from '#/base/text/unicode.ts'
import { encodeUtf7 } from '#/formats/mime/modified-utf7.ts'

/** The folders that every mailbox has, in the order in which they are listed. */
export const standardFolders = ['inbox', 'sent', 'drafts', 'archive', 'junk', 'trash'] as const

/** Whether every mailbox has a folder of that name. */
export function isStandardFolder(name: string): boolean {
  return (standardFolders as readonly string[]).includes(name)
}

const mostOctets = 255

/** Reads a folder: one of the six in any case, `spam` for `junk`, or a path (`Projects/Apollo`), which keeps its case. Refuses
 *  what IMAP servers would not accept or read differently: controls, wildcards, empty steps, more than 255 octets. Names are in
 *  NFC, as in RFC 9051, section 5.1. */
export function folderName(given: string): string {
  const lower = given.toLowerCase()
  if (lower === 'spam') return 'junk'
  const standard = standardFolders.find((name) => name === lower)
  if (standard) return standard
  if (!given.isWellFormed()) throw invalid('folder', 'A folder contains an unpaired surrogate')
  if (unfit.test(given)) {
    throw invalid('folder', 'A folder must not contain control or bidirectional formatting characters')
  }
  const name = normalized(given, 'NFC')
  if (name === '') throw invalid('folder', 'A folder must have a name')
  if (Buffer.byteLength(name) > mostOctets) {
    throw invalid('folder', `A folder can be at most ${mostOctets} bytes long`)
  }
  if (/[*%]/.test(name)) throw invalid('folder', 'A folder must not hold * or %')
  if (name.split('/').some((step) => step.trim() === '' || step !== step.trim())) {
    throw invalid('folder', 'A folder is a path of names with / between them, without spaces around a name')
  }
  return name
}

/** Whether a request that names a folder so is about that folder. */
function readsAsItself(name: string): boolean {
  try {
    return folderName(name) === name
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}

/** Reads a folder that may have to be created: like `folderName`, but refuses names that mail programs which keep folders as
 *  directories could not take (docs/reference/messages.md#which-folders-are-there). */
export function newFolderName(given: string): string {
  const name = folderName(given)
  const step = name.split('/').find((one) => reserved.has(one))
  if (step !== undefined) throw invalid('folder', `A folder's path must not have a step that is called ${step}`)
  if (encodeUtf7(name).length > mostOctets) {
    throw invalid(
      'folder',
      `A folder can be at most ${mostOctets} bytes long in modified UTF-7, the form that IMAP uses`,
    )
  }
  return name
}

/** Names of other directories. */
const reserved = new Set(['.', '..'])

const unfit = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u

/** The folders of a mailbox in the order of lists: the standard ones, then the others by name. */
export function inListOrder<F extends { readonly name: string }>(folders: readonly F[]): F[] {
  return folders.toSorted((a, b) => rank(a.name) - rank(b.name) || (a.name < b.name ? -1 : 1))
}

function rank(name: string): number {
  const at = (standardFolders as readonly string[]).indexOf(name)
  return at < 0 ? standardFolders.length : at
}

export function folderIsThere(name: string): Refusal {
  return invalid('folder', `There is a folder ${JSON.stringify(name)} already`)
}

/** Every listed name reads as itself, whoever creates the folder. @throws invalid */
export function assertReadable(name: string): void {
  if (readsAsItself(name)) return
  throw invalid(
    'folder',
    `No folder can be called ${JSON.stringify(name)}: that name is read as another, or not at all`,
  )
}

export function noSuchFolder(name: string): Refusal {
  return invalid('folder', `No folder ${JSON.stringify(name)} in this mailbox`)
}
