import { useQueries, useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { Autocomplete, useFilter } from 'react-aria-components/Autocomplete'
import { Dialog } from 'react-aria-components/Dialog'
import { Input } from 'react-aria-components/Input'
import { Menu, MenuItem } from 'react-aria-components/Menu'
import { Modal, ModalOverlay } from 'react-aria-components/Modal'
import { SearchField } from 'react-aria-components/SearchField'
import type { Me } from '../api/generated.ts'
import { type AnyLabel, labelsQuery, labelText } from '../pages/labels/queries.ts'
import { foldersQuery } from '../pages/mail/queries.ts'
import dialog from '../parts/form/dialog.module.css'
import { commandsNow, want } from '../parts/keyboard/commands.ts'
import { afterPaint } from '../parts/state/after-paint.ts'
import { folderName } from '../parts/text/folder-name.ts'
import { LabelChip } from '../parts/text/label-chip.tsx'
import { may } from '../session/may.ts'
import { pageActions, pages } from './navigation.ts'
import styles from './palette.module.css'

interface Entry {
  readonly id: string
  readonly name: string
  readonly kind: string
  readonly shortcut?: string
  readonly label?: AnyLabel
  readonly run: () => void
}

/** Opens any page, mailbox, folder or label, and runs any action, by a few letters of its name. */
export default function Palette({ me, onClose }: { me: Me; onClose: () => void }) {
  const entries = useEntries(me)
  const { contains } = useFilter({ sensitivity: 'base' })
  return (
    <ModalOverlay isOpen isDismissable onOpenChange={(open) => !open && onClose()} className={`${dialog.veil}`}>
      <Modal className={`${dialog.modal}`}>
        <Dialog
          aria-label="Go to"
          className={`${styles.palette}`}
          ref={(dialog) => dialog?.setAttribute('aria-modal', 'true')}
        >
          <Autocomplete filter={contains}>
            <SearchField aria-label="Go to" autoFocus className={`${styles.field}`}>
              <Input className={`${styles.input}`} placeholder="Go to a page, a folder or a label, or do something…" />
            </SearchField>
            <Menu
              aria-label="Where to"
              className={`${styles.list}`}
              items={entries}
              renderEmptyState={() => <p className={styles.none}>Nothing has that name.</p>}
              onAction={(key) => {
                onClose()
                // Closing it returns the focus.
                want(undefined)
                afterPaint(() => entries.find(({ id }) => id === key)?.run())
              }}
            >
              {({ id, name, kind, shortcut, label }) => (
                <MenuItem id={id} textValue={`${name} ${kind}`} className={`${styles.item}`}>
                  {label ? <LabelChip {...label} /> : name}
                  <span className={styles.kind}>{shortcut === undefined ? kind : <kbd>{shortcut}</kbd>}</span>
                </MenuItem>
              )}
            </Menu>
          </Autocomplete>
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}

function useEntries(me: Me): Entry[] {
  const router = useRouter()
  const [commands] = useState(commandsNow)
  const readable = me.mailboxes.filter(({ kind }) => kind === 'smart')
  const folders = useQueries({ queries: readable.map(({ address }) => foldersQuery(address)) })
  const labels = useQuery(labelsQuery).data ?? []
  const to = (href: string, name: string, kind: string) => ({
    ...{ id: `${kind} ${href}`, name, kind },
    run: () => router.history.push(href),
  })
  const isHere = (name: string) => commands.some((command) => command.name === name)
  return [
    ...commands.map((command) => ({ ...command, id: command.name, kind: 'Action' })),
    ...readable.flatMap(({ address }, index) =>
      (folders[index]?.data?.data ?? []).map(({ name }) =>
        to(`/mail/${encodeURIComponent(address)}/${encodeURIComponent(name)}`, folderName(name), address),
      ),
    ),
    ...me.mailboxes
      .filter(({ kind }) => kind === 'private')
      .map(({ address }) => to(`/mail/${encodeURIComponent(address)}/inbox`, 'Private mailbox', address)),
    ...(readable.length > 0 ? [to('/search', 'Search', 'Page')] : []),
    ...pages.filter(({ needs }) => may(me, needs)).map((page) => to(page.to, page.title, 'Page')),
    to('/profile', 'Your profile', 'Page'),
    ...pageActions
      .filter(({ name, needs }) => may(me, needs) && !isHere(name))
      .map(({ to: page, name }) => ({ ...to(page, name, 'Action'), id: name, run: () => goAndDo(page, name) })),
    ...labels.map((label) => ({
      ...to(`/search?q=${encodeURIComponent(`label:${label.keyword}`)}`, labelText(label), 'Messages with this label'),
      label,
    })),
  ]

  function goAndDo(page: string, name: string): void {
    want(name)
    router.history.push(page)
  }
}
