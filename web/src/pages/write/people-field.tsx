import { type ClipboardEvent, type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { Button } from 'react-aria-components/Button'
import { Tag, TagGroup, TagList } from 'react-aria-components/TagGroup'
import field from '../../parts/field.module.css'
import { useFieldError } from '../../parts/field-errors.ts'
import { looksRight, shortName, splitAddresses } from './addresses.ts'
import styles from './people-field.module.css'

interface Props {
  readonly label: string
  readonly name: string
  readonly people: readonly string[]
  readonly onChange: (people: readonly string[]) => void
  readonly takesFocus?: boolean
  readonly children?: ReactNode
}

/** Recipients. What is typed becomes one at a comma, with Enter, and as the field is left. */
export function PeopleField({ label, name, people, onChange, takesFocus = false, children }: Props) {
  const [typed, setTyped] = useState('')
  const input = useRef<HTMLInputElement>(null)
  const id = useId()
  const error = useFieldError(name)
  useEffect(() => {
    if (takesFocus) input.current?.focus()
  }, [takesFocus])
  useEffect(() => {
    if (error !== undefined) input.current?.focus()
  }, [error])
  const add = (text: string) => {
    const added = splitAddresses(text).filter((one) => !people.includes(one))
    setTyped('')
    if (added.length > 0) onChange([...people, ...added])
  }
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    const last = people.at(-1)
    if (event.key === 'Backspace' && typed === '' && last !== undefined) {
      // It is there again to be mended.
      onChange(people.slice(0, -1))
      setTyped(last)
    } else if (
      (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) ||
      event.key === ';' ||
      (event.key === ',' && !isQuoting(typed))
    )
      add(typed)
    else {
      // The message is sent or closed: what is typed belongs to it.
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
          onChange={(event) => setTyped(event.target.value)}
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
      </div>
      {error !== undefined && (
        <span id={`${id}-error`} role="alert" className={`${field.error} ${styles.error}`}>
          {error}
        </span>
      )}
    </div>
  )
}

/** Whether a comma would be within a name in quotes. */
const isQuoting = (typed: string) => (typed.match(/"/g)?.length ?? 0) % 2 === 1
