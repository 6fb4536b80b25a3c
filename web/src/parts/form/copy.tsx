import { useState } from 'react'
import { sayFailure } from '../state/toasts.ts'
import { Button } from './button.tsx'

/** Copies a text; `of` names it for screen readers. */
export function Copy({ text, of }: { text: string; of: string }) {
  const [copied, setCopied] = useState(false)
  return (
    <Button
      look="quiet"
      aria-label={`Copy ${of}`}
      onPress={() =>
        void copy(text).then(() => {
          setCopied(true)
          setTimeout(() => setCopied(false), 1_500)
        }, sayFailure)
      }
    >
      {copied ? 'Copied' : 'Copy'}
    </Button>
  )
}

/** Browsers have a clipboard on secure pages only, and some ask first. */
async function copy(text: string): Promise<void> {
  await navigator.clipboard.writeText(text).catch(() => {
    throw new Error('this browser does not allow it. Select the text and copy it')
  })
}
