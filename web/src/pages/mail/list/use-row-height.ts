import { type RefObject, useLayoutEffect, useState } from 'react'

/** The height of a row in pixels: one line in a wide list, three in a narrow one, as `@container list` in the styles. Beside a
 *  conversation the list is narrow. */
export function useRowHeight(list: RefObject<HTMLElement | null>, isBeside: boolean): number {
  const [{ isNarrow, rem }, setSize] = useState(guess)
  useLayoutEffect(() => {
    const element = list.current
    if (!element) return
    const measure = () => {
      const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
      setSize({ isNarrow: element.clientWidth < 44 * rem, rem })
    }
    // Called before the first frame. Measuring here would make the browser lay out the page again.
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [list])
  return Math.round((isNarrow || isBeside ? 5 : 2.625) * rem)
}

/** For a browser with text of the usual size, without measuring. */
function guess() {
  return { isNarrow: matchMedia('(width < 44rem)').matches, rem: 16 }
}
