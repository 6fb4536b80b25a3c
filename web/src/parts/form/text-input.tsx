import type { ReactNode } from 'react'
import { FieldError } from 'react-aria-components/FieldError'
import { Input } from 'react-aria-components/Input'
import { Label } from 'react-aria-components/Label'
import { Text } from 'react-aria-components/Text'
import { TextArea, TextField, type TextFieldProps } from 'react-aria-components/TextField'
import styles from './field.module.css'
import { useFieldError } from './field-errors.ts'

interface Props extends Omit<TextFieldProps, 'className' | 'style' | 'children'> {
  readonly label: string
  readonly hint?: ReactNode
  readonly placeholder?: string
  /** Several lines. */
  readonly long?: boolean
}

/** One or several lines of text. Its error comes from the form (`ActionDialog`), by name. */
export function TextInput({ label, hint, placeholder, long, ...props }: Props) {
  const error = useFieldError(props.name)
  return (
    <TextField {...props} isInvalid={error !== undefined} className={`${styles.field}`}>
      <Label className={`${styles.label}`}>{label}</Label>
      {long ? (
        <TextArea className={`${styles.input} ${styles.area}`} placeholder={placeholder ?? ''} />
      ) : (
        <Input className={`${styles.input}`} placeholder={placeholder ?? ''} />
      )}
      {hint !== undefined && (
        <Text slot="description" className={`${styles.hint}`}>
          {hint}
        </Text>
      )}
      <FieldError className={`${styles.error}`}>{error}</FieldError>
    </TextField>
  )
}
