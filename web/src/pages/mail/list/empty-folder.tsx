import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ActionDialog } from '../../../parts/form/action-dialog.tsx'
import { Button } from '../../../parts/form/button.tsx'
import { folderName } from '../../../parts/text/folder-name.ts'
import { empty } from '../actions/erase.ts'
import { messages, say } from '../actions/erase-texts.ts'
import { useMayChange } from '../actions/use-may-change.ts'
import type { Place } from '../place.ts'
import { foldersQuery } from '../queries.ts'

/** Empties trash or junk, after confirmation. */
export default function EmptyFolder({ place }: { place: Place }) {
  const [asking, ask] = useState(false)
  const total = useQuery(foldersQuery(place.mailbox)).data?.data.find(({ name }) => name === place.folder)?.total ?? 0
  const mayChange = useMayChange(place.mailbox)
  const name = folderName(place.folder)
  if (!mayChange) return null
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
