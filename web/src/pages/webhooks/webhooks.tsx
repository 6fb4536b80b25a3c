import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Webhook } from '../../api/generated.ts'
import { ActionButtons } from '../../parts/actions/action-buttons.tsx'
import { useActions } from '../../parts/actions/use-actions.ts'
import { ShownOnce } from '../../parts/form/shown-once.tsx'
import { Card } from '../../parts/page/card.tsx'
import { Page } from '../../parts/page/page.tsx'
import { Table } from '../../parts/page/table.tsx'
import { Empty } from '../../parts/state/empty.tsx'
import { Loaded } from '../../parts/state/loaded.tsx'
import { webhookActions } from './actions.ts'
import { webhooksQuery } from './queries.ts'
import { State } from './state.tsx'
import { WebhookForm } from './webhook-form.tsx'

export function Webhooks() {
  const [asked, ask] = useState(false)
  const [secret, setSecret] = useState<string>()
  const add = <ActionButtons actions={useActions(webhookActions, () => ask(true))} look="primary" />
  return (
    <Page title="Webhooks" about="Events are posted to these URLs, at once and signed." actions={add}>
      <Card>
        <Loaded query={useQuery(webhooksQuery)} what="webhooks">
          {({ data }) =>
            data.length === 0 ? (
              <Empty title="No webhooks yet" about="Add the URL of a program that gets events as they happen.">
                {add}
              </Empty>
            ) : (
              <Table
                name="Webhooks"
                rows={data}
                rowKey={({ id }) => id}
                columns={[
                  { heading: 'Webhook', cell: Name },
                  { heading: 'Selection of', cell: Selection },
                  { heading: 'With the rights of', cell: ({ reads_as }) => reads_as.name },
                  { heading: 'State', cell: State },
                ]}
              />
            )
          }
        </Loaded>
      </Card>
      {asked && <WebhookForm onDone={({ secret }) => setSecret(secret)} onClose={() => ask(false)} />}
      {secret && (
        <ShownOnce
          title="The webhook is made"
          about="The receiver verifies signatures with this secret. Copy it now: it cannot be shown again."
          secret={secret}
          name="secret"
          onClose={() => setSecret(undefined)}
        />
      )}
    </Page>
  )
}

function Name({ id, name, url }: Webhook) {
  return (
    <>
      <Link to="/webhooks/$id" params={{ id }}>
        {name || new URL(url).host}
      </Link>
      <div>
        <code>{url}</code>
      </div>
    </>
  )
}

function Selection({ types, mailbox }: Webhook) {
  return (
    <>
      {types ? types.join(', ') : 'Everything'}
      {mailbox && <div>Only {mailbox.address ?? 'a deleted mailbox'}</div>}
    </>
  )
}
