import { type Part, partWith } from '#/mime/body/structure.ts'
import { attaches } from '#/mime/message.ts'
import { timeouts } from '../client/connection.ts'
import { attributes, bytesOf, numberOf, readResponse, type Token, textOf } from '../client/response.ts'
import type { ImapSession } from '../client/session.ts'
import { uidSet } from '../client/syntax.ts'

/** Those of the messages in the selected folder that have attachments, by their BODYSTRUCTURE: for messages that are not
 *  read whole. */
export async function withAttachments({ connection }: ImapSession, uids: readonly number[]): Promise<Set<number>> {
  const found = new Set<number>()
  if (uids.length === 0) return found
  const onBytes = (all: Buffer, start: number, end: number) => {
    const bytes = all.subarray(start, end)
    if (!bytes.subarray(0, 100).includes('BODYSTRUCTURE')) return false
    const item = fetched(bytes)
    if (item && attaches(partOf(item.get('BODYSTRUCTURE')))) found.add(numberOf(item.get('UID')))
    return true
  }
  await connection.run([`UID FETCH ${uidSet(uids)} (UID BODYSTRUCTURE)`], { onBytes, timeout: timeouts.wholeFolder })
  return found
}

/** Undefined if parts are nested deeper than in any real mail. */
function fetched(bytes: Buffer): Map<string, Token> | undefined {
  try {
    const response = readResponse(bytes)
    return response.kind === 'data' ? attributes(response) : undefined
  } catch {
    return undefined
  }
}

/** RFC 9051, section 7.5.2: a multipart has its parts and then its subtype, any other part begins with its type. */
function partOf(body: Token | undefined): Part {
  const fields = Array.isArray(body) ? body : []
  const afterParts = fields.findIndex((field) => !Array.isArray(field))
  if (afterParts <= 0) return leaf(fields)
  return partWith({ type: `multipart/${word(fields[afterParts])}`, parts: fields.slice(0, afterParts).map(partOf) })
}

function leaf([main, sub, parameters, id, ...rest]: readonly Token[]): Part {
  const type = `${word(main)}/${word(sub)}`
  // After description, encoding and size: fields of text and message parts, then the MD5.
  const own = word(main) === 'text' ? 1 : type === 'message/rfc822' ? 3 : 0
  const said = rest[4 + own]
  const [disposition, ofDisposition] = Array.isArray(said) ? said : []
  const named = isNamed(ofDisposition, 'filename') || isNamed(parameters, 'name')
  return partWith({
    type,
    disposition: word(disposition),
    filename: named ? 'named' : null,
    contentId: textOf(id) || null,
  })
}

function word(token: Token | undefined): string {
  return (bytesOf(token)?.toString('latin1') ?? '').toLowerCase()
}

/** Whether there is such a parameter, whole or in sections (RFC 2231). */
function isNamed(parameters: Token | undefined, name: string): boolean {
  if (!Array.isArray(parameters)) return false
  return parameters.some((token, index) => index % 2 === 0 && word(token).split('*', 1)[0] === name)
}
