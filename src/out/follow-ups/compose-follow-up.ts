import { isAscii } from 'node:buffer'
import type { Db } from '#/base/db/schema.ts'
import type { SharedTime } from '#/base/db/time.ts'
import { collected, joined, pieceBytes } from '#/base/event-loop/pieces.ts'
import type { SealingKey } from '#/base/secrets/seal.ts'
import type { SigningKeys } from '#/domains/dkim/signing-keys.ts'
import { splitAddress } from '#/formats/mime/address/address.ts'
import type { LookUp } from '#/formats/mime/authentication/dkim.ts'
import type { MessageReader } from '#/formats/mime/reader.ts'
import { type AnsweredMessage, answer } from '#/out/compose/answer.ts'
import { signatures } from '#/out/compose/sign.ts'
import type { Claimed } from '#/out/queue/claims.ts'
import { type Composed, composed, sourceOf } from '#/out/queue/composed.ts'
import { type QueuedMessage, queuedOctets } from '#/out/queue/message.ts'
import { arcSet } from './arc.ts'
import { breaksWhenForwarded, isAuthenticated, withRewrittenFrom } from './relaying.ts'
import { keepReturnPath } from './return-paths.ts'
import type { Kept, Srs } from './srs.ts'

/** What a forwarded message is composed from, beside its octets. */
export interface RelayedSource {
  /** The mailbox that forwards it. */
  readonly address: string
  /** The fields that are always put in front. */
  readonly front: string
  /** The Authentication-Results field. */
  readonly results: string
  /** It arrived by SMTPUTF8. */
  readonly utf8: boolean
}

/** What an automatic answer is composed from. */
export interface ReplySource {
  readonly mailbox: { readonly address: string; readonly name: string }
  readonly reply: { readonly subject: string; readonly body: string }
  readonly message: AnsweredMessage
}

export interface FollowUpComposerDependencies {
  readonly db: Db
  readonly time: SharedTime
  readonly reader: MessageReader
  readonly srs: Srs
  /** Looks up the keys of earlier ARC seals, for one message and within seconds. */
  lookUps(): LookUp
  readonly signingKeys: SigningKeys
  /** The key that opens and seals queued mail. */
  readonly mailKey: SealingKey
}

/** A composed message; its octets if they fit in one piece. */
export interface ComposedMessage {
  readonly message: QueuedMessage
  readonly octets: Buffer | undefined
}

/** Composes forwarded messages and automatic answers, signs and seals them, and stores them in place of their sources. */
export function followUpComposer(deps: FollowUpComposerDependencies) {
  const { db, time, mailKey } = deps
  return async (message: QueuedMessage, recipients: readonly Claimed[]): Promise<ComposedMessage> => {
    const now = await time(db)
    const made =
      message.kind === 'reply' ? await replyFrom(deps, message, recipients, now) : await relayedFrom(deps, message, now)
    const next = await db.transaction().execute(async (tx) => {
      if (made.kept) await keepReturnPath(tx, made.kept, now)
      return await composed(tx, mailKey, { message, recipients }, made)
    })
    return { message: next, octets: made.raw.length <= pieceBytes ? made.raw : undefined }
  }
}

type Made = Composed & { readonly kept?: Kept | undefined }

async function replyFrom(
  { db, mailKey, signingKeys }: FollowUpComposerDependencies,
  message: QueuedMessage,
  recipients: readonly Claimed[],
  now: Date,
): Promise<Made> {
  const source = await sourceOf<ReplySource>(db, mailKey, message)
  const { domain = '' } = splitAddress(source.mailbox.address) ?? {}
  const keys = await signingKeys(message.organizationId, domain)
  const raw = await answer({ ...source, to: recipients[0]?.recipient ?? '', keys, at: now })
  return { raw, sender: '', verdict: null }
}

/** The octets as they arrived behind the fields that we add. From is rewritten if DMARC requires it. */
async function relayedFrom(
  { db, mailKey, reader, srs, signingKeys, lookUps }: FollowUpComposerDependencies,
  queued: QueuedMessage,
  now: Date,
): Promise<Made> {
  const { id, organizationId, mailboxId, sizeBytes, verdict } = queued
  if (!verdict) throw new Error('A message that came in has a verdict')
  const { address, front, results, utf8 } = await sourceOf<RelayedSource>(db, mailKey, queued)
  const message = await reader.message(await collected(queuedOctets(db, mailKey, id), sizeBytes))
  const { domain = '' } = splitAddress(address) ?? {}
  const { sender, kept } = srs.rewrite(queued.sender, { mailboxId: mailboxId ?? '', domain }, now)
  const keys = await signingKeys(organizationId, domain)
  const { header, body } = split(message.raw)
  // Mail that has not passed authentication is forwarded unsigned.
  const passed = isAuthenticated(verdict)
  const rewrite = passed && breaksWhenForwarded(verdict.dmarc)
  const shown = rewrite ? withRewrittenFrom(message, header, address) : header
  const ours = Buffer.from(front)
  const plain = await joined([ours, shown, body])
  const signed = Buffer.from(rewrite ? await signatures(plain, keys, now) : '')
  const key = passed ? keys.find(({ algorithm }) => algorithm === 'rsa') : undefined
  const sealed = signed.length > 0 ? await joined([signed, plain]) : plain
  const found = results.replace(/^[^:]*:\s*/, '').trimEnd()
  const seal = key ? await arcSet({ message, raw: sealed, results: found, key, at: now }, lookUps()) : Buffer.of()
  const head = Buffer.concat([seal, signed, ours, shown])
  return {
    raw: await joined([head, body]),
    ...{ sender, kept },
    verdict: rewrite || verdict.own ? null : verdict,
    utf8Header: utf8 && !isAscii(head),
  }
}

function split(raw: Buffer): { header: Buffer; body: Buffer } {
  const end = raw.indexOf('\r\n\r\n')
  const at = end < 0 ? raw.length : end + 2
  return { header: raw.subarray(0, at), body: raw.subarray(at) }
}
