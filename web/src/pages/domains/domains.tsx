import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Domain } from '../../api/generated.ts'
import { ActionButtons } from '../../parts/actions/action-buttons.tsx'
import { useActions } from '../../parts/actions/use-actions.ts'
import { Card } from '../../parts/page/card.tsx'
import { Page } from '../../parts/page/page.tsx'
import { Empty } from '../../parts/state/empty.tsx'
import { Loaded } from '../../parts/state/loaded.tsx'
import { useMay } from '../../session/may.ts'
import { domainActions } from './actions.ts'
import styles from './domains.module.css'
import { Enrol } from './enrol.tsx'
import { OneDomain } from './one-domain.tsx'
import { domainsQuery } from './queries.ts'
import { Remove } from './remove.tsx'

export function Domains() {
  const query = useQuery(domainsQuery)
  const mayChange = useMay('domains:write')
  const [asked, ask] = useState<Domain | 'new'>()
  const close = () => ask(undefined)
  const add = <ActionButtons actions={useActions(domainActions, () => ask('new'))} look="primary" />
  return (
    <Page
      title="Domains"
      about="Publish the records where the domain's DNS is kept. The service looks them up by itself, often at first."
      actions={add}
    >
      <Loaded query={query} what="domains">
        {({ data }) =>
          data.length === 0 ? (
            <Card>
              <Empty title="No domains yet" about="Mailboxes have addresses on your domains: ada@example.com.">
                {add}
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
