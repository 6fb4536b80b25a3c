import type { Me } from '../../../api/generated.ts'
import { Choice } from '../../../parts/form/choice.tsx'
import { signedAnew } from '../beginning/signed.ts'
import { change, current } from '../open-message.ts'
import { sendersOf } from '../writing.ts'

interface Props {
  readonly me: Me
  readonly address: string
  /** The end of the text changes. */
  readonly onSigned: () => void
}

/** The sender; a choice for members who may send from several mailboxes. */
export function SenderField({ me, address, onSigned }: Props) {
  const senders = sendersOf(me)
  if (senders.length < 2) return null
  const choose = async (from: string) => {
    const before = current()
    if (!before) return
    change({ from })
    const anew = await signedAnew(before, from)
    const now = current()
    const isSame = now?.key === before.key && now.from === from && now.html === before.html && now.text === before.text
    // Text typed meanwhile stays, and so does the signature.
    if (!isSame || Object.keys(anew).length === 0) return
    change(anew)
    onSigned()
  }
  return (
    <Choice
      label="From"
      name="from"
      value={address}
      onChange={(from) => void choose(from)}
      options={senders.map((one) => ({ id: one.address, name: one.address, text: one.address }))}
    />
  )
}
