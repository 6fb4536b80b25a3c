import type { Address, Message } from '../../../api/generated.ts'
import { plain } from '../../../parts/text/plain.ts'
import { inFull } from '../../../parts/time/time.tsx'
import { personName } from '../people.ts'
import styles from './open-message.module.css'

/** The recipients of a message in one line; all of them on request. */
export function Recipients({ message: { from, to, cc, reply_to, date, received_at } }: { message: Message }) {
  const others = to.length + cc.length - 1
  const first = to[0] ?? cc[0]
  return (
    <details className={styles.people}>
      <summary>
        To <bdi>{first ? personName(first) : 'nobody who is named'}</bdi>
        {others > 0 && ` and ${others === 1 ? '1 other' : `${others} others`}`}
      </summary>
      <dl>
        <dt>From</dt>
        <dd>{written(from)}</dd>
        <People name="To" people={to} />
        <People name="Cc" people={cc} />
        <People name="Reply to" people={reply_to} />
        {date !== null && (
          <>
            <dt>Written</dt>
            <dd>{inFull(date)}</dd>
          </>
        )}
        <dt>Arrived</dt>
        <dd>{inFull(received_at)}</dd>
      </dl>
    </details>
  )
}

function People({ name, people }: { name: string; people: readonly Address[] }) {
  if (people.length === 0) return null
  return (
    <>
      <dt>{name}</dt>
      <dd>{people.map(written).join(', ')}</dd>
    </>
  )
}

function written({ name, address }: Address): string {
  const shown = plain(name)
  return shown === '' ? plain(address) : `${shown} <${plain(address)}>`
}
