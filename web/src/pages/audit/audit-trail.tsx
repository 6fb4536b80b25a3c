import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type AuditEntry, listAuditEntries } from '../../api/generated.ts'
import { Choice } from '../../parts/form/choice.tsx'
import { Card } from '../../parts/page/card.tsx'
import { Page } from '../../parts/page/page.tsx'
import { ShowMore } from '../../parts/page/show-more.tsx'
import { Table } from '../../parts/page/table.tsx'
import { Empty } from '../../parts/state/empty.tsx'
import { Loaded } from '../../parts/state/loaded.tsx'
import { browserName } from '../../parts/text/browser-name.ts'
import { Time } from '../../parts/time/time.tsx'
import { useMay } from '../../session/may.ts'
import styles from './audit-trail.module.css'

const items = [
  ['', 'Everything'],
  ['label', 'Labels'],
  ['filter', 'Filters'],
  ['blocked_sender', 'Blocked senders'],
  ['domain', 'Domains'],
  ['mailbox', 'Mailboxes'],
  ['alias', 'Aliases'],
  ['forwarding', 'Forwarding'],
  ['member', 'Members'],
  ['key', 'API keys'],
  ['webhook', 'Webhooks'],
  ['suppression', 'Suppressed addresses'],
  ['organization', 'Organization'],
  ['request', 'Refused requests'],
] as const

export function AuditTrail() {
  const mayRead = useMay('read_audit')
  const [item, choose] = useState<(typeof items)[number][0]>('')
  const query = useInfiniteQuery({
    queryKey: ['audit', item],
    queryFn: ({ pageParam, signal }) =>
      listAuditEntries({ limit: 100, cursor: pageParam, ...(item !== '' && { action: item }) }, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    select: ({ pages }) => pages.flatMap(({ data }) => data),
  })
  return (
    <Page
      title="Audit trail"
      about="Who changed which settings, newest first. Entries stay for 400 days; nobody can change one."
    >
      {mayRead && (
        <div className={styles.choice}>
          <Choice
            name="item"
            label="Show"
            value={item}
            onChange={choose}
            options={items.map(([id, name]) => ({ id, name }))}
          />
        </div>
      )}
      <Card>
        <Loaded query={query} what="the audit trail">
          {(entries) =>
            entries.length === 0 ? (
              <Empty title="No entries" about="A change of these settings leaves an entry here." />
            ) : (
              <div className={styles.trail}>
                <Table name="Audit trail" rows={entries} rowKey={({ id }) => String(id)} columns={columns} />
              </div>
            )
          }
        </Loaded>
      </Card>
      <ShowMore query={query} name="Older entries" />
    </Page>
  )
}

const toTheSecond = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

const columns = [
  {
    heading: 'When',
    cell: ({ at }: AuditEntry) => (
      <>
        <Time at={at} />
        <div className={styles.soft}>{toTheSecond.format(new Date(at))}</div>
      </>
    ),
  },
  {
    heading: 'Who',
    cell: ({ actor: { kind, name, address } }: AuditEntry) => (
      <>
        {name || kind}
        {name && name !== kind && (
          <div className={styles.soft}>{address === null ? kind : `${kind}, from ${address}`}</div>
        )}
      </>
    ),
  },
  {
    heading: 'What',
    cell: ({ action, item }: AuditEntry) => (
      <>
        <strong>{action.replace('.', ' ').replaceAll('_', ' ')}</strong>
        <div>{item.name}</div>
      </>
    ),
  },
  { heading: 'Change', cell: Change },
]

/** The settings that changed. */
function Change({ before, after }: AuditEntry) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  const changed = names.filter((name) => said(name, before?.[name]) !== said(name, after?.[name]))
  return changed.map((name) => (
    <div key={name} className={styles.change}>
      {name.replaceAll('_', ' ')}: {before && name in before && <del>{said(name, before[name])}</del>}{' '}
      {after && name in after && <ins>{said(name, after[name])}</ins>}
    </div>
  ))
}

/** A missing setting and an empty one read alike. */
function said(name: string, value: unknown): string {
  if (value === null || value === undefined) return 'none'
  if (Array.isArray(value)) return value.map((one) => said(name, one)).join(', ')
  if (name === 'user_agent') return browserName(String(value))
  if (typeof value === 'object' && 'name' in value) return said(name, value.name)
  return typeof value === 'string' ? value : JSON.stringify(value)
}
