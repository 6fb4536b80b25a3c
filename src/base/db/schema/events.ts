import type { Generated } from 'kysely'

export interface EventTables {
  event_log: EventLog
  events: Events
  event_readers: EventReaders
}

interface EventReaders {
  organization_id: string
  read_at: Date
}

interface EventLog {
  only_row: Generated<boolean>
  base: number
  cluster: string
  forgotten: Generated<number>
}

interface Events {
  position: number
  id: Generated<number>
  organization_id: string
  at: Generated<Date>
  type: string
  mailbox_id: string | null
  actor_kind: 'key' | 'operator' | 'member' | 'service' | 'single_sign_on' | 'mail_program'
  actor_id: string | null
  actor_name: string
  data: object
}
