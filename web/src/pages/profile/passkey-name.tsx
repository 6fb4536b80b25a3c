import { TextInput } from '../../parts/form/text-input.tsx'

export function PasskeyName(props: { value: string; onChange: (name: string) => void }) {
  return <TextInput {...props} name="name" label="Name" autoFocus hint="Such as the device or key that it is on." />
}
