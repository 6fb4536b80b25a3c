import type { Generated, JSONColumnType } from 'kysely'

export interface ChangeTables {
  changes: Changes
  change_parts: ChangeParts
}

export type ChangeKind = 'messages' | 'filters' | 'label_removed' | 'labels_merged' | 'folder_deleted' | 'undo'

export type ChangeState = 'running' | 'done' | 'failed'

/** A message that an undo did not change, and its place. */
export type LeftAlone = {
  mailbox_id: string
  folder: string
  uid: number
  reason: 'gone' | 'moved' | 'changed' | 'refused'
}

interface Changes {
  id: Generated<string>
  organization_id: string
  mailboxes: string[]
  kind: ChangeKind
  actor_kind: string
  actor_id: string | null
  actor_name: string
  messages: Generated<number>
  left_alone: Generated<number>
  at: Generated<Date>
  state: ChangeState
  error: string | null
  failures: Generated<number>
  folder: string | null
  folder_key: number | null
  move_to: string | null
  undoes: string | null
  undone_by: string | null
  remove_keyword: string | null
  add_keyword: string | null
  leased_until: Date | null
  lease_epoch: Generated<number>
}

interface ChangeParts {
  id: Generated<number>
  change_id: string
  mailbox_id: string
  folder_key: number
  folder: string
  uids: number[]
  from_key: number | null
  from_folder: string | null
  from_uids: number[] | null
  seen: boolean | null
  flagged: boolean | null
  added: string[]
  removed: string[]
  undone_uids: Generated<number[]>
  undone: Generated<boolean>
  left_alone: JSONColumnType<LeftAlone[]>
}
