import { useState } from 'react'
import { ActionDialog } from '../../../parts/form/action-dialog.tsx'
import type { Place } from '../place.ts'
import { erase } from './erase.ts'
import { messages, say } from './erase-texts.ts'
import type { Subject } from './subject.ts'

interface Props {
  readonly place: Place
  readonly subjects: readonly Subject[]
  readonly onDone: () => void
  readonly onClose: () => void
}

/** Confirms before conversations are deleted for good. */
export default function EraseDialog({ place, subjects, onDone, onClose }: Props) {
  // The selection when it opens, whatever changes behind it.
  const [ids] = useState(() => subjects.flatMap((one) => one.ids))
  return (
    <ActionDialog
      title="Delete for good?"
      about={`${messages(ids.length)} will be gone. This cannot be undone.`}
      action="Delete for good"
      danger
      onSubmit={async () => {
        await erase(place, ids)
        say(`${messages(ids.length)} deleted for good`)
        onDone()
      }}
      onClose={onClose}
    />
  )
}
