import { hash, randomBytes } from 'node:crypto'
import { notFound } from '#/base/errors.ts'
import type { Summary } from '#/mail/store/read.ts'

/**
 * The identity of a draft. One that Mailroom stored has a key that every edit keeps; the table `drafts` says which message has it, and the
 * newest is the draft. Any other message in the folder is a draft that another program wrote. It is identified by its place in the folder
 * and a digest of what does not change, and gets a row with that key by its first edit here. What a message says of itself decides nothing:
 * mail that arrives may say the same.
 */
export interface DraftName {
  readonly mailboxId: string
  /** 16 bytes in hex. */
  readonly key: string
}

/** The first byte of the key of a draft that another program wrote. */
const foreign = '00'
const ours = '01'

export function newKey(): string {
  return ours + randomBytes(15).toString('hex')
}

/** The same each time for what is given, which must be long or secret enough that nobody else comes to it. */
export function keyFrom(given: readonly unknown[]): string {
  return ours + hash('sha256', JSON.stringify(given), 'hex').slice(0, 30)
}

/** As the API has it: 43 characters. */
export function draftId({ mailboxId, key }: DraftName): string {
  return Buffer.from(mailboxId.replaceAll('-', '') + key, 'hex').toString('base64url')
}

/** @throws Refusal `not_found` for a text that is no id of a draft */
export function draftNamed(id: string): DraftName {
  const hex = Buffer.from(id, 'base64url').toString('hex')
  const [, mailbox = '', key = ''] = /^([0-9a-f]{32})(0[01][0-9a-f]{30})$/.exec(hex) ?? []
  const mailboxId = mailbox.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  if (key === '' || draftId({ mailboxId, key }) !== id) throw notFound('draft')
  return { mailboxId, key }
}

/** The Message-ID of a draft until it is sent. `domain` is that of the mailbox's address. */
export function draftMessageId(key: string, domain: string): string {
  return `<draft.${key}@${domain}>`
}

/** The key of a message that another program stored in the folder. */
export function foreignKey({
  uid,
  messageId,
  receivedAt,
  sizeBytes,
}: Pick<Summary, 'uid' | 'messageId' | 'receivedAt' | 'sizeBytes'>): string {
  const digest = hash('sha256', JSON.stringify([messageId, receivedAt.getTime(), sizeBytes]), 'hex')
  return `${foreign}000000${uid.toString(16).padStart(8, '0')}${digest.slice(0, 16)}`
}

/** The place of the message with this key, if no edit has given it a row. */
export function foreignUid(key: string): number | undefined {
  return key.startsWith(foreign) ? Number.parseInt(key.slice(8, 16), 16) : undefined
}
