import { useState } from 'react'
import { Button } from './button.tsx'

/** Copies a text; `of` names it for screen readers. */
export function Copy({ text, of }: { text: string; of: string }) {
  const [copied, setCopied] = useState(false)
  return (
    <Button
      look="quiet"
      aria-label={`Copy ${of}`}
      onPress={() =>
        void navigator.clipboard.writeText(text).then(() => {
          setCopied(true)
          setTimeout(() => setCopied(false), 1_500)
        })
      }
    >
      {copied ? 'Copied' : 'Copy'}
    </Button>
  )
}
