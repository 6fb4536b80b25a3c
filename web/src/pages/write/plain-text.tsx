import { useEffect, useRef } from 'react'
import styles from './composer.module.css'

interface Props {
  readonly value: string
  readonly onChange: (text: string) => void
  readonly takesFocus: boolean
}

/** The text without formatting. */
export function PlainText({ value, onChange, takesFocus }: Props) {
  const area = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    if (!takesFocus) return
    area.current?.focus()
    area.current?.setSelectionRange(0, 0)
  }, [takesFocus])
  return (
    <textarea
      ref={area}
      aria-label="Message"
      className={styles.plain}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}
