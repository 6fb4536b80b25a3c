/** How long after a click into a frame the page has the focus again. A text that is being selected goes on being selected. */
const clickMs = 300
/** How long after another one: there may be a selection now, with a menu of the browser open to copy it. */
const againMs = 3_000
/** How long the focus is in a frame to let a key copy what is selected there. */
const copyMs = 1_000

/** The frame that was clicked last, if nothing was done on the page since. */
let clicked: HTMLIFrameElement | undefined

/** Takes the focus back to the page after a click into a frame, where no key of the page works. Nothing is known of what is in the
 *  frame, so a selection is always reckoned with: Control, or the key that a Mac has for it, gives the focus to the frame that was
 *  clicked last, so that it copies what is selected there. Who goes into the frame by Tab or with a screen reader stays in it. */
export function followFocus(frame: HTMLIFrameElement): () => void {
  const ended = new AbortController()
  const { signal } = ended
  /** Whether what moves the focus now is no click. */
  let isByKey = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const takeBack = (afterMs: number) => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      if (document.activeElement === frame)
        frame.closest<HTMLElement>('[tabindex="-1"]')?.focus({ preventScroll: true })
    }, afterMs)
  }
  const onBlur = () => {
    const isClick = document.activeElement === frame && !isByKey && isByMouse()
    isByKey = false
    if (!isClick) return
    takeBack(clicked === frame ? againMs : clickMs)
    clicked = frame
  }
  const onKey = ({ key }: KeyboardEvent) => {
    isByKey = key === 'Tab'
    if (clicked !== frame) return
    if (key === 'Control' || key === 'Meta') {
      isByKey = true
      frame.focus({ preventScroll: true })
      takeBack(copyMs)
    } else clicked = undefined
  }
  const onPointer = () => {
    isByKey = false
    clicked = undefined
  }
  window.addEventListener('blur', onBlur, { signal })
  window.addEventListener('keydown', onKey, { signal, capture: true })
  window.addEventListener('pointerdown', onPointer, { signal, capture: true })
  signal.addEventListener('abort', () => {
    clearTimeout(timer)
    if (clicked === frame) clicked = undefined
  })
  return () => ended.abort()
}

/** A finger selects by handles, which the focus belongs to. A screen reader moves the focus without anything pressed. */
function isByMouse(): boolean {
  return matchMedia('(hover: hover)').matches && navigator.userActivation?.isActive !== false
}
