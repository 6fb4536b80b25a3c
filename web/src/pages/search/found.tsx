import { useNavigate } from '@tanstack/react-router'
import type { FoundMessage } from '../../api/generated.ts'
import { folderName } from '../../parts/text/folder-name.ts'
import { plain } from '../../parts/text/plain.ts'
import { MailTime } from '../mail/mail-time.tsx'
import { personName } from '../mail/people.ts'
import styles from './search.module.css'

/** The text around the match; the beginning of the message if the match is shown already. */
function whereFound({ match, preview }: Pick<FoundMessage, 'match' | 'preview'>): string {
  return match === null || match.field === 'subject' || match.field === 'from' ? preview : match.text
}

/** A result. It opens in its conversation. */
export function Found({ message: { mailbox, folder, id, ...message } }: { message: FoundMessage }) {
  const navigate = useNavigate()
  const open = () => navigate({ to: '/mail/$mailbox/$folder/$message', params: { mailbox, folder, message: id } })
  return (
    <button
      type="button"
      className={styles.found}
      onClick={() => void open()}
      data-unread={message.unread || undefined}
    >
      <span className={styles.line}>
        <bdi className={styles.who}>{personName(message.from)}</bdi>
        <span className={styles.where}>
          {folderName(folder)} · <MailTime at={message.received_at} />
        </span>
      </span>
      <bdi className={styles.subject}>{plain(message.subject) || '(no subject)'}</bdi>
      <span className={styles.match}>{plain(whereFound(message))}</span>
    </button>
  )
}
