import { invalid, Refusal } from '#/errors.ts'
import { CommandRefused } from '../client/errors.ts'

/** Response codes (RFC 5530) of permanent and of temporary errors. Any other code, or none, says neither. */
const forGood = new Set(['CANNOT', 'NOPERM'])
const passing = new Set(['UNAVAILABLE', 'INUSE', 'LIMIT', 'OVERQUOTA', 'SERVERBUG', 'CONTACTADMIN', 'EXPIRED'])

/** Why a server, or we on its behalf, would not use a folder. */
export interface Refused {
  readonly lasting: 'permanent' | 'unclear' | 'temporary'
  readonly why: string
}

/** The refusal in an error; undefined if the server did not answer. */
export function refused(error: unknown): Refused | undefined {
  const command = error instanceof Refusal ? error.cause : error
  if (command instanceof CommandRefused) {
    const lasting = forGood.has(command.code) ? 'permanent' : passing.has(command.code) ? 'temporary' : 'unclear'
    return { lasting, why: `The mail server says: ${command.text}` }
  }
  if (!(error instanceof Refusal) || error.code === 'mail_unavailable') return undefined
  return { lasting: error.field === 'folder' ? 'permanent' : 'temporary', why: error.message }
}

/** The same error; if a folder is refused permanently, an error that says so to the caller. */
export function ofFolder(error: unknown): unknown {
  if (!(error instanceof CommandRefused) || !forGood.has(error.code)) return error
  return folderRefused(error)
}

export function folderRefused({ text }: CommandRefused): Refusal {
  return invalid('folder', `The mail server refuses that folder: ${text}`, 'Name another folder')
}
