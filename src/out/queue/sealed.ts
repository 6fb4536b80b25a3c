import { createHmac, type KeyObject } from 'node:crypto'
import { DerivedKeys, type Keyring } from '#/base/secrets/keyring.ts'
import { type SealingKey, seal, unseal } from '#/base/secrets/seal.ts'
import type { Verdict } from '#/formats/mime/authentication/verdict.ts'

/** Mail in the outbound queue is sealed: it may be for a Private mailbox here, or from one (docs/mail-out.md, "Sealed"). */

/** The purpose of the `sealingKey` that seals it. */
export const sealedAs = 'mail out' as const

/** @param id of the message @param number the place of the piece in it. The piece cannot be opened under others. */
export function sealedPiece(key: SealingKey, id: string, number: number, bytes: Buffer): Buffer {
  return seal(key, pieceOf(id, number), bytes)
}

export function openedPiece(key: SealingKey, id: string, number: number, sealed: Buffer): Buffer {
  return unseal(key, pieceOf(id, number), sealed)
}

function pieceOf(id: string, number: number): string {
  return `${id} ${number}`
}

/** A recipient of a concealed message, as stored. */
export function sealedRecipient(key: SealingKey, id: string, recipient: string): string {
  return seal(key, recipientOf(id), recipient).toString('base64')
}

export function openedRecipient(key: SealingKey, id: string, sealed: string): string {
  return unseal(key, recipientOf(id), Buffer.from(sealed, 'base64')).toString()
}

function recipientOf(id: string): string {
  return `${id} recipient`
}

/** The verdict on a message that is passed on: it names the sender. */
export function sealedVerdict(key: SealingKey, id: string, verdict: Verdict): Buffer {
  return seal(key, verdictOf(id), JSON.stringify(verdict))
}

export function openedVerdict(key: SealingKey, id: string, sealed: Buffer): Verdict {
  return JSON.parse(unseal(key, verdictOf(id), sealed).toString())
}

function verdictOf(id: string): string {
  return `${id} verdict`
}

/** What a message is composed from, without its octets: it names sender and recipient. */
export function sealedSource(key: SealingKey, id: string, source: object): Buffer {
  return seal(key, sourceOf(id), JSON.stringify(source))
}

export function openedSource<Source extends object>(key: SealingKey, id: string, sealed: Buffer): Source {
  return JSON.parse(unseal(key, sourceOf(id), sealed).toString())
}

function sourceOf(id: string): string {
  return `${id} source`
}

/** What lists show of a scheduled message. */
export interface ListedFields {
  readonly to: readonly string[]
  readonly cc: readonly string[]
  readonly bcc: readonly string[]
  readonly subject: string
}

export function sealedFields(key: SealingKey, id: string, { to, cc, bcc, subject }: ListedFields): Buffer {
  return seal(key, fieldsOf(id), JSON.stringify({ to, cc, bcc, subject }))
}

export function openedFields(key: SealingKey, id: string, sealed: Buffer): ListedFields {
  return JSON.parse(unseal(key, fieldsOf(id), sealed).toString())
}

function fieldsOf(id: string): string {
  return `${id} fields`
}

/** A keyed hash of a text, to compare texts in a column without storing them. Without the installation's secret nobody can
 *  tell which text a name stands for. */
export type Blind = (text: string) => BlindName

export interface BlindName {
  readonly name: string
  /** The names under earlier secrets. */
  readonly before: readonly string[]
}

export function blinding(keyring: Keyring): Blind {
  const keys = new DerivedKeys(keyring, 'mailroom blind')
  return (text) => {
    const nameUnder = (key: KeyObject) => createHmac('sha256', key).update(text).digest('base64url')
    return { name: nameUnder(keys.inForce), before: keys.all.slice(1).map(nameUnder) }
  }
}
