import { tagList } from './tag-list.ts'

/** How a kind of TXT record is read. */
export interface Reading {
  /** As in a sentence: `DMARC records`. */
  readonly plural: string
  /** With more than one of them at a name, receivers use none. */
  readonly single: boolean
  /** Such a record at a parent domain holds for this one too. */
  readonly inherited: boolean
  /** Whether a text at the name is meant to be such a record, in order or not. */
  isMeant(text: string): boolean
  /** What is wrong with it, in sentences; undefined for one that satisfies. */
  fault(text: string): string | undefined
  /** What would be better about one that satisfies. */
  advice?(text: string): string | undefined
}

/** The token stands alone, beside whatever else others have published at the name. */
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

/** Any policy will do: which one is the domain owner's to choose (RFC 9989 4.7). */
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

/** Senders look at the id only to learn that the policy has changed, so any will do (RFC 8461 3.1). */
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

/** Where the reports go is the domain owner's to choose (RFC 8460 3). */
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
