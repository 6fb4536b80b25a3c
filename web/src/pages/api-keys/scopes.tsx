import { CheckboxGroup } from 'react-aria-components/CheckboxGroup'
import { FieldError } from 'react-aria-components/FieldError'
import { Label } from 'react-aria-components/Label'
import type { ApiKeyScopesItem } from '../../api/generated.ts'
import { Check } from '../../parts/form/check.tsx'
import { useFieldError } from '../../parts/form/field-errors.ts'
import styles from './api-keys.module.css'

/** The subject of each scope. */
const nounOf: Readonly<Record<ApiKeyScopesItem, string>> = {
  'messages:read': 'Messages',
  'messages:write': 'Messages',
  'sending:draft': 'Sending',
  'sending:approve': 'Sending',
  'sending:write': 'Sending',
  'scheduled:read': 'Scheduled messages',
  'scheduled:write': 'Scheduled messages',
  'labels:read': 'Labels',
  'labels:write': 'Labels',
  'filters:read': 'Filters and blocks',
  'filters:write': 'Filters and blocks',
  'forwarding:read': 'Forwarding',
  'forwarding:write': 'Forwarding',
  'domains:read': 'Domains',
  'domains:write': 'Domains',
  'mailboxes:read': 'Mailboxes',
  'mailboxes:write': 'Mailboxes',
  'usage:read': 'Usage',
  'members:read': 'Members',
  'events:read': 'Events',
  'webhooks:read': 'Webhooks',
  'webhooks:write': 'Webhooks',
}

const nouns = Map.groupBy(Object.keys(nounOf) as ApiKeyScopesItem[], (scope) => nounOf[scope])

const deeds: Readonly<Record<string, string>> = { read: 'Read', draft: 'Draft', approve: 'Approve' }

const deedOf = (scope: ApiKeyScopesItem) => deeds[scope.split(':')[1] ?? ''] ?? 'Write'

/** What a key may do: "Labels (read, write), Usage (read)". */
export function scopesInWords(held: readonly ApiKeyScopesItem[]): string {
  const inWords = Array.from(nouns, ([name, scopes]) => {
    const of = scopes.filter((scope) => held.includes(scope))
    return of.length > 0 ? [`${name} (${of.map((scope) => deedOf(scope).toLowerCase()).join(', ')})`] : []
  })
  return held.length === Object.keys(nounOf).length ? 'Everything' : inWords.flat().join(', ')
}

interface Props {
  readonly chosen: readonly ApiKeyScopesItem[]
  readonly onChange: (scopes: ApiKeyScopesItem[]) => void
}

export function Scopes({ chosen, onChange }: Props) {
  const error = useFieldError('scopes')
  return (
    <CheckboxGroup
      name="scopes"
      isInvalid={error !== undefined}
      className={`${styles.scopes}`}
      value={[...chosen]}
      onChange={(scopes) => onChange(scopes as ApiKeyScopesItem[])}
    >
      <Label>What it may do</Label>
      {[...nouns].map(([name, scopes]) => (
        <div key={name} className={styles.noun}>
          <span>{name}</span>
          {scopes.map((scope) => {
            const deed = deedOf(scope)
            return (
              <Check key={scope} value={scope} aria-label={`${deed}: ${name}`}>
                {deed}
              </Check>
            )
          })}
        </div>
      ))}
      <FieldError>{error}</FieldError>
    </CheckboxGroup>
  )
}
