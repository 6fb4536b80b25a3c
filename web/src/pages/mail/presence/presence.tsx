import type { PresentMember } from '../../../api/generated.ts'
import { plain } from '../../../parts/text/plain.ts'
import type { Place } from '../place.ts'
import styles from './presence.module.css'
import { usePresence } from './use-presence.ts'

/** Who else reads a conversation or writes an answer to it. Screen readers say it in a pause. */
export function Presence({ place, conversation }: { place: Place; conversation: string }) {
  const others = usePresence(place, conversation, 'reading')
  const writing = others.filter(({ doing }) => doing === 'writing')
  const reading = others.filter(({ doing }) => doing === 'reading')
  return (
    <p role="status" className={styles.presence} data-nobody={others.length === 0 || undefined}>
      {writing.length > 0 && <strong>{sentence(writing, 'writing an answer')}</strong>}{' '}
      {reading.length > 0 && sentence(reading, 'reading this')}
    </p>
  )
}

const list = new Intl.ListFormat('en')

function sentence(members: readonly PresentMember[], does: string): string {
  const names = members.map(({ name, email }) => plain(name) || email)
  return `${list.format(names)} ${names.length === 1 ? 'is' : 'are'} ${does}.`
}
