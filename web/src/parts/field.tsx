import type { ReactNode } from 'react'
import { FieldError } from 'react-aria-components/FieldError'
import { Input } from 'react-aria-components/Input'
import { Label } from 'react-aria-components/Label'
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox'
import { Popover } from 'react-aria-components/Popover'
import { Button, Select, SelectValue } from 'react-aria-components/Select'
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

/** A line of text, or several. Its error comes from the form (`ActionDialog`), by its name. */
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

interface ChoiceProps<T extends string> {
  readonly label: string
  readonly name: string
  readonly hint?: ReactNode
  readonly value: T
  readonly onChange: (value: T) => void
  /** `shown` is the name where it is not given. */
  readonly options: readonly { readonly id: T; readonly name: string; readonly shown?: ReactNode }[]
}

/** One of a few. */
export function Choice<T extends string>({ label, name, hint, value, onChange, options }: ChoiceProps<T>) {
  const error = useFieldError(name)
  return (
    <Select
      name={name}
      isInvalid={error !== undefined}
      className={`${styles.field}`}
      selectedKey={value}
      onSelectionChange={(key) => key !== null && onChange(String(key) as T)}
    >
      <Label className={`${styles.label}`}>{label}</Label>
      <Button className={`${styles.input} ${styles.select}`}>
        <SelectValue />
        <span aria-hidden="true">▾</span>
      </Button>
      {hint !== undefined && (
        <Text slot="description" className={`${styles.hint}`}>
          {hint}
        </Text>
      )}
      <FieldError className={`${styles.error}`}>{error}</FieldError>
      <Popover>
        <ListBox className={`${styles.options}`} items={options}>
          {(option) => (
            <ListBoxItem id={option.id} textValue={option.name} className={`${styles.option}`}>
              {option.shown ?? option.name}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </Select>
  )
}
