import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Message } from '../../../api/generated.ts'
import { Button } from '../../../parts/form/button.tsx'
import { Loaded } from '../../../parts/state/loaded.tsx'
import { Frame } from '../html/frame.tsx'
import { ownPictures } from '../html/own-pictures.ts'
import { partShown, useParts } from '../html/use-parts.ts'
import { personName } from '../people.ts'
import type { Place } from '../place.ts'
import { LeftOut } from './left-out.tsx'
import styles from './open-message.module.css'

interface Props {
  readonly place: Place
  readonly message: Message
  readonly html: string
}

/** A message's sanitized HTML, in a frame. Loaded with the first HTML message. */
export default function MessageHtml({ place, message, html }: Props) {
  const query = useQuery({
    queryKey: ['pictures', place.mailbox, place.folder, message.uid],
    queryFn: () => ownPictures(place, message),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  })
  return (
    <Loaded query={query} what="the message">
      {(own) => <WithPictures place={place} message={message} html={html} own={own} />}
    </Loaded>
  )
}

const none: ReadonlyMap<string, string> = new Map()

function WithPictures({ place, message, html, own }: Props & { own: ReadonlyMap<string, string> }) {
  const [remote, setRemote] = useState(none)
  const [quoted, showQuoted] = useState(false)
  const { parts, leftOut, addresses, onMeasured } = useParts({ html, own, remote, quoted })
  const title = `What ${personName(message.from)} wrote`
  return (
    <>
      <LeftOut place={place} uid={message.uid} count={leftOut} addresses={addresses} onFetched={setRemote} />
      <div>
        {parts.map((part, index) => {
          const shown = partShown(part, index, quoted)
          if (shown === undefined) return null
          return (
            <Frame
              // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a message never change places
              key={index}
              html={shown}
              title={index === 0 ? title : `${title}, part ${index + 1}`}
              onMeasured={() => onMeasured(index)}
            />
          )
        })}
      </div>
      {parts.some((part, index) => part.unquoted !== undefined || (index > 0 && part.isAllQuoted)) && (
        <div className={styles.tools}>
          <Button look="quiet" aria-expanded={quoted} onPress={() => showQuoted(!quoted)}>
            {quoted ? 'Hide quoted text' : 'Show quoted text'}
          </Button>
        </div>
      )}
    </>
  )
}
