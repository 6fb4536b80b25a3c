import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { ActionDialog } from '../../parts/dialog.tsx'
import { folderName } from '../../parts/folder-name.ts'
import { count } from '../../parts/size.ts'
import { toasts } from '../../parts/toasts.ts'
import { empty, erase, isForWaste } from './erase.ts'
import type { Place } from './place.ts'
import { foldersQuery } from './queries.ts'
import type { Subject } from './subject.ts'
import { useMayChange } from './use-may-change.ts'

const messages = (number: number) => (number === 1 ? 'One message' : `${count(number)} messages`)
const say = (text: string) => toasts.add({ text }, { timeout: 5_000 })

interface EraseProps {
  readonly place: Place
  readonly subjects: readonly Subject[]
  readonly onDone: () => void
  readonly onClose: () => void
}

/** Asks before conversations are deleted for good. */
export function EraseDialog({ place, subjects, onDone, onClose }: EraseProps) {
  // What is chosen when it opens, whatever comes or goes behind it.
  const [uids] = useState(() => subjects.flatMap((one) => one.uids))
  return (
    <ActionDialog
      title="Delete for good?"
      about={`${messages(uids.length)} will be gone. This cannot be undone.`}
      action="Delete for good"
      danger
      onSubmit={async () => {
        await erase(place, uids)
        say(`${messages(uids.length)} deleted for good`)
        onDone()
      }}
      onClose={onClose}
    />
  )
}

/** Empties trash or junk, once that is confirmed. Nothing in other folders. */
export function EmptyFolder({ place }: { place: Place }) {
  const [asking, ask] = useState(false)
  const total = useQuery(foldersQuery(place.mailbox)).data?.data.find(({ name }) => name === place.folder)?.total ?? 0
  const mayChange = useMayChange(place.mailbox)
  const name = folderName(place.folder)
  if (!isForWaste(place.folder) || !mayChange) return null
  return (
    <>
      {total > 0 && (
        <Button look="quiet" onPress={() => ask(true)}>
          Empty {name}
        </Button>
      )}
      {asking && (
        <ActionDialog
          title={`Empty ${name}?`}
          about={`${messages(total)} will be gone. This cannot be undone.`}
          action={`Empty ${name}`}
          danger
          onSubmit={async () => {
            await empty(place)
            say(`${name} is empty`)
          }}
          onClose={() => ask(false)}
        />
      )}
    </>
  )
}
