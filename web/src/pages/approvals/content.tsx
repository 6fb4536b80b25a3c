import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo, useState } from 'react'
import type { Draft, Message } from '../../api/generated.ts'
import { Button } from '../../parts/form/button.tsx'
import { Loaded } from '../../parts/state/loaded.tsx'
import { VisuallyHidden } from '../../parts/state/visually-hidden.tsx'
import { htmlSize } from '../mail/html/html-size.ts'
import { Attachments } from '../mail/message/attachments.tsx'
import MessageHtml from '../mail/message/message-html.tsx'
import { MessageText } from '../mail/message/message-text.tsx'
import { messageQuery } from '../mail/queries.ts'
import styles from './approvals.module.css'
import { notShown } from './not-shown.ts'

interface Props {
  readonly draft: Draft
  /** Given whether all of it is shown. */
  readonly children: (isShown: boolean) => ReactNode
}

const none: ReadonlySet<string> = new Set()

/** The whole content of exactly this message, an edited draft being another one: both texts, unfolded, and every attachment. */
export default function Content({ draft, children }: Props) {
  const [isMade, setMade] = useState(false)
  return (
    <Loaded query={useQuery(messageQuery(draft.message))} what="the message">
      {(message) => (
        <>
          <div className={styles.content}>
            {draft.html !== null && <Html message={message} html={draft.html} onMade={() => setMade(true)} />}
            {draft.text !== null && (
              <fieldset className={styles.part}>
                <legend>
                  {draft.html === null ? (
                    <VisuallyHidden>Plain text</VisuallyHidden>
                  ) : (
                    'Plain text, for programs that do not show the formatting'
                  )}
                </legend>
                <MessageText text={draft.text} isWhole />
              </fieldset>
            )}
            <Attachments message={message} inText={none} />
          </div>
          {children(draft.html === null || isMade)}
        </>
      )}
    </Loaded>
  )
}

interface HtmlProps {
  readonly message: Message
  readonly html: string
  readonly onMade: () => void
}

function Html({ message, html, onMade }: HtmlProps) {
  const isTooLarge = useMemo(() => htmlSize(html) === 'too large', [html])
  const hidden = useMemo(() => (isTooLarge ? [] : notShown(html)), [html, isTooLarge])
  const [isSource, showSource] = useState(false)
  return (
    <>
      {isTooLarge ? (
        <p className={styles.note}>
          The formatted text is too large to be shown, so its source is all there is to see.
        </p>
      ) : (
        <MessageHtml message={message} html={html} isWhole onMade={onMade} />
      )}
      {hidden.length > 0 && (
        <fieldset className={`${styles.part} ${styles.hidden}`}>
          <legend>Sent too, but not shown above</legend>
          <p className={styles.note}>Some mail programs show these parts of the HTML.</p>
          {hidden.map((one, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: what is hidden in a message never changes places
            <MessageText key={index} text={one} isWhole />
          ))}
        </fieldset>
      )}
      <div>
        <Button
          look="quiet"
          aria-expanded={isSource}
          onPress={() => {
            showSource(!isSource)
            if (isTooLarge) onMade()
          }}
        >
          {isSource ? 'Hide the source' : 'Show the source'}
        </Button>
      </div>
      {isSource && <MessageText text={html} isWhole />}
    </>
  )
}
