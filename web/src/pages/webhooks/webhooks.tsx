import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Webhook } from '../../api/generated.ts'
import { Button } from '../../parts/form/button.tsx'
import { ShownOnce } from '../../parts/form/shown-once.tsx'
import { useCommands } from '../../parts/keyboard/commands.ts'
import { Card } from '../../parts/page/card.tsx'
import { Page } from '../../parts/page/page.tsx'
import { Table } from '../../parts/page/table.tsx'
import { Empty } from '../../parts/state/empty.tsx'
import { Loaded } from '../../parts/state/loaded.tsx'
import { useMay } from '../../session/may.ts'
import { webhooksQuery } from './queries.ts'
import { State } from './state.tsx'
import { WebhookForm } from './webhook-form.tsx'

export function Webhooks() {
  const may = useMay('webhooks:write')
  const [asked, ask] = useState(false)
  const [secret, setSecret] = useState<string>()
  useCommands(may ? [{ name: 'New webhook', run: () => ask(true) }] : [])
  const add = may && (
    <Button look="primary" onPress={() => ask(true)}>
      New webhook
    </Button>
  )
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
