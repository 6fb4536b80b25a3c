import { type MouseEvent, memo } from 'react'
import { Icon } from '../../../parts/icon.tsx'
import { plain } from '../../../parts/text/plain.ts'
import { count } from '../../../parts/text/size.ts'
import { inFull } from '../../../parts/time/time.tsx'
import { subjectOf } from '../actions/subject.ts'
import { AnswerMarks } from '../answer-marks.tsx'
import { LabelChips } from '../label-chips.tsx'
import { MailTime } from '../mail-time.tsx'
import { namesOf } from '../people.ts'
import type { Place } from '../place.ts'
import type { Row } from '../queries.ts'
import styles from './row-content.module.css'

interface Props {
  readonly place: Place
  readonly row: Row
  readonly index: number
  readonly isSelected: boolean
  readonly onSelect: (index: number, extend: boolean) => void
  /** Undefined if nothing may be changed. */
  readonly onStar: ((row: Row) => void) | undefined
  readonly onOpen: (row: Row) => void
}

/** The contents of a row. A click anywhere but on its tools opens the conversation. */
export const RowContent = memo(function RowContent({ place, row, index, isSelected, onSelect, onStar, onOpen }: Props) {
  const { starred, labels } = subjectOf(row, row.messages)
  const names = peopleIn(row, place)
  const subject = plain(row.subject) || '(no subject)'
  const select = (event: MouseEvent) => onSelect(index, event.shiftKey)
  const open = (event: MouseEvent) => {
    // With these keys the browser opens another tab or window.
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    onOpen(row)
  }
  return (
    <>
      <div role="gridcell" className={styles.tools}>
        <input
          type="checkbox"
          tabIndex={-1}
          checked={isSelected}
          onClick={select}
          onChange={() => {}}
          aria-label={`Select ${subject}`}
        />
        <button
          type="button"
          tabIndex={-1}
          className={styles.star}
          aria-pressed={starred}
          aria-label={starred ? 'Remove star' : 'Star'}
          disabled={!onStar}
          onClick={() => onStar?.(row)}
        >
          <Icon name="star" filled={starred} />
        </button>
      </div>
      <div role="gridcell" className={styles.content}>
        <span className={styles.names}>
          <bdi>{names}</bdi>
          {row.message_count > 1 && <span className={styles.number}>{count(row.message_count)}</span>}
        </span>
        <span className={styles.text}>
          <LabelChips keywords={labels} />
          <a className={styles.link} href={addressOf(place, row)} tabIndex={-1} draggable={false} onClick={open}>
            {subject}
          </a>
          <span className={styles.preview}>{plain(row.preview)}</span>
        </span>
        <span className={styles.end}>
          <AnswerMarks {...answersTo(row)} />
          {row.messages.some((message) => message.has_attachment) && (
            <span className={styles.clip} title="With an attachment">
              <Icon name="attachment" />
            </span>
          )}
          <MailTime at={row.last_message_at} />
        </span>
      </div>
    </>
  )
})

/** A link of the router would follow each change of the address, in every row. */
const addressOf = ({ mailbox, folder }: Place, { id }: Row) =>
  `/mail/${[mailbox, folder, id].map(encodeURIComponent).join('/')}`

/** Whether a message of the row is answered or forwarded. */
function answersTo({ messages }: Row) {
  return {
    answered: messages.some(({ answered }) => answered),
    forwarded: messages.some(({ forwarded }) => forwarded),
  }
}

/** The senders; in folders of sent mail, the recipients. */
function peopleIn(row: Row, { mailbox, folder }: Place): string {
  const out = folder === 'sent' || folder === 'drafts'
  const people = row.messages.flatMap(({ from, to }) => (out ? to : [from]))
  const names = namesOf(
    people.length > 0 ? people : row.participants.map((address) => ({ name: '', address })),
    mailbox,
  )
  return (out ? 'To: ' : '') + names.join(', ')
}

/** A row in words; `names` are those of the labels, by keyword. */
export function spoken(row: Row, place: Place, names: ReadonlyMap<string, string>): string {
  const { starred, labels } = subjectOf(row, row.messages)
  const { answered, forwarded } = answersTo(row)
  return [
    row.unread && 'Unread',
    starred && 'starred',
    answered && 'answered',
    forwarded && 'forwarded',
    peopleIn(row, place),
    plain(row.subject) || 'no subject',
    row.message_count > 1 && `${row.message_count} messages`,
    labels.size > 0 && `labelled ${[...labels].map((keyword) => names.get(keyword) ?? keyword).join(', ')}`,
    inFull(row.last_message_at),
  ]
    .filter((part) => part !== false)
    .join(', ')
}
