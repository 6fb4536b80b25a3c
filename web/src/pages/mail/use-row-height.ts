import { type RefObject, useLayoutEffect, useState } from 'react'

/** How high a row is in pixels: one line in a wide list, three in a narrow one. As `@container list` in the styles. */
export function useRowHeight(list: RefObject<HTMLElement | null>): number {
  const [height, setHeight] = useState(40)
  useLayoutEffect(() => {
    const element = list.current
    if (!element) return
    const measure = () => {
      const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
      setHeight(Math.round((element.clientWidth < 44 * rem ? 5 : 2.625) * rem))
    }
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    measure()
    return () => observer.disconnect()
  }, [list])
  return height
}
