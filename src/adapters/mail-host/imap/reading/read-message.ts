import { notFound } from '#/errors.ts'
import { pieceBytes } from '#/event-loop/pieces.ts'
import type { Stored } from '#/ports/mail-host.ts'
import type { InFolder } from '../access.ts'
import { fetchUids } from '../client/fetch.ts'
import type { ImapSession } from '../client/session.ts'
import { realUids } from '../client/syntax.ts'
import type { Contents } from './contents.ts'

/** A message of a folder, in which `inFolder` works. A message of one piece is read at once, others when needed. */
export async function readMessage(
  inFolder: <T>(work: InFolder<T>) => Promise<T>,
  contents: Contents,
  name: string,
  uid: number,
): Promise<Stored | undefined> {
  const read = await inFolder(async (session, folder) => {
    const [found] = await contents.of(session, folder, name, realUids([uid]))
    if (!found) return undefined
    const small = found.summary.sizeBytes <= pieceBytes
    const only = small ? await readPiece(session, uid, found.inFront, found.summary.sizeBytes) : undefined
    // It was deleted in between.
    if (small && !only) return undefined
    return { ...found, only, uidValidity: folder.selectedAt.uidValidity }
  })
  if (!read) return undefined
  const { summary, filteredBy, inFront, only, uidValidity } = read
  async function* pieces(): AsyncGenerator<Buffer> {
    if (only) {
      yield only
      return
    }
    const end = inFront + summary.sizeBytes
    for (let at = inFront; at < end; at += pieceBytes) {
      const length = Math.min(pieceBytes, end - at)
      const piece = await inFolder(async (session, folder) =>
        folder.selectedAt.uidValidity === uidValidity ? readPiece(session, uid, at, length) : undefined,
      )
      if (piece?.length !== length) throw notFound('message')
      yield piece
    }
  }
  return { summary, filteredBy, pieces }
}

async function readPiece(
  { connection }: ImapSession,
  uid: number,
  at: number,
  length: number,
): Promise<Buffer | undefined> {
  let piece: Buffer | undefined
  const section = `BODY[]<${at}>`
  await fetchUids(connection, [uid], `BODY.PEEK[]<${at}.${length}>`, section, (message) => {
    piece ??= message.octets(section)
    return undefined
  })
  return piece
}
