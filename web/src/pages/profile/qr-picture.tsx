import encodeQR from 'qr'
import { useMemo } from 'react'
import styles from './qr-picture.module.css'

/** The light margin that readers need, in modules. */
const border = 4

/** The QR code of a text: black on white by night too, as readers expect it. */
export function QrPicture({ text, name }: { text: string; name: string }) {
  const modules = useMemo(() => encodeQR(text, 'raw', { border }), [text])
  const path = modules.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
  return (
    <svg role="img" aria-label={name} viewBox={`0 0 ${modules.length} ${modules.length}`} className={styles.code}>
      <path d={path} />
    </svg>
  )
}
