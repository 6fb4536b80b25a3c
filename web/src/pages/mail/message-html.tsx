import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Message } from '../../api/generated.ts'
import { Button } from '../../parts/button.tsx'
import { Loaded } from '../../parts/states.tsx'
import { Frame } from './frame.tsx'
import { frameDocument } from './frame-document.ts'
import { pageNonce } from './nonce.ts'
import styles from './open-message.module.css'
import { ownPictures } from './own-pictures.ts'
import { personName } from './people.ts'
import type { Place } from './place.ts'
import { sanitize } from './sanitize.ts'

/** A message's HTML, made harmless, in a frame. Loaded where a message has any. */
export default function MessageHtml({ place, message, html }: { place: Place; message: Message; html: string }) {
  const [quoted, showQuoted] = useState(false)
  const query = useQuery({
    queryKey: ['shown', place.mailbox, place.folder, message.uid],
    queryFn: async () => {
      const { leftOut, ...sanitized } = sanitize(html, await ownPictures(place, message))
      return { leftOut, ...frameDocument(sanitized, pageNonce()) }
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  })
  return (
    <Loaded query={query} what="the message">
      {({ html: whole, unquoted, leftOut }) => (
        <>
          {leftOut > 0 && (
            <p className={styles.note}>
              {leftOut === 1 ? 'A picture' : `${leftOut} pictures`} from elsewhere left out, so the sender does not
              learn that you read this.
            </p>
          )}
          <Frame html={quoted ? whole : (unquoted ?? whole)} title={`What ${personName(message.from)} wrote`} />
          {unquoted !== undefined && (
            <div className={styles.tools}>
              <Button look="quiet" aria-expanded={quoted} onPress={() => showQuoted(!quoted)}>
                {quoted ? 'Hide quoted text' : 'Show quoted text'}
              </Button>
            </div>
          )}
        </>
      )}
    </Loaded>
  )
}
