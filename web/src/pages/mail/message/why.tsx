import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { AppliedFilter, Message } from '../../../api/generated.ts'
import { folderName } from '../../../parts/text/folder-name.ts'
import { plain } from '../../../parts/text/plain.ts'
import { labelsQuery } from '../../labels/queries.ts'
import styles from './why.module.css'

/** Explains why a message is in its folder, and whether its sender is proven. */
export function Why({ message }: { message: Message }) {
  const reasons = [...message.filtered_by.map((filter) => <ByFilter key={filter.filter_id} filter={filter} />)]
  const junk = whyJunk(message)
  const doubt = doubtOf(message)
  if (reasons.length === 0 && !junk && !doubt) return null
  return (
    <div className={styles.why}>
      {doubt && <p className={styles.doubt}>{doubt}</p>}
      {junk && <p>{junk}</p>}
      {reasons}
    </div>
  )
}

function ByFilter({ filter: { filter_id, name, action, argument } }: { filter: AppliedFilter }) {
  const labels = useQuery(labelsQuery).data ?? []
  const label = labels.find(({ keyword }) => keyword === argument)?.name ?? argument ?? ''
  const did: Readonly<Record<string, string>> = {
    move: `moved it to ${folderName(argument ?? '')}`,
    label: `labelled it ${label}`,
    star: 'starred it',
    read: 'marked it as read',
  }
  return (
    <p>
      The filter{' '}
      <Link to="/filters" search={{ filter: filter_id }}>
        {plain(name)}
      </Link>{' '}
      {`${did[action] ?? 'changed it'} as it arrived.`}
    </p>
  )
}

/** A message in Junk that no filter moved there. */
function whyJunk({ folder, filtered_by, authentication }: Message): ReactNode {
  if (folder !== 'junk' || filtered_by.some(({ action }) => action === 'move')) return undefined
  if (authentication?.dmarc === 'fail')
    return 'It fails the check of its author’s domain (DMARC). Such mail goes to Junk if that domain asks for it; else it was moved here.'
  if (authentication?.dmarc === 'permerror') return 'It is in Junk because its author cannot be determined (DMARC).'
  return 'It was moved to Junk after it arrived: by somebody, by filters that ran over old mail, or by a mail program.'
}

/** The text about an unproven sender; nothing if all is well, or nothing was checked. */
function doubtOf({ authentication, from }: Message): ReactNode {
  if (!authentication || authentication.aligned) return undefined
  const claimed = plain(from.address.split('@').at(-1) ?? '')
  const proven = authentication.domain === null ? '' : ` It was sent by ${plain(authentication.domain)}.`
  if (authentication.dmarc === 'fail')
    return `Be careful: this message claims to be from ${claimed}, and fails that domain’s check.${proven}`
  return `Nothing proves that this message is from ${claimed || 'whom it names'}.${proven}`
}
