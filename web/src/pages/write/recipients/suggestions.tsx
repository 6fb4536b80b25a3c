import type { Address } from '../../../api/generated.ts'
import { plain } from '../../../parts/text/plain.ts'
import styles from './people-field.module.css'

interface Props {
  readonly id: string
  readonly label: string
  readonly people: readonly Address[]
  readonly active: number
  readonly onChoose: (person: Address) => void
}

/** The list of a combobox; the focus stays in the field. */
export function Suggestions({ id, label, people, active, onChoose }: Props) {
  return (
    <div id={id} role="listbox" aria-label={`${label}: suggestions`} className={styles.suggestions}>
      {people.map((person, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard chooses in the field
        <div
          key={person.address}
          id={optionId(id, index)}
          role="option"
          aria-selected={index === active}
          className={styles.suggestion}
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onChoose(person)}
        >
          {person.name !== '' && <bdi>{plain(person.name)}</bdi>} <span>{plain(person.address)}</span>
        </div>
      ))}
    </div>
  )
}

export const optionId = (list: string, index: number) => `${list}-${index}`
