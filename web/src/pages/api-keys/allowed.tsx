import type { ApiKey } from '../../api/generated.ts'
import { scopesInWords } from './scopes.tsx'

/** Its scopes, and what restricts it. */
export function Allowed({ scopes, mailboxes, recipients, networks }: ApiKey) {
  const limits = [
    mailboxes && `mailboxes: ${mailboxes.map(({ address }) => address ?? 'deleted').join(', ')}`,
    recipients && `recipients: ${recipients.join(', ')}`,
    networks && `networks: ${networks.join(', ')}`,
  ].filter((limit) => limit !== null)
  return (
    <>
      {scopesInWords(scopes)}
      {limits.map((limit) => (
        <div key={limit}>Only {limit}</div>
      ))}
    </>
  )
}
