import type { DnsRecord } from '../../api/generated.ts'
import { Copy } from '../../parts/form/copy.tsx'
import { Status } from '../../parts/text/status.tsx'
import styles from './domains.module.css'

const purposes: Readonly<Record<string, string>> = {
  ownership: 'Ownership',
  mx: 'Receiving (MX)',
  spf: 'Who may send (SPF)',
  dkim: 'Signatures (DKIM)',
  dmarc: 'Policy (DMARC)',
}

const problems: Readonly<Record<string, string>> = {
  missing: 'There is no such record.',
  mismatch: 'There is another record.',
  conflict: 'There are several records, and only one is allowed.',
  lookup_failed: 'The DNS did not answer at the last check.',
}

/** A record to publish, and what the last check found. */
export function Record({ record }: { record: DnsRecord }) {
  const { purpose, type, name, value, priority, found, problem, fix } = record
  const title = purposes[purpose] ?? purpose
  return (
    <li className={styles.record}>
      <div className={styles.purpose}>
        {title}
        <State record={record} />
      </div>
      <dl className={styles.parts}>
        <Part name="Type" value={priority === null ? type : `${type}, priority ${priority}`} />
        <Part name="Name" value={name} copy={`name of ${title}`} />
        <Part name={problem === null ? 'Value' : 'Expected'} value={value} copy={`value of ${title}`} />
        {problem !== null && found.map((text) => <Part key={text} name="Found" value={text} />)}
      </dl>
      {problem !== null && (
        <p className={styles.problem}>
          {problems[problem]} {fix}
        </p>
      )}
    </li>
  )
}

function State({ record: { satisfied, last_checked_at, problem } }: { record: DnsRecord }) {
  if (satisfied) return <Status is="good">Found</Status>
  if (last_checked_at === null) return <Status is="plain">Not checked yet</Status>
  return <Status is="warn">{problem === 'missing' ? 'Missing' : 'Not right yet'}</Status>
}

function Part({ name, value, copy }: { name: string; value: string; copy?: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <code>{value}</code>
      </dd>
      <dd>{copy !== undefined && <Copy text={value} of={copy} />}</dd>
    </>
  )
}
