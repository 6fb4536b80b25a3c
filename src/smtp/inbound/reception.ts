import type { Logger } from 'pino'
import type { Db } from '#/base/db/schema.ts'
import type { Authors } from '#/formats/mime/address/authors.ts'
import type { RelayMarkKey } from '#/formats/mime/authentication/relay-mark.ts'
import type { Judgement } from '#/formats/mime/authentication/verdict.ts'
import type { Message } from '#/formats/mime/message.ts'
import type { MessageReader } from '#/formats/mime/reader.ts'
import type { OpenPgp } from '#/formats/openpgp/openpgp.ts'
import type { FollowUps } from '#/out/follow-ups/follow-ups.ts'
import type { BounceAddresses } from '#/out/sent/bounce-address.ts'
import type { Envelope } from '#/smtp/protocol/envelope.ts'
import type { ArrivalWriter } from './arrival/arrival-writer.ts'
import type { BlocksOf } from './recipients/destinations.ts'

/** The dependencies of receiving mail. */
export interface Reception {
  readonly db: Db
  readonly blocksOf: BlocksOf
  readonly store: ArrivalWriter
  readonly reader: MessageReader
  readonly openPgp: OpenPgp
  authenticate(envelope: Envelope, message: Message, authors: Authors): Promise<Judgement>
  readonly followUps: Pick<FollowUps, 'prepare' | 'returned' | 'wake'>
  /** Recognises reports on mail that was sent here. */
  readonly bounceAddresses: BounceAddresses
  /** Recognises mail that was forwarded here. */
  readonly markKey: RelayMarkKey
  readonly hostname: string
  readonly log: Logger
}
