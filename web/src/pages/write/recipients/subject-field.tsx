import { useId } from 'react'
import field from '../../../parts/form/field.module.css'
import { useFieldError } from '../../../parts/form/field-errors.ts'
import { change } from '../open-message.ts'
import styles from './people-field.module.css'

export function SubjectField({ value }: { value: string }) {
  const id = useId()
  const error = useFieldError('subject')
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={styles.label}>
        Subject
      </label>
      <input
        id={id}
        className={field.input}
        value={value}
        maxLength={998}
        onChange={({ target }) => change({ subject: target.value })}
        aria-invalid={error !== undefined}
        aria-describedby={error === undefined ? undefined : `${id}-error`}
      />
      {error !== undefined && (
        <span id={`${id}-error`} role="alert" className={`${field.error} ${styles.error}`}>
          {error}
        </span>
      )}
    </div>
  )
}
