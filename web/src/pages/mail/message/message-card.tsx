import { useQuery } from '@tanstack/react-query'
import { memo, useState } from 'react'
import type { ThreadMessage } from '../../../api/generated.ts'
import { IconButton } from '../../../parts/form/icon-button.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { Loaded } from '../../../parts/state/loaded.tsx'
import { plain } from '../../../parts/text/plain.ts'
import { inFull } from '../../../parts/time/time.tsx'
import { perform } from '../actions/perform.ts'
import { AnswerMarks } from '../answer-marks.tsx'
import { MailTime } from '../mail-time.tsx'
import { personName } from '../people.ts'
import type { Place } from '../place.ts'
import { messageQuery } from '../queries.ts'
import styles from './message-card.module.css'
import { MessageMenu } from './message-menu.tsx'
import { OpenMessage } from './open-message.tsx'

interface Props {
  readonly place: Place
  readonly message: ThreadMessage
  readonly startsOpen: boolean
  readonly mayChange: boolean
}

/** A message of a conversation: one line, or the whole. */
export const MessageCard = memo(function MessageCard({ place, message, startsOpen, mayChange }: Props) {
  const [isOpen, open] = useState(startsOpen)
  const { id, from, starred, received_at } = message
  const name = personName(from)
  const toggleStar = () =>
    void perform(
      place,
      { ids: [id], change: { starred: !starred } },
      starred ? 'Message no longer starred' : 'Message starred',
    )
  return (
    <section className={styles.card} aria-label={`Message from ${name}, ${inFull(received_at)}`}>
      <header className={styles.head}>
        <button type="button" className={styles.who} aria-expanded={isOpen} onClick={() => open(!isOpen)}>
          <strong>
            <bdi>{name}</bdi>
          </strong>
          {isOpen ? (
            <span className={styles.address}>{plain(from.address)}</span>
          ) : (
            <span className={styles.preview}>{plain(message.preview)}</span>
          )}
        </button>
        <AnswerMarks {...message} />
        {message.has_attachment && !isOpen && <Icon name="attachment" />}
        <span className={styles.time}>
          <MailTime at={received_at} />
        </span>
        <span className={styles.fullTime}>{inFull(received_at)}</span>
        {mayChange && (
          <IconButton
            name={starred ? 'Remove star from this message' : 'Star this message'}
            icon="star"
            filled={starred}
            onPress={toggleStar}
          />
        )}
        {isOpen && <MessageMenu place={place} message={message} />}
      </header>
      {isOpen && <Body place={place} id={id} />}
    </section>
  )
})

function Body({ place, id }: { place: Place; id: string }) {
  const query = useQuery(messageQuery(id))
  return (
    <Loaded query={query} what="the message">
      {(message) => <OpenMessage place={place} message={message} />}
    </Loaded>
  )
}
