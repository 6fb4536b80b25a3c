import { useQueries, useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { Autocomplete, useFilter } from 'react-aria-components/Autocomplete'
import { Dialog } from 'react-aria-components/Dialog'
import { Input } from 'react-aria-components/Input'
import { Menu, MenuItem } from 'react-aria-components/Menu'
import { Modal, ModalOverlay } from 'react-aria-components/Modal'
import { SearchField } from 'react-aria-components/SearchField'
import type { Me } from '../api/generated.ts'
import { type AnyLabel, labelsQuery, labelText } from '../pages/labels/queries.ts'
import { foldersQuery } from '../pages/mail/queries.ts'
import { write } from '../pages/write/opening.ts'
import { sendersOf } from '../pages/write/writing.ts'
import dialog from '../parts/dialog.module.css'
import { folderName } from '../parts/folder-name.ts'
import { LabelChip } from '../parts/label-chip.tsx'
import { may } from '../session/may.ts'
import { pages } from './navigation.ts'
import styles from './palette.module.css'

/** In place of an address: it opens beside the page. */
const newMessage = 'write'

interface Destination {
  readonly href: string
  readonly name: string
  readonly kind: string
  readonly label?: AnyLabel
}

/** Goes to any page, mailbox, folder and label by a few letters of its name. */
export default function Palette({ me, onClose }: { me: Me; onClose: () => void }) {
  const router = useRouter()
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
              <Input className={`${styles.input}`} placeholder="Go to a page, a folder or a label…" />
            </SearchField>
            <Menu
              aria-label="Where to"
              className={`${styles.list}`}
              items={useDestinations(me)}
              renderEmptyState={() => <p className={styles.none}>Nothing has that name.</p>}
              onAction={(key) => {
                onClose()
                if (key === newMessage) write({ what: 'new' })
                else router.history.push(String(key))
              }}
            >
              {({ href, name, kind, label }) => (
                <MenuItem id={href} textValue={`${name} ${kind}`} className={`${styles.item}`}>
                  {label ? <LabelChip {...label} /> : name}
                  <span className={styles.kind}>{kind}</span>
                </MenuItem>
              )}
            </Menu>
          </Autocomplete>
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}

function useDestinations(me: Me): Destination[] {
  const readable = me.mailboxes.filter(({ kind }) => kind === 'smart')
  const folders = useQueries({ queries: readable.map(({ address }) => foldersQuery(address)) })
  const labels = useQuery(labelsQuery).data ?? []
  return [
    ...(sendersOf(me).length > 0 ? [{ href: newMessage, name: 'Write a message', kind: 'Action' }] : []),
    ...readable.flatMap(({ address }, index) =>
      (folders[index]?.data?.data ?? []).map(({ name }) => ({
        href: `/mail/${encodeURIComponent(address)}/${encodeURIComponent(name)}`,
        name: folderName(name),
        kind: address,
      })),
    ),
    ...pages.filter(({ needs }) => may(me, needs)).map(({ to, title }) => ({ href: to, name: title, kind: 'Page' })),
    ...labels.map((label) => ({
      href: `/search?q=${encodeURIComponent(`label:${label.keyword}`)}`,
      name: labelText(label),
      kind: 'Messages with this label',
      label,
    })),
  ]
}
