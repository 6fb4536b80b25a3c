export interface SignatureTables {
  member_signatures: MemberSignatures
}

interface MemberSignatures {
  organization_id: string
  member_id: string
  mailbox_id: string
  text: string
  html: string | null
}
