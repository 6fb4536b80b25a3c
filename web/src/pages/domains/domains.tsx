import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Domain, enrolDomain, getShowDomainZoneUrl, removeDomain } from '../../api/generated.ts'
import { Button } from '../../parts/button.tsx'
import { Status } from '../../parts/chip.tsx'
import { ActionDialog } from '../../parts/dialog.tsx'
import { TextInput } from '../../parts/field.tsx'
import { Card, Page } from '../../parts/page.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { useMay } from '../../session/may.ts'
import styles from './domains.module.css'
import { domainsChanged, domainsQuery } from './queries.ts'
import { Record } from './record.tsx'

export function Domains() {
  const query = useQuery(domainsQuery)
  const mayChange = useMay('domains:write')
  const [asked, ask] = useState<Domain | 'new'>()
  const close = () => ask(undefined)
  const add = (
    <Button look="primary" onPress={() => ask('new')}>
      Add a domain
    </Button>
  )
  return (
    <Page
      title="Domains"
      about="Publish the records where the domain's DNS is kept. They are looked for by themselves, often at first."
      actions={mayChange && add}
    >
      <Loaded query={query} what="domains">
        {({ data }) =>
          data.length === 0 ? (
            <Card>
              <Empty title="No domains yet" about="A domain that you own is where mailboxes live: ada@example.com.">
                {mayChange && add}
              </Empty>
            </Card>
          ) : (
            <ul className={styles.list}>
              {data.map((domain) => (
                <li key={domain.id}>
                  <Card>
                    <OneDomain domain={domain} {...(mayChange && { remove: () => ask(domain) })} />
                  </Card>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {asked === 'new' && <Enrol onClose={close} />}
      {asked && asked !== 'new' && <Remove domain={asked} onClose={close} />}
    </Page>
  )
}

function OneDomain({ domain, remove }: { domain: Domain; remove?: () => void }) {
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
          {outstanding > 0 && (
            <p className={styles.zone}>
              Several at once: download what is outstanding as a{' '}
              <a href={getShowDomainZoneUrl(domain.id)} download={`${domain.domain}.zone`}>
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

function Enrol({ onClose }: { onClose: () => void }) {
  const [domain, setDomain] = useState('')
  const enrol = async () => {
    await enrolDomain({ domain: domain.trim() })
    await domainsChanged()
  }
  return (
    <ActionDialog
      title="Add a domain"
      action="Add domain"
      ready={domain.trim() !== ''}
      fields={['domain']}
      onSubmit={enrol}
      onClose={onClose}
    >
      <TextInput
        name="domain"
        label="Domain"
        placeholder="example.com"
        value={domain}
        onChange={setDomain}
        autoFocus
        hint="Next you get the records to publish."
      />
    </ActionDialog>
  )
}

function Remove({ domain: { id, domain_unicode: name }, onClose }: { domain: Domain; onClose: () => void }) {
  const [typed, setTyped] = useState('')
  const remove = async () => {
    await removeDomain(id)
    await domainsChanged()
  }
  return (
    <ActionDialog
      title={`Remove ${name}?`}
      about="Mail for it is refused from then on. A domain that has mailboxes cannot be removed."
      action="Remove domain"
      danger
      ready={typed.trim().toLowerCase() === name}
      onSubmit={remove}
      onClose={onClose}
    >
      <TextInput label={`Type ${name} to remove it`} value={typed} onChange={setTyped} autoFocus />
    </ActionDialog>
  )
}
