import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type ApiKey, revokeApiKey } from '../../api/generated.ts'
import { ActionButtons } from '../../parts/actions/action-buttons.tsx'
import { useActions } from '../../parts/actions/use-actions.ts'
import { ActionDialog } from '../../parts/form/action-dialog.tsx'
import { Button } from '../../parts/form/button.tsx'
import { ShownOnce } from '../../parts/form/shown-once.tsx'
import { Card } from '../../parts/page/card.tsx'
import { Page } from '../../parts/page/page.tsx'
import { Table } from '../../parts/page/table.tsx'
import { Empty } from '../../parts/state/empty.tsx'
import { Loaded } from '../../parts/state/loaded.tsx'
import { Status } from '../../parts/text/status.tsx'
import { Time } from '../../parts/time/time.tsx'
import { keyActions } from './actions.ts'
import { Allowed } from './allowed.tsx'
import { CreateKey } from './create-key.tsx'
import { keysQuery } from './queries.ts'

type Asked = { readonly what: 'new' } | { readonly what: 'revoke'; readonly key: ApiKey }

export function ApiKeys() {
  const [asked, ask] = useState<Asked>()
  const [made, setMade] = useState<string>()
  const close = () => ask(undefined)
  const add = <ActionButtons actions={useActions(keyActions, () => ask({ what: 'new' }))} look="primary" />
  return (
    <Page
      title="API keys"
      about="With a key a program does what its scopes allow, in the organization’s name."
      actions={add}
    >
      <Card>
        <Loaded query={useQuery(keysQuery)} what="API keys">
          {({ data }) =>
            data.length === 0 ? (
              <Empty title="No API keys yet" about="The reference of the API is at /docs/.">
                {add}
              </Empty>
            ) : (
              <Table
                name="API keys"
                rows={data}
                rowKey={({ id }) => id}
                textOf={({ name, prefix, last_four }) => `${name} ${prefix}${last_four}`}
                columns={[
                  { heading: 'Key', cell: Name },
                  { heading: 'May', cell: Allowed },
                  {
                    heading: 'Last use',
                    cell: ({ last_used_at }) => (last_used_at ? <Time at={last_used_at} /> : 'Never'),
                  },
                  { heading: 'State', cell: State },
                  {
                    heading: '',
                    cell: (key) =>
                      key.status === 'live' && (
                        <Button
                          look="quiet"
                          aria-label={`Revoke ${shown(key)}`}
                          onPress={() => ask({ what: 'revoke', key })}
                        >
                          Revoke
                        </Button>
                      ),
                  },
                ]}
              />
            )
          }
        </Loaded>
      </Card>
      {asked?.what === 'new' && <CreateKey onCreated={setMade} onClose={close} />}
      {asked?.what === 'revoke' && (
        <ActionDialog
          title={`Revoke ${shown(asked.key)}?`}
          about="Programs that use it are refused within five seconds, for good."
          action="Revoke key"
          danger
          changes={[keysQuery.queryKey]}
          onSubmit={() => revokeApiKey(asked.key.id)}
          onClose={close}
        />
      )}
      {made && (
        <ShownOnce
          title="The key is made"
          about="Copy it now: it is not stored, and cannot be shown again."
          secret={made}
          name="API key"
          onClose={() => setMade(undefined)}
        />
      )}
    </Page>
  )
}

const shown = ({ name, prefix, last_four }: ApiKey) => name || `${prefix}…${last_four}`

function Name({ name, prefix, last_four }: ApiKey) {
  return (
    <>
      {name && <strong>{name}</strong>}
      <div>
        <code>
          {prefix}…{last_four}
        </code>
      </div>
    </>
  )
}

function State({ status, expires_at }: ApiKey) {
  if (status === 'revoked') return <Status is="plain">Revoked</Status>
  if (status === 'expired') return <Status is="warn">Expired</Status>
  return (
    <>
      <Status is="good">Live</Status>
      {expires_at && (
        <div>
          Expires <Time at={expires_at} />
        </div>
      )}
    </>
  )
}
