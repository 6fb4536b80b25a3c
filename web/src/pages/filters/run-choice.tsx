import { useQuery } from '@tanstack/react-query'
import { CheckboxGroup } from 'react-aria-components/CheckboxGroup'
import { FieldError } from 'react-aria-components/FieldError'
import { Label } from 'react-aria-components/Label'
import { Check } from '../../parts/form/check.tsx'
import { useFieldError } from '../../parts/form/field-errors.ts'
import { TextInput } from '../../parts/form/text-input.tsx'
import { folderName } from '../../parts/text/folder-name.ts'
import { mailboxesQuery } from '../mailboxes/queries.ts'
import styles from './runs.module.css'

/** The mailboxes and folders of a run. */
export interface Where {
  /** Addresses; empty for all mailboxes. */
  readonly mailboxes: readonly string[]
  readonly folders: readonly string[]
  /** Paths of other folders, separated by commas. */
  readonly others: string
}

const standing = ['inbox', 'archive', 'sent', 'junk', 'trash']

export const foldersOf = ({ folders, others }: Where) => [
  ...folders,
  ...others
    .split(',')
    .map((path) => path.trim())
    .filter((path) => path !== ''),
]

interface Props {
  readonly where: Where
  /** A member's filters run on the member's mailbox only. */
  readonly own: boolean
  readonly onChange: (where: Where) => void
}

/** Chooses the mailboxes and folders of a run. */
export function RunChoice({ where, own, onChange }: Props) {
  const mailboxes = (useQuery(mailboxesQuery).data?.data ?? []).filter(({ kind }) => kind === 'smart')
  return (
    <>
      {!own && (
        <Several
          name="mailboxes"
          label="Mailboxes (none chosen: all whose mail you may change)"
          options={mailboxes.map(({ address }) => ({ id: address, name: address }))}
          chosen={where.mailboxes}
          onChange={(mailboxes) => onChange({ ...where, mailboxes })}
        />
      )}
      <Several
        name="folders"
        label="Folders"
        options={standing.map((id) => ({ id, name: folderName(id) }))}
        chosen={where.folders}
        onChange={(folders) => onChange({ ...where, folders })}
      />
      <TextInput
        name="others"
        label="Other folders"
        value={where.others}
        onChange={(others) => onChange({ ...where, others })}
        placeholder="Projects/Apollo, Bills"
        hint="Paths with commas between them. A mailbox without one is skipped."
      />
    </>
  )
}

interface SeveralProps {
  readonly name: string
  readonly label: string
  readonly options: readonly { readonly id: string; readonly name: string }[]
  readonly chosen: readonly string[]
  readonly onChange: (chosen: string[]) => void
}

function Several({ name, label, options, chosen, onChange }: SeveralProps) {
  const error = useFieldError(name)
  return (
    <CheckboxGroup
      name={name}
      isInvalid={error !== undefined}
      value={[...chosen]}
      onChange={onChange}
      className={`${styles.several}`}
    >
      <Label className={`${styles.label}`}>{label}</Label>
      <div className={styles.options}>
        {options.map((option) => (
          <Check key={option.id} value={option.id}>
            {option.name}
          </Check>
        ))}
      </div>
      <FieldError className={`${styles.failed}`}>{error}</FieldError>
    </CheckboxGroup>
  )
}
