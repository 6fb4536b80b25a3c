import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Passkey } from '../../api/generated.ts'
import { Button } from '../../parts/form/button.tsx'
import { Card } from '../../parts/page/card.tsx'
import { Section } from '../../parts/page/section.tsx'
import { Table } from '../../parts/page/table.tsx'
import { Empty } from '../../parts/state/empty.tsx'
import { Loaded } from '../../parts/state/loaded.tsx'
import { Time } from '../../parts/time/time.tsx'
import { browserHasPasskeys } from '../../session/passkeys.ts'
import { hasPasskeys, waysQuery } from '../../session/ways.ts'
import { AddPasskey } from './add-passkey.tsx'
import { passkeysQuery } from './queries.ts'
import { RemovePasskey } from './remove-passkey.tsx'
import { RenamePasskey } from './rename-passkey.tsx'

type Asked = { readonly what: 'add' } | { readonly what: 'rename' | 'remove'; readonly passkey: Passkey }

/** The passkeys of the member. */
export function Passkeys() {
  const passkeys = useQuery(passkeysQuery)
  const { data: ways } = useQuery(waysQuery)
  const [asked, ask] = useState<Asked>()
  const close = () => ask(undefined)
  const add = hasPasskeys(ways) && <Button onPress={() => ask({ what: 'add' })}>Add a passkey</Button>
  return (
    <Section title="Passkeys" actions={passkeys.data?.data.length !== 0 && add}>
      <Card>
        <Loaded query={passkeys} what="passkeys">
          {({ data }) =>
            data.length === 0 ? (
              <Empty title="No passkeys yet" about={ways && !add ? whyNone(ways.passkey) : purpose}>
                {add}
              </Empty>
            ) : (
              <Table
                name="Passkeys"
                rows={data}
                rowKey={({ id }) => id}
                columns={[
                  { heading: 'Name', cell: ({ name }) => <strong>{name}</strong> },
                  { heading: 'Added', cell: ({ created_at }) => <Time at={created_at} /> },
                  {
                    heading: 'Last use',
                    cell: ({ last_used_at }) => (last_used_at ? <Time at={last_used_at} /> : 'Never'),
                  },
                  {
                    heading: '',
                    cell: (passkey) => (
                      <>
                        <Button
                          look="quiet"
                          aria-label={`Rename ${passkey.name}`}
                          onPress={() => ask({ what: 'rename', passkey })}
                        >
                          Rename
                        </Button>
                        <Button
                          look="quiet"
                          aria-label={`Remove ${passkey.name}`}
                          onPress={() => ask({ what: 'remove', passkey })}
                        >
                          Remove
                        </Button>
                      </>
                    ),
                  },
                ]}
              />
            )
          }
        </Loaded>
      </Card>
      {asked?.what === 'add' && <AddPasskey onClose={close} />}
      {asked?.what === 'rename' && <RenamePasskey passkey={asked.passkey} onClose={close} />}
      {asked?.what === 'remove' && <RemovePasskey passkey={asked.passkey} onClose={close} />}
    </Section>
  )
}

const purpose = 'A passkey signs you in by your finger, your face or the PIN of your device, without a password.'

function whyNone(underThisAddress: boolean): string {
  if (!underThisAddress && location.hostname === '127.0.0.1') {
    return `There are none under this address. Open http://localhost:${location.port} and sign in there.`
  }
  return underThisAddress && !browserHasPasskeys
    ? 'This browser has none.'
    : 'Passkeys need https and a host name. The operator sets this up.'
}
