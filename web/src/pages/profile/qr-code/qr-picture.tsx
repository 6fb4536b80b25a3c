import { useMemo } from 'react'
import { qrCode } from './qr-code.ts'
import styles from './qr-picture.module.css'

/** The light margin that readers need, in modules. */
const margin = 4

/** The QR code of a text: black on white by night too, as readers expect it. */
export function QrPicture({ text, name }: { text: string; name: string }) {
  const modules = useMemo(() => qrCode(text), [text])
  const size = modules.length + 2 * margin
  const path = modules
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x + margin} ${y + margin}h1v1h-1z` : '')))
    .join('')
  return (
    <svg role="img" aria-label={name} viewBox={`0 0 ${size} ${size}`} className={styles.code}>
      <path d={path} />
    </svg>
  )
}
