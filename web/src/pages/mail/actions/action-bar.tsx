import { useState } from 'react'
import { Toolbar } from 'react-aria-components/Toolbar'
import { IconButton } from '../../../parts/form/icon-button.tsx'
import { type Command, useCommands } from '../../../parts/keyboard/commands.ts'
import { useKeys } from '../../../parts/keyboard/keys.ts'
import { afterPaint } from '../../../parts/state/after-paint.ts'
import { lazily } from '../../../parts/state/loading-parts.ts'
import { Part } from '../../../parts/state/part.tsx'
import type { Place } from '../place.ts'
import { label, mark, move, star } from './actions.ts'
import { isForWaste } from './erase.ts'
import { LabelMenu } from './label-menu.tsx'
import { MoveMenu } from './move-menu.tsx'
import type { Subject } from './subject.ts'
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
  const [open, setOpen] = useState<'label' | 'move' | 'erase'>()
  // What moves to a new folder, chosen before that is made.
  const [moving, setMoving] = useState<{ readonly name: string; readonly from: Pick<Props, 'place' | 'subjects'> }>()
  const unread = subjects.some((one) => one.unread)
  const starred = subjects.length > 0 && subjects.every((one) => one.starred)
  const mayChange = useMayChange(place.mailbox)
  const some = subjects.length > 0 && mayChange
  const leave = (folder: string) => {
    if (folder === place.folder) return
    void move(place, subjects, folder)
    onLeave?.()
  }
  const act = {
    archive: () => leave('archive'),
    junk: () => leave(place.folder === 'junk' ? 'inbox' : 'junk'),
    delete: () => (place.folder === 'trash' ? setOpen('erase') : leave('trash')),
    erase: () => setOpen('erase'),
    star: () => void star(place, subjects),
    unread: () => void mark(place, subjects, true),
    read: () => void mark(place, subjects, false),
    label: () => setOpen('label'),
    move: () => setOpen('move'),
  }
  const isTrash = place.folder === 'trash'
  const commands: Command[] = [
    ...(place.folder === 'archive' ? [] : [{ name: 'Archive', shortcut: 'e', run: act.archive }]),
    { name: place.folder === 'junk' ? 'Not junk' : 'Junk', shortcut: '!', run: act.junk },
    ...(isTrash ? [] : [{ name: 'Delete', shortcut: '#', run: act.delete }]),
    ...(isForWaste(place.folder)
      ? [{ name: 'Delete for good', ...(isTrash && { shortcut: '#' }), run: act.erase }]
      : []),
    unread
      ? { name: 'Mark as read', shortcut: 'Shift I', run: act.read }
      : { name: 'Mark as unread', shortcut: 'Shift U', run: act.unread },
    { name: starred ? 'Remove star' : 'Star', shortcut: 's', run: act.star },
    { name: 'Label', shortcut: 'l', run: act.label },
    { name: 'Move', shortcut: 'v', run: act.move },
  ]
  useCommands(some ? commands : [])
  const keys = {
    e: act.archive,
    '!': act.junk,
    '#': act.delete,
    s: act.star,
    l: act.label,
    v: act.move,
    'Shift+U': act.unread,
    'Shift+I': act.read,
  }
  useKeys(some ? keys : {})
  const visible = shown || open !== undefined || moving !== undefined
  if (!some || !visible) return null
  return (
    <>
      <Toolbar aria-label="Actions">
        {place.folder !== 'archive' && <IconButton name="Archive" shortcut="e" icon="archive" onPress={act.archive} />}
        <IconButton name={place.folder === 'junk' ? 'Not junk' : 'Junk'} shortcut="!" icon="junk" onPress={act.junk} />
        {place.folder !== 'trash' && <IconButton name="Delete" shortcut="#" icon="delete" onPress={act.delete} />}
        {isForWaste(place.folder) && (
          <IconButton
            name="Delete for good"
            {...(place.folder === 'trash' && { shortcut: '#' })}
            icon="erase"
            onPress={act.erase}
          />
        )}
        {unread ? (
          <IconButton name="Mark as read" shortcut="Shift I" icon="read" onPress={act.read} />
        ) : (
          <IconButton name="Mark as unread" shortcut="Shift U" icon="unread" onPress={act.unread} />
        )}
        <IconButton
          name={starred ? 'Remove star' : 'Star'}
          shortcut="s"
          icon="star"
          filled={starred}
          onPress={act.star}
        />
        <LabelMenu
          subjects={subjects}
          isOpen={open === 'label'}
          onOpen={(is) => setOpen(is ? 'label' : undefined)}
          onChoose={(chosen) => void label(place, subjects, chosen)}
        />
        <MoveMenu
          place={place}
          isOpen={open === 'move'}
          onOpen={(is) => setOpen(is ? 'move' : undefined)}
          onChoose={leave}
          onNew={(name) => afterPaint(() => setMoving({ name, from: { place, subjects } }))}
        />
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
