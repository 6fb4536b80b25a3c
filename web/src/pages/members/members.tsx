import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Member } from '../../api/generated.ts'
import { ActionButtons } from '../../parts/actions/action-buttons.tsx'
import { useActions } from '../../parts/actions/use-actions.ts'
import { Button } from '../../parts/form/button.tsx'
import { ShownOnce } from '../../parts/form/shown-once.tsx'
import { Card } from '../../parts/page/card.tsx'
import { Page } from '../../parts/page/page.tsx'
import { Table } from '../../parts/page/table.tsx'
import { Empty } from '../../parts/state/empty.tsx'
import { Loaded } from '../../parts/state/loaded.tsx'
import { Person } from '../../parts/text/person.tsx'
import { Status } from '../../parts/text/status.tsx'
import { Time } from '../../parts/time/time.tsx'
import { useMay } from '../../session/may.ts'
import { memberActions } from './actions.ts'
import { AddMember } from './add-member.tsx'
import { GiveRole } from './give-role.tsx'
import { Invite } from './invite.tsx'
import type { MadeLink } from './made-link.ts'
import { membersQuery } from './queries.ts'
import { Remove } from './remove.tsx'

type Asked = { readonly what: 'add' } | { readonly what: 'invite' | 'role' | 'remove'; readonly member: Member }

export function Members() {
  const mayManage = useMay('manage_members')
  const mayManageOwners = useMay('manage_owners')
  const [asked, ask] = useState<Asked>()
  const [made, setMade] = useState<MadeLink>()
  const close = () => ask(undefined)
  const add = <ActionButtons actions={useActions(memberActions, () => ask({ what: 'add' }))} look="primary" />
  return (
    <Page title="Members" about="People of the organization who can sign in." actions={add}>
      <Card>
        <Loaded query={useQuery(membersQuery)} what="members">
          {({ data }) =>
            data.length === 0 ? (
              <Empty title="No members yet" about="Each signs in by a link of their own." />
            ) : (
              <Table
                name="Members"
                rows={data}
                rowKey={({ id }) => id}
                textOf={({ name, email }) => `${name} ${email}`}
                columns={[
                  {
                    heading: 'Member',
                    cell: (member) => <Person name={member.name} email={member.email} />,
                  },
                  {
                    heading: 'Role',
                    cell: ({ role }) => <Status is={role === 'member' ? 'plain' : 'good'}>{role}</Status>,
                  },
                  { heading: 'Joined', cell: ({ joined_at }) => <Time at={joined_at} /> },
                  {
                    heading: '',
                    cell: (member) =>
                      mayManage &&
                      (member.role !== 'owner' || mayManageOwners) && (
                        <Actions email={member.email} on={(what) => ask({ what, member })} />
                      ),
                  },
                ]}
              />
            )
          }
        </Loaded>
      </Card>
      {asked?.what === 'add' && <AddMember onAdded={setMade} onClose={close} />}
      {asked?.what === 'invite' && <Invite member={asked.member} onMade={setMade} onClose={close} />}
      {asked?.what === 'role' && <GiveRole member={asked.member} onClose={close} />}
      {asked?.what === 'remove' && <Remove member={asked.member} onClose={close} />}
      {made && (
        <ShownOnce
          title={`A link for ${made.email}`}
          about={`It signs them in, once, for 72 hours. ${
            made.mailed
              ? 'It is on its way to them by mail. It cannot be shown again.'
              : 'Pass it on to them alone: it is not sent, and cannot be shown again.'
          }`}
          secret={made.link}
          name="link"
          onClose={() => setMade(undefined)}
        />
      )}
    </Page>
  )
}

function Actions({ email, on }: { email: string; on: (what: 'invite' | 'role' | 'remove') => void }) {
  return (
    <>
      <Button look="quiet" aria-label={`New link for ${email}`} onPress={() => on('invite')}>
        New link
      </Button>
      <Button look="quiet" aria-label={`Role of ${email}`} onPress={() => on('role')}>
        Role
      </Button>
      <Button look="quiet" aria-label={`Remove ${email}`} onPress={() => on('remove')}>
        Remove
      </Button>
    </>
  )
}
