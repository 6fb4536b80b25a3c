import { useEffect, useEffectEvent, useRef, useState } from 'react'
import styles from './frame.module.css'
import { followFocus } from './frame-focus.ts'
import { heightOf } from './measure.ts'

interface Props {
  readonly html: string
  readonly title: string
  readonly onMeasured?: () => void
}

/** Shows an untrusted document, in its full height: without scripts, and with an origin of its own. */
export function Frame({ html, title, onMeasured }: Props) {
  const frame = useRef<HTMLIFrameElement>(null)
  const [width, setWidth] = useState(0)
  const [height, setHeight] = useState<number>()
  useEffect(() => {
    if (!frame.current) return
    const observer = new ResizeObserver(([entry]) => setWidth(Math.round(entry?.contentRect.width ?? 0)))
    observer.observe(frame.current)
    return () => observer.disconnect()
  }, [])
  useEffect(() => (frame.current ? followFocus(frame.current) : undefined), [])
  const measured = useEffectEvent((found: number) => {
    setHeight(found)
    onMeasured?.()
  })
  useEffect(() => {
    if (width === 0) return
    let isLatest = true
    void heightOf(html, width).then((found) => isLatest && measured(found))
    return () => {
      isLatest = false
    }
  }, [html, width])
  return (
    <iframe
      ref={frame}
      title={title}
      sandbox="allow-popups allow-popups-to-escape-sandbox"
      referrerPolicy="no-referrer"
      srcDoc={html}
      className={styles.frame}
      style={{ height: height === undefined ? '8rem' : `${height}px` }}
    />
  )
}
