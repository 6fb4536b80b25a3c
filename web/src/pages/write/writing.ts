import type { Me, MeMailboxesItem } from '../../api/generated.ts'

/** A message in the composer. */
export interface Writing {
  /** Identifies it on this device. */
  readonly key: string
  /** The address of a mailbox. */
  readonly from: string
  /** As typed: `ann@example.com`, `Ann <ann@example.com>`, or unfinished text. */
  readonly to: readonly string[]
  readonly cc: readonly string[]
  readonly bcc: readonly string[]
  readonly subject: string
  /** Text in the field of recipients that is not one yet. */
  readonly unfinished?: Readonly<Partial<Record<Recipients, string>>>
  /** The initial text of an answer. */
  readonly began?: Began
  readonly isRich: boolean
  /** The text with formatting; its pictures are `cid:`. */
  readonly html: string
  /** The same text, or the text without formatting. */
  readonly text: string
  /** Another program gave it formatting that the editor does not know, such as tables. It stays until the text is changed
   *  here. */
  readonly isFormattedElsewhere?: boolean
  /** The unedited signature at its end. */
  readonly signed?: Signed | undefined
  readonly quoted?: Quoted | undefined
  readonly files: readonly File[]
  readonly inReplyTo?: string
  readonly references?: readonly string[]
  /** The Message-ID of the message that it forwards. */
  readonly forwards?: string
  /** The conversation that it answers. */
  readonly answers?: { readonly mailbox: string; readonly conversation: string }
  /** The service's state of it, and whether that is complete. */
  readonly draft?: SavedDraft | undefined
  readonly isSaved?: boolean
  /** The service's state has comments in its HTML, which some mail programs show, and the composer does not: it is saved again before it
   *  is sent. */
  readonly hasUnseen?: boolean
  /** It is closed, and to be saved or deleted. */
  readonly fate?: 'saved' | 'discarded'
  /** It is sent at this time unless that is undone. With the key it is sent once, however often that is tried. */
  readonly leaving?: { readonly at: number; readonly key: string }
}

export type Recipients = 'to' | 'cc' | 'bcc'

type Began = Pick<Writing, Recipients | 'subject'>

/** A signature in the editor, below its separator line. */
export interface Signed {
  readonly html: string
  readonly text: string
}

/** The quoted or forwarded message below the text. */
export interface Quoted {
  readonly html: string
  readonly text: string
}

/** A draft of the service, and those of its files that were added here. */
export interface SavedDraft {
  readonly id: string
  /** The id of its message, which each edit changes. */
  readonly message: string
  readonly version: number
  readonly files: readonly File[]
}

/** An attachment; its octets are stored separately (`device.ts`). */
export interface File {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly size: number
  /** The Content-ID, for a picture in the text. */
  readonly cid?: string
}

/** The limits of the service (docs/reference/sending.md). */
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

/** Whether nothing was typed or chosen. */
export function isEmpty(writing: Writing): boolean {
  const { text, signed, files, draft, unfinished = {} } = writing
  if (draft || Object.values(unfinished).some((typed) => typed.trim() !== '')) return false
  const own = signed && text.endsWith(signed.text) ? text.slice(0, -signed.text.length) : text
  if (own.trim() !== '' || files.some(({ cid }) => cid === undefined)) return false
  return began(writing) === began(writing.began ?? { to: [], cc: [], bcc: [], subject: '' })
}

const began = ({ to, cc, bcc, subject }: Began) => JSON.stringify([to, cc, bcc, subject.trim()])
