import type { Generated } from 'kysely'

export interface SendingTables {
  sends: Sends
}

interface Sends {
  organization_id: string
  day: string
  recipients: Generated<number>
}
