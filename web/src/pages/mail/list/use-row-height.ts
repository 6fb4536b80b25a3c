import { type RefObject, useLayoutEffect, useState } from 'react'

/** The height of a row in pixels: one line in a wide list, three in a narrow one. As `@container list` in the styles. */
export function useRowHeight(list: RefObject<HTMLElement | null>): number {
  const [height, setHeight] = useState(guess)
  useLayoutEffect(() => {
    const element = list.current
    if (!element) return
    const measure = () => {
      const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
      setHeight(Math.round((element.clientWidth < 44 * rem ? 5 : 2.625) * rem))
    }
    // Called before the first frame. Measuring here would make the browser lay out the page again.
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [list])
  return height
}

/** For a browser with text of the usual size, without measuring. */
function guess(): number {
  return matchMedia('(width < 44rem)').matches ? 80 : 42
}
