import type { Generated } from 'kysely'

export interface SessionTables {
  member_links: MemberLinks
  member_sessions: MemberSessions
  member_passwords: MemberPasswords
  member_totp: MemberTotp
  member_identities: MemberIdentities
  single_sign_ons: SingleSignOns
  member_recovery_codes: MemberRecoveryCodes
  member_passkeys: MemberPasskeys
  passkey_challenges: PasskeyChallenges
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

interface MemberTotp {
  organization_id: string
  member_id: string
  secret: Buffer
  enabled_at: Date | null
  last_step: number | null
}

interface MemberRecoveryCodes {
  organization_id: string
  member_id: string
  hash: Buffer
}

interface MemberPasskeys {
  id: Generated<string>
  organization_id: string
  member_id: string
  credential_id: Buffer
  public_key: Buffer
  counter: number
  transports: string[]
  name: string
  created_at: Date
  last_used_at: Date | null
}

interface PasskeyChallenges {
  hash: Buffer
  purpose: 'add' | 'sign_in' | 'confirm'
  session_id: string | null
  expires_at: Date
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

interface MemberIdentities {
  organization_id: string
  member_id: string
  issuer: string
  subject: string
}

interface SingleSignOns {
  hash: Buffer
  state: string
  nonce: string
  verifier: string
  return_to: string
  organization: string | null
  organization_id: string | null
  session_id: string | null
  begun_at: Date
}
