import { useState } from 'react'
import { Autocomplete, useFilter } from 'react-aria-components/Autocomplete'
import { Dialog } from 'react-aria-components/Dialog'
import { Input } from 'react-aria-components/Input'
import { Menu, MenuItem } from 'react-aria-components/Menu'
import { Modal, ModalOverlay } from 'react-aria-components/Modal'
import { SearchField } from 'react-aria-components/SearchField'
import type { Me } from '../api/generated.ts'
import { want } from '../parts/actions/offered.ts'
import dialog from '../parts/form/dialog.module.css'
import { afterPaint } from '../parts/state/after-paint.ts'
import { LabelChip } from '../parts/text/label-chip.tsx'
import styles from './palette.module.css'
import { useEntries } from './palette-entries.ts'

/** How many are shown. What is typed finds the others. */
const most = 200

/** Opens any page, mailbox, folder or label, and runs any action, by a few letters of its name. */
export default function Palette({ me, onClose }: { me: Me; onClose: () => void }) {
  const entries = useEntries(me)
  const [typed, type] = useState('')
  const { contains, startsWith } = useFilter({ sensitivity: 'base' })
  const found = entries
    .filter(({ name, kind }) => contains(`${name} ${kind}`, typed))
    // What begins so is likelier to be meant.
    .toSorted((one, other) => Number(startsWith(other.name, typed)) - Number(startsWith(one.name, typed)))
    .slice(0, most)
  return (
    <ModalOverlay isOpen isDismissable onOpenChange={(open) => !open && onClose()} className={`${dialog.veil}`}>
      <Modal className={`${dialog.modal}`}>
        <Dialog
          aria-label="Go to"
          className={`${styles.palette}`}
          ref={(dialog) => dialog?.setAttribute('aria-modal', 'true')}
        >
          <Autocomplete filter={contains} inputValue={typed} onInputChange={type}>
            <SearchField aria-label="Go to" autoFocus className={`${styles.field}`}>
              <Input className={`${styles.input}`} placeholder="Go to a page, a folder or a label, or do something…" />
            </SearchField>
            <Menu
              aria-label="Where to"
              className={`${styles.list}`}
              items={found}
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
