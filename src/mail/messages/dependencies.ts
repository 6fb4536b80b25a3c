import type { Db } from '#/base/db/schema.ts'
import type { MessageReader } from '#/formats/mime/reader.ts'
import type { PublicHttp } from '#/http/public-http/public-http.ts'
import type { RunningChanges } from '#/mail/changes/running-changes.ts'
import type { LargeMessages } from './large.ts'
import type { IdsOf } from './visible.ts'

export interface MessageDependencies {
  readonly db: Db
  readonly runningChanges: RunningChanges
  readonly reader: MessageReader
  /** Names the conversations of messages. */
  readonly idsOf: IdsOf
  readonly large: LargeMessages
  /** Fetches the pictures that messages name. */
  readonly publicHttp: PublicHttp
  /** This installation's name in DNS. */
  readonly hostname: string
}
