import { useState } from 'react'
import { Toolbar } from 'react-aria-components/Toolbar'
import { ActionButton } from '../../../parts/actions/action-button.tsx'
import { useActions } from '../../../parts/actions/use-actions.ts'
import { afterPaint } from '../../../parts/state/after-paint.ts'
import { lazily } from '../../../parts/state/loading-parts.ts'
import { Part } from '../../../parts/state/part.tsx'
import type { Place } from '../place.ts'
import { label, move } from './actions.ts'
import { LabelMenu } from './label-menu.tsx'
import { MoveMenu } from './move-menu.tsx'
import type { Subject } from './subject.ts'
import { type Chosen, conversationActions } from './table.ts'
import { useMayChange } from './use-may-change.ts'

const EraseDialog = lazily(() => import('./erase-dialog.tsx'))
const NewFolder = lazily(() => import('../folders/new-folder.tsx'))

interface Props {
  readonly place: Place
  /** Without conversations nothing is shown. */
  readonly subjects: readonly Subject[]
  /** Called when conversations leave the folder. */
  readonly onLeave?: () => void
  /** Whether the buttons are shown; the keys always work. */
  readonly shown?: boolean
}

/** Actions on conversations, by buttons and keys. */
export function ActionBar({ place, subjects, onLeave, shown = true }: Props) {
  const [open, setOpen] = useState<Parameters<Chosen['open']>[0]>()
  // What moves to a new folder, chosen before that is made.
  const [moving, setMoving] = useState<{ readonly name: string; readonly from: Pick<Props, 'place' | 'subjects'> }>()
  const mayChange = useMayChange(place.mailbox)
  const some = subjects.length > 0 && mayChange
  const moveTo = (folder: string) => {
    if (folder === place.folder) return
    void move(place, subjects, folder)
    onLeave?.()
  }
  const actions = useActions(conversationActions, some ? { place, subjects, moveTo, open: setOpen } : undefined)
  const visible = shown || open !== undefined || moving !== undefined
  if (!some || !visible) return null
  const menuOf = (what: 'label' | 'move') => ({
    isOpen: open === what,
    onOpen: (is: boolean) => setOpen(is ? what : undefined),
  })
  return (
    <>
      <Toolbar aria-label="Actions">
        {actions.map((action) => {
          if (action.name === 'Label')
            return (
              <LabelMenu
                key={action.name}
                action={action}
                subjects={subjects}
                {...menuOf('label')}
                onChoose={(chosen) => void label(place, subjects, chosen)}
              />
            )
          if (action.name === 'Move')
            return (
              <MoveMenu
                key={action.name}
                action={action}
                place={place}
                {...menuOf('move')}
                onChoose={moveTo}
                onNew={(name) => afterPaint(() => setMoving({ name, from: { place, subjects } }))}
              />
            )
          return <ActionButton key={action.name} action={action} />
        })}
      </Toolbar>
      {moving && (
        <Part name="The dialog" onFailed={() => setMoving(undefined)}>
          <NewFolder
            mailbox={moving.from.place.mailbox}
            name={moving.name}
            atOnce={moving.name !== ''}
            action="Make folder and move"
            onMade={(folder) => {
              void move(moving.from.place, moving.from.subjects, folder)
              if (moving.from.subjects[0]?.id === subjects[0]?.id) onLeave?.()
            }}
            onClose={() => setMoving(undefined)}
          />
        </Part>
      )}
      {open === 'erase' && (
        <Part name="The dialog">
          <EraseDialog
            place={place}
            subjects={subjects}
            onDone={() => onLeave?.()}
            onClose={() => setOpen(undefined)}
          />
        </Part>
      )}
    </>
  )
}
