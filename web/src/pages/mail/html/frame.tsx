import { useEffect, useRef, useState } from 'react'
import styles from './frame.module.css'
import { heightOf } from './measure.ts'

/** Shows an untrusted document: without scripts, with an origin of its own, in its full height. */
export function Frame({ html, title }: { html: string; title: string }) {
  const frame = useRef<HTMLIFrameElement>(null)
  const [width, setWidth] = useState(0)
  const [height, setHeight] = useState<number>()
  useEffect(() => {
    if (!frame.current) return
    const observer = new ResizeObserver(([entry]) => setWidth(Math.round(entry?.contentRect.width ?? 0)))
    observer.observe(frame.current)
    return () => observer.disconnect()
  }, [])
  useEffect(() => {
    if (width === 0) return
    let isLatest = true
    void heightOf(html, width).then((measured) => isLatest && setHeight(measured))
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
