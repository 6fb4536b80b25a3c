import { useQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useState } from 'react'
import type { Message } from '../../../api/generated.ts'
import { Button } from '../../../parts/form/button.tsx'
import { Loaded } from '../../../parts/state/loaded.tsx'
import { Frame } from '../html/frame.tsx'
import { ownPictures } from '../html/own-pictures.ts'
import { partShown, useParts } from '../html/use-parts.ts'
import { personName } from '../people.ts'
import { LeftOut } from './left-out.tsx'
import styles from './open-message.module.css'

interface Props {
  readonly message: Message
  readonly html: string
  /** Whether what it quotes is shown too, without a button that folds it. */
  readonly isWhole?: boolean
  /** Called with the Content-IDs of the message's own pictures that it shows, once all of it is made. */
  readonly onMade: (pictures: ReadonlySet<string>) => void
}

/** A message's sanitized HTML, in a frame. Loaded with the first HTML message. */
export default function MessageHtml(props: Props) {
  const { message } = props
  const query = useQuery({
    queryKey: ['pictures', message.id],
    queryFn: () => ownPictures(message),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  })
  return (
    <Loaded query={query} what="the message">
      {(own) => <WithPictures {...props} own={own} />}
    </Loaded>
  )
}

const none: ReadonlyMap<string, string> = new Map()

function WithPictures({ message, html, isWhole = false, onMade, own }: Props & { own: typeof none }) {
  const [remote, setRemote] = useState(none)
  const [unfolded, showQuoted] = useState(false)
  const quoted = isWhole || unfolded
  const { parts, leftOut, addresses, pictures, onMeasured } = useParts({ html, own, remote, quoted })
  const made = useEffectEvent(onMade)
  useEffect(() => {
    if (pictures) made(pictures)
  }, [pictures])
  const title = `What ${personName(message.from)} wrote`
  return (
    <>
      <LeftOut id={message.id} count={leftOut} addresses={addresses} onFetched={setRemote} />
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
      {!isWhole && parts.some((part, index) => part.unquoted !== undefined || (index > 0 && part.isAllQuoted)) && (
        <div className={styles.tools}>
          <Button look="quiet" aria-expanded={quoted} onPress={() => showQuoted(!quoted)}>
            {quoted ? 'Hide quoted text' : 'Show quoted text'}
          </Button>
        </div>
      )}
    </>
  )
}
