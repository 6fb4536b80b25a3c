import { useEffect, useRef, useState } from 'react'
import { Tooltip, TooltipTriggerStateContext } from 'react-aria-components/Tooltip'
import styles from './tips.module.css'

/** How long a button is hovered until its tooltip is shown. */
const restMs = 500

/** Names a button with an icon, and its key. */
export function tip(name: string, shortcut?: string) {
  const keys = shortcut?.replace('Ctrl', 'Control').replace('Esc', 'Escape').replace(' ', '+')
  return { 'aria-label': name, 'aria-keyshortcuts': keys, 'data-tip': shortcut ?? '' }
}

/** Shows the name of the button that is hovered or focused. One tooltip for all buttons, since a page has many. */
export function Tips() {
  const [button, setButton] = useState<Element>()
  const trigger = useRef<Element>(null)
  trigger.current = button ?? null
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const show = (wanted: Element | null, afterMs = 0) => {
      clearTimeout(timer)
      if (wanted === null || afterMs === 0) setButton(wanted ?? undefined)
      else timer = setTimeout(() => wanted.isConnected && setButton(wanted), afterMs)
    }
    const found = ({ target }: Event) => (target instanceof Element ? target : undefined)
    const listeners = {
      pointerover: (event: PointerEvent) => {
        const at = found(event)
        // The tooltip stays while it is hovered itself.
        if (event.pointerType === 'touch' || at?.closest('[role=tooltip]')) return
        show(at?.closest('[data-tip]') ?? null, restMs)
      },
      focusin: (event: FocusEvent) => show(found(event)?.closest('[data-tip]:focus-visible') ?? null),
      focusout: () => show(null),
      pointerdown: () => show(null),
      keydown: () => show(null),
    }
    const ended = new AbortController()
    for (const [type, listener] of Object.entries(listeners))
      document.addEventListener(type, listener as (event: Event) => void, { capture: true, signal: ended.signal })
    return () => {
      ended.abort()
      clearTimeout(timer)
    }
  }, [])
  if (!button) return null
  return (
    <TooltipTriggerStateContext
      value={{ isOpen: true, shouldSkipAnimation: true, open: () => {}, close: () => setButton(undefined) }}
    >
      <Tooltip triggerRef={trigger} isOpen className={`${styles.tip}`} offset={4}>
        {button.getAttribute('aria-label')}
        {button.getAttribute('data-tip') !== '' && <kbd>{button.getAttribute('data-tip')}</kbd>}
      </Tooltip>
    </TooltipTriggerStateContext>
  )
}
