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

interface Props extends Omit<TextFieldProps, 'className' | 'style' | 'children'> {
  readonly label: string
  readonly hint?: ReactNode
  readonly placeholder?: string
  /** Several lines. */
  readonly long?: boolean
}

/** A line of text, or several. Its error comes from the form (`FormDialog`), by its name. */
export function TextInput({ label, hint, placeholder, long, ...props }: Props) {
  return (
    <TextField {...props} className={`${styles.field}`}>
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
      <FieldError className={`${styles.error}`} />
    </TextField>
  )
}

interface ChoiceProps<T extends string> {
  readonly label: string
  readonly name: string
  readonly hint?: ReactNode
  readonly value: T
  readonly onChange: (value: T) => void
  readonly options: readonly { readonly id: T; readonly text: ReactNode; readonly name: string }[]
}

/** One of a few. */
export function Choice<T extends string>({ label, name, hint, value, onChange, options }: ChoiceProps<T>) {
  return (
    <Select
      name={name}
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
      <FieldError className={`${styles.error}`} />
      <Popover>
        <ListBox className={`${styles.options}`} items={options}>
          {(option) => (
            <ListBoxItem id={option.id} textValue={option.name} className={`${styles.option}`}>
              {option.text}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </Select>
  )
}
