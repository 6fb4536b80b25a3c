import { Fragment, useState } from 'react'
import { Button } from '../../../parts/form/button.tsx'
import styles from './open-message.module.css'
import { partsOf, pieces } from './quotes.ts'

/** More characters are shown on request. */
const most = 100_000

/** A message's plain text: web addresses are links, a quotation at the end is folded. */
export function MessageText({ text }: { text: string }) {
  const [whole, showWhole] = useState(text.length <= most)
  const [quoted, showQuoted] = useState(false)
  const parts = partsOf(whole ? text : text.slice(0, most))
  const last = parts.at(-1)
  const folds = parts.length > 1 && last?.isQuoted === true
  const shown = folds && !quoted ? parts.slice(0, -1) : parts
  return (
    <>
      <div className={styles.text}>
        {shown.map(({ isQuoted, text: part }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never change
          <div key={index} className={isQuoted ? styles.quote : undefined}>
            <Linked text={part} />
          </div>
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
            <Button look="quiet" onPress={() => showWhole(true)}>
              Show the rest
            </Button>
          )}
        </div>
      )}
    </>
  )
}

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
