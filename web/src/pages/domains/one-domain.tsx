import { useState } from 'react'
import { Meter } from 'react-aria-components/Meter'
import { type Domain, getDownloadDomainZoneUrl } from '../../api/generated.ts'
import { Button } from '../../parts/form/button.tsx'
import { Status } from '../../parts/text/status.tsx'
import { Time } from '../../parts/time/time.tsx'
import styles from './domains.module.css'
import { Record } from './record.tsx'

export function OneDomain({ domain, remove }: { domain: Domain; remove?: () => void }) {
  const { domain_unicode: name, dns, outstanding, status } = domain
  const [open, setOpen] = useState(status !== 'verified' || outstanding > 0)
  return (
    <section aria-label={name}>
      <div className={styles.head}>
        <h2>{name}</h2>
        <State domain={domain} />
        <Checks domain={domain} />
        <Button look="quiet" aria-expanded={open} onPress={() => setOpen(!open)}>
          {open ? 'Hide records' : 'Show records'}
        </Button>
        {remove && (
          <Button look="quiet" aria-label={`Remove ${name}`} onPress={remove}>
            Remove
          </Button>
        )}
      </div>
      {open && (
        <>
          {outstanding > 0 && <Progress found={dns.filter(({ satisfied }) => satisfied).length} of={dns.length} />}
          {outstanding > 0 && (
            <p className={styles.zone}>
              Several at once: download what is outstanding as a{' '}
              <a href={getDownloadDomainZoneUrl(domain.id)} download={`${domain.domain}.zone`}>
                zone file
              </a>
              , which many DNS providers take.
            </p>
          )}
          <ul>
            {dns.map((record) => (
              <Record key={`${record.purpose} ${record.name}`} record={record} />
            ))}
          </ul>
        </>
      )}
    </section>
  )
}

function Progress({ found, of }: { found: number; of: number }) {
  const said = `${found} of ${of} records found`
  return (
    <Meter aria-label="Records found" value={found} maxValue={of} valueLabel={said} className={`${styles.progress}`}>
      <div className={styles.track}>
        <div className={styles.fill} style={{ width: `${(found / of) * 100}%` }} />
      </div>
      {said}
    </Meter>
  )
}

function State({ domain: { status, outstanding, suspended } }: { domain: Domain }) {
  if (suspended) return <Status is="bad">Suspended by the operator</Status>
  if (status === 'failed') return <Status is="bad">Failed: remove it and add it again</Status>
  if (status === 'pending') return <Status is="warn">Not verified yet</Status>
  if (outstanding > 0) return <Status is="warn">Verified, {outstanding} outstanding</Status>
  return <Status is="good">Verified</Status>
}

function Checks({ domain: { last_checked_at, next_check_at } }: { domain: Domain }) {
  return (
    <span className={styles.when}>
      {last_checked_at !== null && (
        <>
          Checked <Time at={last_checked_at} />
        </>
      )}
      {next_check_at !== null && (
        <>
          {last_checked_at !== null && ', again '}
          {last_checked_at === null && 'First check '}
          <Time at={next_check_at} />
        </>
      )}
    </span>
  )
}
