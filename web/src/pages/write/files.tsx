import { useRef } from 'react'
import { useFieldError } from '../../parts/field-errors.ts'
import { Icon } from '../../parts/icon.tsx'
import { IconButton } from '../../parts/icon-button.tsx'
import { size } from '../../parts/size.ts'
import styles from './composer.module.css'
import { addFiles, change } from './desk.ts'
import type { File } from './writing.ts'

/** What is attached; more is dropped or pasted anywhere in the message, or chosen by the button. */
export function Files({ files }: { files: readonly File[] }) {
  const error = useFieldError('attachments')
  const attached = files.filter(({ cid }) => cid === undefined)
  if (attached.length === 0 && error === undefined) return null
  return (
    <div className={styles.files}>
      {attached.length > 0 && (
        <ul aria-label="Attachments">
          {attached.map(({ id, name, size: bytes }) => (
            <li key={id}>
              <Icon name="attachment" />
              <bdi>{name}</bdi>
              <span>{size(bytes)}</span>
              <IconButton
                name={`Remove ${name}`}
                icon="close"
                onPress={() => change({ files: files.filter((one) => one.id !== id) })}
              />
            </li>
          ))}
        </ul>
      )}
      {error !== undefined && (
        <span role="alert" className={styles.error}>
          {error}
        </span>
      )}
    </div>
  )
}

/** Lets one choose files. */
export function AttachButton() {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to attach"
        onChange={({ target }) => {
          void addFiles([...(target.files ?? [])], false)
          target.value = ''
        }}
      />
      <IconButton name="Attach files" icon="attachment" onPress={() => input.current?.click()} />
    </>
  )
}
