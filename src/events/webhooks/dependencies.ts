import type { Db } from '#/base/db/schema.ts'
import type { SharedTime } from '#/base/db/time.ts'
import type { SealingKey } from '#/base/secrets/seal.ts'
import type { PublicHttp } from '#/http/public-http/public-http.ts'
import type { AllowedBy } from './webhook.ts'

/** What routes of webhooks need. */
export interface WebhookDependencies {
  readonly db: Db
  readonly time: SharedTime
  readonly webhooks: {
    readonly http: PublicHttp
    /** Its allowed targets. */
    readonly allowed: AllowedBy
    /** Seals the secrets of webhooks. */
    readonly secretKey: SealingKey
  }
}
