/** A domain's policy for its mail hosts (RFC 8461, section 3.2). */
export interface Policy {
  readonly mode: 'enforce' | 'testing' | 'none'
  /** Host names in lower case; `*.` in front stands for one label. */
  readonly mx: readonly string[]
}

/** A policy, and until when it holds, in milliseconds since the epoch. */
export interface HeldPolicy {
  readonly id: string
  readonly policy: Policy
  readonly until: number
}

/** A persistent store of policies. */
export interface KeptPolicies {
  find(domain: string): Promise<HeldPolicy | undefined>
  keep(domain: string, held: HeldPolicy): Promise<void>
}
