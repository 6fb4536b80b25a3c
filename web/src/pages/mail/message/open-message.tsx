import { useMemo, useState } from 'react'
import type { Message } from '../../../api/generated.ts'
import { Button } from '../../../parts/form/button.tsx'
import { lazily } from '../../../parts/state/loading-parts.ts'
import { Part } from '../../../parts/state/part.tsx'
import { size } from '../../../parts/text/size.ts'
import { htmlSize } from '../html/html-size.ts'
import type { Place } from '../place.ts'
import { Attachments } from './attachments.tsx'
import { MessageText } from './message-text.tsx'
import styles from './open-message.module.css'
import { Recipients } from './recipients.tsx'
import { Undelivered } from './undelivered.tsx'
import { Why } from './why.tsx'

const MessageHtml = lazily(() => import('./message-html.tsx'))

const nothing: ReadonlySet<string> = new Set()

/** A whole message: recipients, findings, text and attachments. */
export function OpenMessage({ place, message }: { place: Place; message: Message }) {
  const { html, text } = message
  const extent = useMemo(() => htmlSize(html ?? ''), [html])
  const [asText, showText] = useState(html === null || extent !== 'usual')
  const [inText, setInText] = useState<ReadonlySet<string>>()
  return (
    <div className={styles.message}>
      <Recipients message={message} />
      <Undelivered place={place} message={message} />
      <Why message={message} />
      {html !== null && !asText ? (
        <Part name="The message" loading={<p className={styles.note}>Loading…</p>} onFailed={() => setInText(nothing)}>
          <MessageHtml message={message} html={html} onMade={setInText} />
        </Part>
      ) : (
        <MessageText text={text ?? (html === null ? '' : message.preview)} />
      )}
      {html !== null && extent !== 'usual' && asText && (
        <p className={styles.note}>
          The formatted text of this message is {extent} ({size(html.length)}), so{' '}
          {text === null ? 'only its beginning' : 'its plain text'} is shown.
          {extent === 'too large' && ' To see it, download the message and open it in a mail program.'}
        </p>
      )}
      {html !== null && extent !== 'too large' && (text !== null || asText) && (
        <div className={styles.tools}>
          <Button look="quiet" onPress={() => showText(!asText)}>
            {asText ? 'Show with formatting' : 'Show as plain text'}
          </Button>
        </div>
      )}
      <Attachments message={message} inText={asText ? nothing : inText} />
    </div>
  )
}
