import { Fragment, memo, useEffect, useMemo, useState } from 'react'
import { Button } from '../../../parts/form/button.tsx'
import { afterPaint } from '../../../parts/state/after-paint.ts'
import styles from './open-message.module.css'
import { type Part, partsOf, pieces, portionsOf } from './quotes.ts'

/** Characters that are shown, and how many more each time that is asked for. */
const most = 100_000
const more = 500_000

/** A message's plain text: addresses of pages are links, what it quotes at its end is folded. A long one is shown portion by portion,
 *  so that the page can be used meanwhile. With `isWhole` nothing is folded, and all of it is shown. */
export function MessageText({ text, isWhole = false }: { text: string; isWhole?: boolean }) {
  const [end, setEnd] = useState(isWhole ? text.length : most)
  const whole = text.length <= end
  const [unfolded, showQuoted] = useState(false)
  const quoted = isWhole || unfolded
  const parts = useMemo(() => partsOf(text.slice(0, end)), [text, end])
  const folds = !isWhole && parts.length > 1 && parts.at(-1)?.isQuoted === true
  const portions = useMemo(() => portionsOf(folds && !quoted ? parts.slice(0, -1) : parts), [parts, folds, quoted])
  const [count, setCount] = useState(1)
  const isMore = count < portions.length
  useEffect(() => {
    if (!isMore) return
    return afterPaint(() => setCount(count + 1))
  }, [isMore, count])
  return (
    <>
      <div className={styles.text}>
        {portions.slice(0, count).map((portion, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the portions of a text never change places
          <Portion key={index} parts={portion} />
        ))}
      </div>
      {(folds || !whole) && (
        <div className={styles.tools}>
          {folds && (
            <Button look="quiet" aria-expanded={quoted} onPress={() => showQuoted(!quoted)}>
              {quoted ? 'Hide quoted text' : 'Show quoted text'}
            </Button>
          )}
          {!whole && (
            <Button look="quiet" onPress={() => setEnd(end + more)}>
              {text.length - end > more ? 'Show more' : 'Show the rest'}
            </Button>
          )}
        </div>
      )}
    </>
  )
}

const Portion = memo(function Portion({ parts }: { parts: readonly Part[] }) {
  return parts.map(({ isQuoted, text }, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never change
    <div key={index} className={isQuoted ? styles.quote : undefined}>
      <Linked text={text} />
    </div>
  ))
})

function Linked({ text }: { text: string }) {
  return pieces(text).map(({ text: piece, href }, index) =>
    href === undefined ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text never change
      <Fragment key={index}>{piece}</Fragment>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text never change
      <a key={index} href={href} target="_blank" rel="noopener noreferrer">
        {piece}
      </a>
    ),
  )
}
