import type { ThreadIds } from '#/formats/mime/header/references.ts'
import { type IdHashKey, idHash, idHashes } from '#/formats/mime/id-hash.ts'
import type { FolderChanges } from '#/mail/store/changes.ts'

/** A message as an index reads it. */
export interface ThreadRow {
  readonly uid: number
  /** Of the message (src/base/text/message-id.ts); without it the uid. */
  readonly number?: number
  readonly seen: boolean
  readonly receivedAt: number
  readonly sender: string
  readonly ids: Pick<ThreadIds, 'messageId' | 'strong' | 'weak'>
}

export interface ThreadStep {
  readonly appended?: readonly ThreadRow[]
  readonly flags?: readonly Pick<ThreadRow, 'uid' | 'seen' | 'number'>[]
  readonly expunged?: readonly number[]
}

/** One step of changes, as a mail host reports it. */
export function threadStep(key: IdHashKey, { appended = [], flags = [], expunged = [] }: ThreadStep): FolderChanges {
  const senders = appended.map(({ sender }) => Buffer.from(sender))
  const strong = appended.map(({ ids }) => idHashes(key, ids.strong))
  const weak = appended.map(({ ids }) => idHashes(key, ids.weak))
  const own = appended.map(({ ids: { messageId } }) => (messageId === null ? Buffer.alloc(8) : idHash(key, messageId)))
  const lengths = (parts: readonly Buffer[]) => Uint32Array.from(parts, ({ length }) => length)
  return {
    state: { uidValidity: 7, modseq: 1, uidNext: 1 },
    reset: false,
    more: false,
    exists: 0,
    rows: {
      uid: Uint32Array.from(appended, ({ uid }) => uid),
      seen: Uint8Array.from(appended, ({ seen }) => Number(seen)),
      number: Float64Array.from(appended, numberOf),
      receivedAt: Float64Array.from(appended, ({ receivedAt }) => receivedAt),
      sender: Buffer.concat(senders),
      senderLength: lengths(senders),
      id: Buffer.concat(own),
      strong: Buffer.concat(strong),
      strongLength: lengths(strong),
      weak: Buffer.concat(weak),
      weakLength: lengths(weak),
    },
    flags: {
      uid: Uint32Array.from(flags, ({ uid }) => uid),
      seen: Uint8Array.from(flags, ({ seen }) => Number(seen)),
      number: Float64Array.from(flags, numberOf),
    },
    expunged: Uint32Array.from(expunged),
  }
}

const numberOf = ({ uid, number = uid }: Pick<ThreadRow, 'uid' | 'number'>) => number
