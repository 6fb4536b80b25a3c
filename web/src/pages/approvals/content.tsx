import { useQuery } from '@tanstack/react-query'
import { Loaded } from '../../parts/state/loaded.tsx'
import { Attachments } from '../mail/message/attachments.tsx'
import MessageHtml from '../mail/message/message-html.tsx'
import { MessageText } from '../mail/message/message-text.tsx'
import { messageQuery } from '../mail/queries.ts'
import styles from './approvals.module.css'

/** The content of exactly this message: an edited draft is another one. */
export default function Content({ mailbox, version }: { mailbox: string; version: number }) {
  const place = { mailbox, folder: 'drafts' }
  return (
    <div className={styles.content}>
      <Loaded query={useQuery(messageQuery(place, version))} what="the message">
        {(message) => (
          <>
            {message.html === null ? (
              <MessageText text={message.text ?? ''} />
            ) : (
              <MessageHtml place={place} message={message} html={message.html} />
            )}
            <Attachments place={place} message={message} />
          </>
        )}
      </Loaded>
    </div>
  )
}
