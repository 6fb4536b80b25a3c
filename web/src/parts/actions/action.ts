import type { Need } from '../../session/need.ts'
import type { IconName } from '../icons.ts'

/** Something that a member can do, declared once for keys, palette, toolbars, menus and the sheet of keys. `T` is what it is done with:
 *  selected conversations, or what a page has to open its dialogs. */
export interface Action<T = void> {
  /** Says what it does wherever it is read. */
  readonly name: string
  /** Its name where that is shown beside what it is about. */
  readonly short?: string
  readonly icon?: IconName
  /** The key with the same effect: `e`, `#`, `Shift I`, `Esc`, `Ctrl K`. The first of several is shown. */
  readonly key?: string | readonly string[]
  /** The permission that it needs. */
  readonly needs?: Need
  /** Whether the list is one's own that it adds to, and not the organization's. */
  readonly own?: boolean
  /** Whether it can be done now; always by default. */
  readonly when?: (it: T) => boolean
  /** Whether it is in force, and doing it again ends that. */
  readonly on?: (it: T) => boolean
  readonly do: (it: T) => void
}

/** An action of a page, which the palette offers everywhere to those who may do it. */
export type PageAction<T> = Action<T> & { readonly needs: Need }

/** An action that can be done now, with what it is done with. */
export interface Ready extends Pick<Action, 'name' | 'short' | 'icon' | 'own'> {
  /** The key that is shown. */
  readonly shortcut: string | undefined
  readonly isOn: boolean
  readonly do: () => void
}

/** Those of the actions that can be done now. */
export function readyOf<T>(actions: readonly Action<T>[], it: T): Ready[] {
  return actions
    .filter(({ when }) => when?.(it) ?? true)
    .map(({ on, do: act, ...action }) => ({
      ...action,
      shortcut: keysOf(action)[0],
      isOn: on?.(it) ?? false,
      do: () => act(it),
    }))
}

export function keysOf({ key = [] }: Pick<Action, 'key'>): readonly string[] {
  return typeof key === 'string' ? [key] : key
}

/** Of the event of a key, what says which. */
interface Pressed {
  readonly key: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
  readonly shiftKey: boolean
}

/** The key of an event by its name in an action; undefined with modifiers that no action has. */
export function keyOf({ key, ctrlKey, metaKey, altKey, shiftKey }: Pressed): string | undefined {
  const isLetter = /^[a-z]$/i.test(key)
  if (altKey || ((ctrlKey || metaKey) && shiftKey)) return undefined
  if (ctrlKey || metaKey) return `Ctrl ${isLetter ? key.toUpperCase() : key}`
  if (shiftKey && isLetter) return `Shift ${key.toUpperCase()}`
  return key === 'Escape' ? 'Esc' : key
}
