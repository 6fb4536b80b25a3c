import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Table } from '../../parts/page/table.tsx'
import { plain } from '../../parts/text/plain.ts'
import { Time } from '../../parts/time/time.tsx'
import { meQuery } from '../../session/me.ts'
import type { Matter } from './queries.ts'

/** Failures or waiting items: reason, time, and a link to details. */
export function Matters({ name, matters }: { name: string; matters: readonly Matter[] }) {
  return (
    <Table
      name={name}
      rows={matters}
      rowKey={({ key }) => key}
      columns={[
        {
          heading: 'What',
          cell: ({ what, why }) => (
            <>
              <strong>{plain(what)}</strong>
              {why !== '' && <div>{plain(why)}</div>}
            </>
          ),
        },
        { heading: 'When', cell: ({ at }) => at !== null && <Time at={at} /> },
        { heading: '', cell: ({ what, to }) => <Where what={plain(what)} to={to} /> },
      ]}
    />
  )
}

function Where({ what, to }: Pick<Matter, 'what' | 'to'>) {
  const { data: me } = useQuery(meQuery)
  const label = `Look: ${what}`
  if (typeof to === 'string')
    return (
      <Link to={to} aria-label={label}>
        Look
      </Link>
    )
  if (to && 'mailbox' in to)
    return (
      <Link to="/mailboxes/$address" params={{ address: to.mailbox }} aria-label={label}>
        Look
      </Link>
    )
  // Only of mailboxes whose mail the member may read.
  if (!to || !me?.mailboxes.some(({ address }) => address === to.sentOf)) return null
  return (
    <Link to="/mail/$mailbox/$folder" params={{ mailbox: to.sentOf, folder: 'sent' }} aria-label={label}>
      Look
    </Link>
  )
}
