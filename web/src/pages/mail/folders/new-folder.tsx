import { useEffect, useRef, useState } from 'react'
import { ActionDialog } from '../../../parts/form/action-dialog.tsx'
import { TextInput } from '../../../parts/form/text-input.tsx'
import { make } from './changes.ts'

interface Props {
  readonly mailbox: string
  /** What is typed already. */
  readonly name?: string
  /** The folder is made without a question; only if that fails, the question is shown. */
  readonly atOnce?: boolean
  readonly action?: string
  readonly onMade: (name: string) => void
  readonly onClose: () => void
}

/** Asks for the name of a new folder, and makes it. */
export default function NewFolder({ mailbox, atOnce = false, action = 'Make folder', onMade, ...props }: Props) {
  const { onClose } = props
  const [name, setName] = useState(props.name ?? '')
  const [failed, fail] = useState<Error>()
  const begun = useRef(false)
  const submit = async () => onMade(await make(mailbox, name.trim()))
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, with the name that was given
  useEffect(() => {
    if (!atOnce || begun.current) return
    begun.current = true
    submit().then(onClose, fail)
  }, [])
  if (atOnce && !failed) return null
  return (
    <ActionDialog
      title="New folder"
      action={action}
      ready={name.trim() !== ''}
      fields={['name']}
      {...(failed && { failed })}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        name="name"
        label="Name"
        value={name}
        onChange={setName}
        autoFocus
        hint="With a slash it is within another one: Projects/Apollo"
      />
    </ActionDialog>
  )
}
