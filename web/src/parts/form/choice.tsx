import type { ReactNode } from 'react'
import { FieldError } from 'react-aria-components/FieldError'
import { Label } from 'react-aria-components/Label'
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox'
import { Popover } from 'react-aria-components/Popover'
import { Button, Select, SelectValue } from 'react-aria-components/Select'
import { Text } from 'react-aria-components/Text'
import styles from './field.module.css'
import { useFieldError } from './field-errors.ts'

interface Props<T extends string> {
  readonly label: string
  readonly name: string
  readonly hint?: ReactNode
  readonly value: T
  readonly onChange: (value: T) => void
  /** `shown` is the name if it is not given. */
  readonly options: readonly { readonly id: T; readonly name: string; readonly shown?: ReactNode }[]
}

/** A choice of a few. */
export function Choice<T extends string>({ label, name, hint, value, onChange, options }: Props<T>) {
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
