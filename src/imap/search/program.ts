import type { Sought } from '#/formats/mime/body/holds-texts.ts'
import type { SequenceSet } from '../wire/sequence-set.ts'

/** What a search asks of a message (RFC 9051, section 6.4.4). */
export type SearchKey =
  | Joined
  | { readonly kind: 'not'; readonly of: SearchKey }
  | MessageSet
  | ColumnKey
  /** By the id of its conversation. */
  | { readonly kind: 'thread'; readonly id: string }
  | ContentKey

export interface Joined {
  readonly kind: 'all' | 'either'
  readonly of: readonly SearchKey[]
}

/** Messages by their numbers. */
export interface MessageSet {
  readonly kind: 'set'
  readonly by: 'uid' | 'sequence'
  readonly set: SequenceSet
}

/** What a row of `mail_messages` says. Times are in milliseconds, days those of UTC. */
export type ColumnKey =
  | { readonly kind: 'seen' | 'flagged' | 'answered' | 'forwarded' | 'deleted' | 'draft' }
  | { readonly kind: 'keyword'; readonly keyword: string }
  /** When a message was received or came into its folder: from, and before. */
  | { readonly kind: 'received' | 'saved'; readonly from?: number; readonly before?: number }
  /** Received so many seconds ago, or longer; or not longer. */
  | { readonly kind: 'older' | 'younger'; readonly seconds: number }
  | { readonly kind: 'larger' | 'smaller'; readonly octets: number }
  | { readonly kind: 'modseq'; readonly least: number }
  | { readonly kind: 'email'; readonly id: number }

/** What only the message itself says, in the terms of its reader. */
export interface ContentKey {
  readonly kind: 'content'
  readonly sought: Sought
}

export const everything: SearchKey = { kind: 'all', of: [] }
export const nothing: SearchKey = { kind: 'either', of: [] }

/** Whether the rows of `mail_messages` decide. */
export function isColumns(key: SearchKey): boolean {
  if (key.kind === 'all' || key.kind === 'either') return key.of.every(isColumns)
  if (key.kind === 'not') return isColumns(key.of)
  return key.kind !== 'set' && key.kind !== 'thread' && key.kind !== 'content'
}

/** Whether modification sequences are asked for. */
export function hasModseq(key: SearchKey): boolean {
  if (key.kind === 'all' || key.kind === 'either') return key.of.some(hasModseq)
  return key.kind === 'not' ? hasModseq(key.of) : key.kind === 'modseq'
}
