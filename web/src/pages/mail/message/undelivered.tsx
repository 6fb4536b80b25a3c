import { useQuery } from '@tanstack/react-query'
import type { Message, NotDelivered } from '../../../api/generated.ts'
import { plain } from '../../../parts/text/plain.ts'
import { Time } from '../../../parts/time/time.tsx'
import type { Place } from '../place.ts'
import { notDeliveredQuery } from '../queries.ts'
import styles from './why.module.css'

/** The meaning of enhanced status codes without a server's text (RFC 3463, section 3), without their first digit. */
const reasons: Readonly<Record<string, string>> = {
  '1.1': 'there is no such mailbox',
  '1.2': 'the domain accepts no mail',
  '1.10': 'the domain accepts no mail',
  '2.1': 'the mailbox accepts no mail',
  '2.2': 'the mailbox is full',
  '3.4': 'the message is too large',
  '4.1': 'no server of the domain answers',
  '4.4': 'no route to the domain is found',
  '4.7': 'it could not be delivered in time',
  '7.1': 'the server does not allow it',
}

/** Recipients that a message of ours has not reached, by notices of non-delivery in its conversation. */
export function Undelivered({ place: { mailbox, folder }, message }: { place: Place; message: Message }) {
  const { id, conversation_id, from } = message
  const isOurs = folder === 'sent' || from.address.toLowerCase() === mailbox.toLowerCase()
  const query = useQuery({
    ...notDeliveredQuery(mailbox, conversation_id ?? ''),
    enabled: isOurs && conversation_id !== null,
  })
  const found = query.data?.find((one) => one.id === id)?.notDelivered ?? []
  if (found.length === 0) return null
  return (
    <ul className={styles.why} aria-label="Not delivered">
      {found.map((one) => (
        <li key={`${one.recipient} ${one.at}`} className={styles.doubt}>
          <Notice notice={one} />
        </li>
      ))}
    </ul>
  )
}

function Notice({ notice: { recipient, status, diagnostic, at, proven } }: { notice: NotDelivered }) {
  const reason = diagnostic ?? reasonOf(status)
  return (
    <>
      {proven ? 'Not delivered' : 'A notice says that this was not delivered'}
      {recipient !== null && (
        <>
          {' to '}
          <bdi>{plain(recipient)}</bdi>
        </>
      )}
      {reason !== null && <>: {plain(reason)}</>} (<Time at={at} />)
      {!proven && '. Nothing proves that the notice is genuine.'}
    </>
  )
}

/** Includes the code, for support. */
function reasonOf(status: string | null): string | null {
  const reason = reasons[status?.slice(2) ?? '']
  return reason ? `${reason} (${status})` : status
}
