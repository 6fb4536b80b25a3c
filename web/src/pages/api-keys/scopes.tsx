import { Checkbox, CheckboxGroup } from 'react-aria-components/CheckboxGroup'
import { FieldError } from 'react-aria-components/FieldError'
import { Label } from 'react-aria-components/Label'
import type { ApiKeyScopesItem } from '../../api/generated.ts'
import { useFieldError } from '../../parts/field-errors.ts'
import styles from './api-keys.module.css'

const nouns: readonly (readonly [name: string, ...scopes: ApiKeyScopesItem[]])[] = [
  ['Messages', 'messages:read', 'messages:write'],
  ['Sending', 'sending:write'],
  ['Scheduled messages', 'scheduled:read', 'scheduled:write'],
  ['Labels', 'labels:read', 'labels:write'],
  ['Filters and blocks', 'filters:read', 'filters:write'],
  ['Forwarding', 'forwarding:read', 'forwarding:write'],
  ['Domains', 'domains:read', 'domains:write'],
  ['Mailboxes', 'mailboxes:read', 'mailboxes:write'],
  ['Usage', 'usage:read'],
  ['Members', 'members:read'],
]

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
      {nouns.map(([name, ...scopes]) => (
        <div key={name} className={styles.noun}>
          <span>{name}</span>
          {scopes.map((scope) => {
            const deed = scope.endsWith(':read') ? 'Read' : 'Write'
            return (
              <Checkbox key={scope} value={scope} aria-label={`${deed}: ${name}`} className={`${styles.scope}`}>
                <span className={styles.box} aria-hidden="true" />
                {deed}
              </Checkbox>
            )
          })}
        </div>
      ))}
      <FieldError>{error}</FieldError>
    </CheckboxGroup>
  )
}
