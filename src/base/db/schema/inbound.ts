import type { Generated } from 'kysely'

export interface InboundTables {
  arrivals: Arrivals
}

interface Arrivals {
  mailbox_id: string
  digest: Buffer
  arrived_at: Generated<Date>
}
