import { tagList } from './tag-list.ts'

/** How a kind of TXT record is read. */
export interface Reading {
  /** Its name in a sentence: `DMARC records`. */
  readonly plural: string
  /** Receivers use none of several at a name. */
  readonly single: boolean
  /** Whether a record of a parent domain applies too. */
  readonly inherited: boolean
  /** Whether a text is meant as such a record, valid or not. */
  isMeant(text: string): boolean
  /** What is wrong with it, in sentences; undefined if it satisfies. */
  fault(text: string): string | undefined
  /** What could be better about a record that satisfies. */
  advice?(text: string): string | undefined
}

/** The token is a record by itself, beside others at the name. */
export function ownership(token: string): Reading {
  return {
    plural: 'ownership tokens',
    single: false,
    inherited: false,
    isMeant: () => true,
    fault: (text) => {
      if (text.trim() === token) return undefined
      return text.trim().toLowerCase() === token.toLowerCase()
        ? 'The token differs in upper and lower case: enter it exactly as shown.'
        : 'This name has another value, perhaps the token of an earlier enrolment: publish the one shown.'
    },
  }
}

/** Any policy satisfies: the domain owner chooses (RFC 9989, section 4.7). */
export const dmarc: Reading = {
  plural: 'DMARC records',
  single: true,
  inherited: true,
  isMeant: (text) => /^\s*v\s*=\s*dmarc/i.test(text),
  fault: (text) => {
    if (!/^v\s*=\s*DMARC1\s*(;|$)/.test(text)) return 'The record must start with exactly v=DMARC1;'
    const policy = tagList(text)?.get('p')
    if (policy === undefined) return 'The record is not a list of tags with a policy: it needs p=none at least.'
    return /^(none|quarantine|reject)$/i.test(policy) ? undefined : 'The policy p= must be none, quarantine or reject.'
  },
}

/** Senders use the id only to notice changes of the policy, so any satisfies (RFC 8461, section 3.1). */
export const mtaSts: Reading = {
  plural: 'MTA-STS records',
  single: true,
  inherited: false,
  isMeant: (text) => /^\s*v\s*=\s*STSv1/i.test(text),
  fault: (text) =>
    /^v=STSv1\s*;/.test(text) && /^[a-z0-9]{1,32}$/i.test(tagList(text)?.get('id') ?? '')
      ? undefined
      : 'The record must be v=STSv1; and an id= of 1 to 32 letters and digits.',
}

/** The domain owner chooses where reports go (RFC 8460, section 3). */
export const tlsRpt: Reading = {
  plural: 'TLS-RPT records',
  single: true,
  inherited: false,
  isMeant: (text) => /^\s*v\s*=\s*TLSRPTv1/i.test(text),
  fault: (text) =>
    /^v=TLSRPTv1\s*;/.test(text) && /^(mailto:[^@]+@|https:\/\/)./i.test(tagList(text)?.get('rua') ?? '')
      ? undefined
      : 'The record must be v=TLSRPTv1; and a rua= that is a mailto: or https: address.',
}
