import type { Made } from './made.ts'

export interface InboundTables {
  arrivals: Arrivals
}

interface Arrivals {
  mailbox_id: string
  digest: Buffer
  arrived_at: Made<Date>
}
