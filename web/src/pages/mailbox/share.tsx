import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type GiveMailboxAccessBodyLevel, giveMailboxAccess } from '../../api/generated.ts'
import { ActionDialog } from '../../parts/form/action-dialog.tsx'
import { Choice } from '../../parts/form/choice.tsx'
import { mailboxesQuery } from '../mailboxes/queries.ts'
import { membersQuery } from '../members/queries.ts'
import { levels } from './levels.ts'

const given = ['read', 'change', 'send'] as const

interface Props {
  readonly address: string
  /** The mailbox's own member, who needs no access. */
  readonly owner: string | undefined
  readonly onClose: () => void
}

/** Gives a member access, or changes the level. */
export function Share({ address, owner, onClose }: Props) {
  const members = (useQuery(membersQuery).data?.data ?? []).filter(({ id }) => id !== owner)
  const [chosen, choose] = useState<string>()
  const [level, setLevel] = useState<GiveMailboxAccessBodyLevel>('change')
  const member = chosen ?? members[0]?.id
  return (
    <ActionDialog
      title={`Share ${address}`}
      about="The mailbox’s own member sees in their profile who was given access."
      action="Share"
      ready={member !== undefined}
      fields={['level']}
      changes={[mailboxesQuery.queryKey]}
      onSubmit={async () => member !== undefined && giveMailboxAccess(address, member, { level })}
      onClose={onClose}
    >
      {member !== undefined && (
        <Choice
          name="member"
          label="With"
          value={member}
          onChange={choose}
          options={members.map(({ id, name, email }) => ({
            id,
            name: email,
            shown: name ? `${name}, ${email}` : email,
          }))}
        />
      )}
      <Choice
        name="level"
        label="They may"
        value={level}
        onChange={setLevel}
        options={given.map((id) => ({ id, name: levels[id] }))}
      />
    </ActionDialog>
  )
}
