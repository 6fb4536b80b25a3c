import type { Me, MeMailboxesItem } from '../../api/generated.ts'

/** A message that is being written. */
export interface Writing {
  /** Names it on this device. */
  readonly key: string
  /** The address of a mailbox. */
  readonly from: string
  /** As they were typed: `ann@example.com`, `Ann <ann@example.com>`, or something that is not finished. */
  readonly to: readonly string[]
  readonly cc: readonly string[]
  readonly bcc: readonly string[]
  readonly subject: string
  /** What is typed in the field of recipients and is none yet. */
  readonly unfinished?: Readonly<Partial<Record<Recipients, string>>>
  /** What an answer began with. */
  readonly began?: Began
  readonly isRich: boolean
  /** What is written with formatting; pictures in it are `cid:`. */
  readonly html: string
  /** The same, or what is written without. */
  readonly text: string
  /** Another program gave it formatting that the editor does not know: tables, say. It stays until the text is changed here. */
  readonly isFormattedElsewhere?: boolean
  /** What it ends with, if nobody has edited that. */
  readonly signed?: Signed | undefined
  readonly quoted?: Quoted | undefined
  readonly files: readonly File[]
  readonly inReplyTo?: string
  readonly references?: readonly string[]
  /** The conversation that it answers. */
  readonly answers?: { readonly mailbox: string; readonly conversation: string }
  /** What the service has of it, and whether that is all. */
  readonly draft?: SavedDraft | undefined
  readonly isSaved?: boolean
  /** It is no longer open: it is to be saved, or to be deleted. */
  readonly fate?: 'saved' | 'discarded'
  /** It is sent at this time unless that is undone; the key lets it be sent once only, however often it is tried. */
  readonly leaving?: { readonly at: number; readonly key: string }
}

export type Recipients = 'to' | 'cc' | 'bcc'

type Began = Pick<Writing, Recipients | 'subject'>

/** A signature as the editor has it, below the line that separates it. */
export interface Signed {
  readonly html: string
  readonly text: string
}

/** What is quoted or forwarded below the text. */
export interface Quoted {
  readonly html: string
  readonly text: string
}

/** A draft of the service, and those of its files that came from here. */
export interface SavedDraft {
  readonly id: string
  readonly version: number
  readonly files: readonly File[]
}

/** An attachment; what is in it lies beside (`device.ts`). */
export interface File {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly size: number
  /** It is a picture in the text, which names it by this. */
  readonly cid?: string
}

/** What the service takes (docs/reference/sending.md). */
export const limits = { files: 10, bytes: 8 * 1024 * 1024, recipients: 25 } as const

/** How long sending and discarding can be undone. */
export const undoable = 10_000

/** The mailboxes that a member may send from. */
export function sendersOf({ mailboxes, scopes }: Me): MeMailboxesItem[] {
  if (!scopes.includes('sending:write')) return []
  return mailboxes.filter(
    ({ kind, suspended, level }) => kind === 'smart' && !suspended && (level === 'own' || level === 'send'),
  )
}

export function blank(from: string): Writing {
  const nobody = { to: [], cc: [], bcc: [] }
  return { key: crypto.randomUUID(), from, ...nobody, subject: '', isRich: true, html: '', text: '', files: [] }
}

/** Whether nothing is in it that somebody typed or chose. */
export function isEmpty(writing: Writing): boolean {
  const { text, signed, files, draft, unfinished = {} } = writing
  if (draft || Object.values(unfinished).some((typed) => typed.trim() !== '')) return false
  const own = signed && text.endsWith(signed.text) ? text.slice(0, -signed.text.length) : text
  if (own.trim() !== '' || files.some(({ cid }) => cid === undefined)) return false
  return began(writing) === began(writing.began ?? { to: [], cc: [], bcc: [], subject: '' })
}

const began = ({ to, cc, bcc, subject }: Began) => JSON.stringify([to, cc, bcc, subject.trim()])
