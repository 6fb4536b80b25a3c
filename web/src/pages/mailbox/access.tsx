import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { endMailboxAccess, type MailboxAccess } from '../../api/generated.ts'
import { ActionDialog } from '../../parts/form/action-dialog.tsx'
import { Button } from '../../parts/form/button.tsx'
import { Card } from '../../parts/page/card.tsx'
import { Section } from '../../parts/page/section.tsx'
import { Table } from '../../parts/page/table.tsx'
import { Empty } from '../../parts/state/empty.tsx'
import { Loaded } from '../../parts/state/loaded.tsx'
import { Person } from '../../parts/text/person.tsx'
import { Time } from '../../parts/time/time.tsx'
import { useMay } from '../../session/may.ts'
import { mailboxesQuery } from '../mailboxes/queries.ts'
import { levels } from './levels.ts'
import { accessQuery } from './queries.ts'
import { Share } from './share.tsx'

/** The members who may use a mailbox. */
export function Access({ address }: { address: string }) {
  const query = useQuery(accessQuery(address))
  const owner = query.data?.data.find(({ level }) => level === 'own')?.member_id
  const mayShareOwn = useMay('share_own_mailboxes')
  const mayShare = useMay('manage_mailboxes') && query.data !== undefined && (owner === undefined || mayShareOwn)
  const [asked, ask] = useState<'share' | MailboxAccess>()
  const close = () => ask(undefined)
  return (
    <Section title="Who may use it" actions={mayShare && <Button onPress={() => ask('share')}>Share</Button>}>
      <Card>
        <Loaded query={query} what="who may use it">
          {({ data }) =>
            data.length === 0 ? (
              <Empty
                title="Nobody reads it here"
                about="Programs do, with keys. Share it with members who are to read it."
              />
            ) : (
              <Table
                name="Who may use it"
                rows={data}
                rowKey={({ member_id }) => member_id}
                columns={[
                  {
                    heading: 'Member',
                    cell: (member) => <Person name={member.name} email={member.email} />,
                  },
                  { heading: 'May', cell: ({ level }) => levels[level] },
                  { heading: 'Since', cell: ({ given_at }) => given_at && <Time at={given_at} /> },
                  {
                    heading: '',
                    cell: (access) =>
                      mayShare &&
                      access.level !== 'own' && (
                        <Button look="quiet" aria-label={`End access of ${access.email}`} onPress={() => ask(access)}>
                          End
                        </Button>
                      ),
                  },
                ]}
              />
            )
          }
        </Loaded>
      </Card>
      {asked === 'share' && <Share address={address} owner={owner} onClose={close} />}
      {asked && asked !== 'share' && (
        <ActionDialog
          title={`End access of ${asked.email}?`}
          about={`They no longer see ${address}, within five seconds.`}
          action="End access"
          danger
          changes={[mailboxesQuery.queryKey]}
          onSubmit={() => endMailboxAccess(address, asked.member_id)}
          onClose={close}
        />
      )}
    </Section>
  )
}
