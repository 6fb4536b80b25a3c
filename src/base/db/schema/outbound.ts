export interface OutboundTables {
  return_paths: ReturnPaths
  mta_sts_policies: MtaStsPolicies
}

interface ReturnPaths {
  id: string
  address: string
  used_at: Date
  mailbox_id: string
}

interface MtaStsPolicies {
  domain: string
  id: string
  mode: 'enforce' | 'testing' | 'none'
  mx: string[]
  until: Date
}
