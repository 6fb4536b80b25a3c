import { useState } from 'react'
import { Button } from '../../../parts/form/button.tsx'
import { Frame } from '../../mail/html/frame.tsx'
import { frameDocument } from '../../mail/html/frame-document.ts'
import { pageNonce } from '../../mail/html/nonce.ts'
import { sanitize } from '../../mail/html/sanitize.ts'
import styles from '../composer.module.css'
import { change } from '../open-message.ts'
import type { Quoted } from '../writing.ts'

/** The quotation below the text: folded, and removable. */
export function QuotedText({ quoted }: { quoted: Quoted }) {
  const [isShown, show] = useState(false)
  return (
    <div className={styles.quoted}>
      <Button look="quiet" aria-expanded={isShown} onPress={() => show(!isShown)}>
        {isShown ? 'Hide quoted text' : 'Show quoted text'}
      </Button>
      <Button look="quiet" onPress={() => change({ quoted: undefined })}>
        Leave it out
      </Button>
      {isShown && <Shown html={quoted.html} />}
    </div>
  )
}

function Shown({ html }: { html: string }) {
  const [shown] = useState(() => frameDocument(sanitize(html, new Map()), pageNonce()).html)
  return <Frame html={shown} title="Quoted text" />
}
