import { TextInput } from '../../parts/form/text-input.tsx'

export function PasskeyName(props: { value: string; onChange: (name: string) => void }) {
  return (
    <TextInput
      {...props}
      name="name"
      label="Name"
      autoFocus
      hint="For you to know it by: the device or the key that it is on."
    />
  )
}
