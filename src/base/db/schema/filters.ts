import type { Generated, JSONColumnType } from 'kysely'

export interface FilterTables {
  filters: Filters
  filter_runs: FilterRuns
  filter_run_folders: FilterRunFolders
}

interface Filters {
  id: Generated<string>
  organization_id: string
  member_id: string | null
  name: string
  field: 'from' | 'to' | 'subject'
  op: 'contains' | 'is'
  value: string
  action: 'move' | 'label' | 'star' | 'read'
  argument: string | null
  position: number
  enabled: Generated<boolean>
  created_at: Generated<Date>
  updated_at: Generated<Date>
}

interface FilterRuns {
  id: Generated<string>
  organization_id: string
  member_id: string | null
  filter_id: string | null
  filters: JSONColumnType<object[]>
  preview: boolean
  named: string[] | null
  folders: string[]
  actor_kind: 'key' | 'operator' | 'member' | 'service' | 'single_sign_on'
  actor_id: string | null
  actor_name: string
  state: Generated<'running' | 'done' | 'cancelled' | 'failed'>
  total: number | null
  seen: Generated<number>
  counts: JSONColumnType<object>
  sample: JSONColumnType<object[], string | undefined, string>
  change_id: string | null
  last_error: string | null
  created_at: Generated<Date>
  finished_at: Date | null
  due_at: Generated<Date>
  attempts: Generated<number>
  leased_until: Date | null
  lease_epoch: Generated<number>
}

interface FilterRunFolders {
  run_id: string
  organization_id: string
  mailbox_id: string
  folder: string
  uid_validity: number | null
  last_uid: Generated<number>
  uid: Generated<number>
  plan: JSONColumnType<object> | null
  done: Generated<boolean>
}
