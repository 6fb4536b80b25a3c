import type { Generated } from 'kysely'

export interface SessionTables {
  member_links: MemberLinks
  member_sessions: MemberSessions
  member_passwords: MemberPasswords
}

interface MemberLinks {
  organization_id: string
  member_id: string
  hash: Buffer
  expires_at: Date
}

interface MemberPasswords {
  organization_id: string
  member_id: string
  hash: string
  set_at: Date
}

interface MemberSessions {
  id: Generated<string>
  organization_id: string
  member_id: string
  hash: Buffer
  created_at: Date
  last_used_at: Date
  confirmed_at: Date
  client_address: string
  user_agent: string
}
