import { type ClipboardEvent, type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { Button } from 'react-aria-components/Button'
import { Tag, TagGroup, TagList } from 'react-aria-components/TagGroup'
import type { Address } from '../../../api/generated.ts'
import field from '../../../parts/form/field.module.css'
import { useFieldError } from '../../../parts/form/field-errors.ts'
import { noteTyped } from '../open-message.ts'
import type { Recipients } from '../writing.ts'
import { looksRight, shortName, splitAddresses, written } from './addresses.ts'
import styles from './people-field.module.css'
import { optionId, Suggestions } from './suggestions.tsx'
import { useSuggestions } from './use-suggestions.ts'

interface Props {
  readonly label: string
  readonly name: Recipients
  /** The sending mailbox, whose correspondents are suggested. */
  readonly mailbox: string
  readonly people: readonly string[]
  /** Text that is not a recipient yet. */
  readonly unfinished: string | undefined
  readonly onChange: (people: readonly string[]) => void
  readonly takesFocus?: boolean
  readonly children?: ReactNode
}

/** Recipients. Typed text becomes one at a comma, with Enter, and when the field is left. */
export function PeopleField({
  label,
  name,
  mailbox,
  people,
  unfinished = '',
  onChange,
  takesFocus = false,
  children,
}: Props) {
  const [typed, setTyped] = useState(unfinished)
  const input = useRef<HTMLInputElement>(null)
  const id = useId()
  const error = useFieldError(name)
  const suggested = useSuggestions(mailbox, typed, people)
  // Undefined: the first one, unless the typed text is an address by itself.
  const [moved, moveTo] = useState<number>()
  const [dismissed, dismiss] = useState<string>()
  const isOpen = suggested.length > 0 && typed !== dismissed
  const active = isOpen ? Math.min(moved ?? (looksRight(typed) ? -1 : 0), suggested.length - 1) : -1
  const type = (text: string) => {
    setTyped(text)
    noteTyped(name, text)
    moveTo(undefined)
  }
  useEffect(() => {
    if (takesFocus) input.current?.focus()
  }, [takesFocus])
  useEffect(() => {
    if (error !== undefined) input.current?.focus()
  }, [error])
  const add = (text: string) => {
    const added = splitAddresses(text).filter((one) => !people.includes(one))
    type('')
    if (added.length > 0) onChange([...people, ...added])
  }
  const choose = (person: Address | undefined) => {
    if (person) add(written(person))
  }
  const onListKey = (event: KeyboardEvent<HTMLInputElement>): boolean => {
    if (!isOpen || event.ctrlKey || event.metaKey || event.nativeEvent.isComposing) return false
    if (event.key === 'ArrowDown') moveTo((active + 1) % suggested.length)
    else if (event.key === 'ArrowUp') moveTo(active <= 0 ? suggested.length - 1 : active - 1)
    else if (event.key === 'Escape') dismiss(typed)
    else if (event.key === 'Enter' && active >= 0) choose(suggested[active])
    else return false
    return true
  }
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (onListKey(event)) return event.preventDefault()
    // Leaving the field chooses the highlighted one.
    if (event.key === 'Tab' && active >= 0) return choose(suggested[active])
    const last = people.at(-1)
    if (event.key === 'Backspace' && typed === '' && last !== undefined) {
      // It can be corrected.
      onChange(people.slice(0, -1))
      type(last)
    } else if (
      (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) ||
      event.key === ';' ||
      (event.key === ',' && !isQuoting(typed))
    )
      add(typed)
    else {
      // The message is sent or closed: the typed text belongs to it.
      if (event.key === 'Enter' || event.key === 'Escape') add(typed)
      return
    }
    event.preventDefault()
  }
  const onPaste = (event: ClipboardEvent) => {
    const text = event.clipboardData.getData('text/plain')
    if (typed !== '' || !/[,;\n]/.test(text)) return
    event.preventDefault()
    add(text)
  }
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={styles.label}>
        {label}
      </label>
      <div className={styles.people} data-invalid={error !== undefined || undefined}>
        {people.length > 0 && (
          <TagGroup
            aria-label={`${label}: recipients`}
            className={`${styles.group}`}
            onRemove={(keys) => {
              onChange(people.filter((one) => !keys.has(one)))
              input.current?.focus()
            }}
          >
            <TagList className={`${styles.tags}`}>
              {people.map((one) => (
                <Tag
                  key={one}
                  id={one}
                  textValue={one}
                  className={`${styles.tag}`}
                  data-wrong={!looksRight(one) || undefined}
                >
                  <bdi title={one}>{shortName(one)}</bdi>
                  <Button slot="remove" className={`${styles.remove}`}>
                    ×
                  </Button>
                </Tag>
              ))}
            </TagList>
          </TagGroup>
        )}
        <input
          ref={input}
          id={id}
          className={styles.input}
          value={typed}
          role="combobox"
          aria-autocomplete="list"
          aria-expanded={isOpen}
          aria-controls={isOpen ? `${id}-list` : undefined}
          aria-activedescendant={active < 0 ? undefined : optionId(`${id}-list`, active)}
          onChange={(event) => type(event.target.value)}
          onBlur={() => add(typed)}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          aria-invalid={error !== undefined}
          aria-describedby={error === undefined ? undefined : `${id}-error`}
        />
        {children}
        {isOpen && <Suggestions id={`${id}-list`} label={label} people={suggested} active={active} onChoose={choose} />}
      </div>
      {error !== undefined && (
        <span id={`${id}-error`} role="alert" className={`${field.error} ${styles.error}`}>
          {error}
        </span>
      )}
    </div>
  )
}

/** Whether a comma would be within a quoted name. */
const isQuoting = (typed: string) => (typed.match(/"/g)?.length ?? 0) % 2 === 1
