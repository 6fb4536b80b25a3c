import { Button } from '../../../parts/form/button.tsx'
import { useFieldError } from '../../../parts/form/field-errors.ts'
import { IconButton } from '../../../parts/form/icon-button.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { size } from '../../../parts/text/size.ts'
import styles from '../composer.module.css'
import { change } from '../open-message.ts'
import { draftOf } from '../saving/save.ts'
import type { File, Writing } from '../writing.ts'
import { Uploading } from './uploading.tsx'
import { stopUpload, useShare } from './uploads.ts'

interface Props {
  readonly writing: Writing
  /** Set if the last attempt to save the message failed. */
  readonly tryNow: (() => void) | undefined
}

/** The attachments. More are dropped or pasted anywhere in the message, or chosen by the button. */
export function Files({ writing, tryNow }: Props) {
  const { files } = writing
  const error = useFieldError('attachments')
  const attached = files.filter(({ cid }) => cid === undefined)
  if (attached.length === 0 && error === undefined) return null
  const there = draftOf(writing)?.files ?? []
  const waits = attached.some(({ id }) => !there.some((file) => file.id === id))
  return (
    <div className={styles.files}>
      {attached.length > 0 && (
        <ul aria-label="Attachments">
          {attached.map((file) => (
            <Attachment
              key={file.id}
              file={file}
              onRemove={() => {
                change({ files: files.filter(({ id }) => id !== file.id) })
                stopUpload(file.id)
              }}
            />
          ))}
        </ul>
      )}
      {waits && tryNow && (
        <span className={styles.waits}>
          Not uploaded yet <Button onPress={tryNow}>Try again</Button>
        </span>
      )}
      {error !== undefined && (
        <span role="alert" className={styles.error}>
          {error}
        </span>
      )}
    </div>
  )
}

function Attachment({ file, onRemove }: { file: File; onRemove: () => void }) {
  const { id, name, size: bytes } = file
  const share = useShare(id)
  const isGoing = share !== undefined && share < 1
  return (
    <li>
      <Icon name="attachment" />
      <bdi>{name}</bdi>
      <span>{size(bytes)}</span>
      <Uploading file={file} />
      <IconButton name={isGoing ? `Cancel ${name}` : `Remove ${name}`} icon="close" onPress={onRemove} />
    </li>
  )
}
