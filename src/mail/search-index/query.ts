import type { Summary } from '#/mail/store/read.ts'

/** The fields to search for a text; `any` is all of these and the text of the message. */
export type SearchField = 'any' | 'subject' | 'from' | 'to' | 'cc' | 'filename'

/** A condition of a search (docs/reference/search.md). */
export type SearchTree =
  | { readonly kind: 'all' | 'either'; readonly of: readonly SearchTree[] }
  | { readonly kind: 'not'; readonly of: SearchTree }
  /** Words that follow each other. */
  | { readonly kind: 'text'; readonly field: SearchField; readonly text: string }
  | { readonly kind: 'label'; readonly keyword: string }
  /** Null: any folder. */
  | { readonly kind: 'folder'; readonly name: string | null }
  | { readonly kind: 'attachment' | 'unread' | 'starred' }
  | { readonly kind: 'before' | 'after'; readonly day: string }
  | { readonly kind: 'older_than' | 'newer_than'; readonly amount: number; readonly unit: 'd' | 'w' | 'm' | 'y' }
  | { readonly kind: 'larger' | 'smaller'; readonly bytes: number }
  | { readonly kind: 'message_id'; readonly id: string }

/** A message's place in the order of a search: last received first. `folder` is its id. */
export interface SearchPlace {
  readonly receivedAt: number
  readonly folder: string
  readonly uid: number
}

export interface SearchQuery {
  readonly tree: SearchTree
  readonly now: Date
  readonly limit: number
  /** Only messages after this place. */
  readonly after?: SearchPlace | undefined
}

export interface SearchPage {
  readonly found: readonly Found[]
  /** The place at which to continue; undefined at the end. */
  readonly next: SearchPlace | undefined
  /** The time for a request ended before the page was full or the mail at its end. */
  readonly partial: boolean
  /** Some of the organization's messages are not indexed yet: no word finds them. */
  readonly indexing: boolean
}

export interface Found {
  readonly mailboxId: string
  readonly summary: Summary
  /** The first octets of the message, to show the place that matched. */
  readonly beginning: Buffer
}
