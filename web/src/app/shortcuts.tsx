import { Dialog } from 'react-aria-components/Dialog'
import { Heading } from 'react-aria-components/Heading'
import { Modal, ModalOverlay } from 'react-aria-components/Modal'
import { Button } from '../parts/form/button.tsx'
import dialog from '../parts/form/dialog.module.css'
import styles from './shortcuts.module.css'

const groups = [
  {
    title: 'Everywhere',
    keys: [
      ['Ctrl K', 'Go to a page, a folder or a label, or do something'],
      ['c', 'Write a message'],
      ['/', 'Search'],
      ['z', 'Undo what was done last'],
      ['?', 'Show these keys'],
    ],
  },
  {
    title: 'In a list',
    keys: [
      ['j', 'Next conversation, or what was found next'],
      ['k', 'The one before'],
      ['Enter, o', 'Open'],
      ['x', 'Select; with Shift all in between'],
      ['u', 'Load again'],
      ['Esc', 'Select none'],
    ],
  },
  {
    title: 'In a conversation',
    keys: [
      ['j', 'Older conversation'],
      ['k', 'Newer conversation'],
      ['u, Esc', 'Back to the list'],
    ],
  },
  {
    title: 'In a message that is being written',
    keys: [
      ['Ctrl Enter', 'Send'],
      ['Esc', 'Close; what is written is among the drafts'],
    ],
  },
  {
    title: 'With what is selected or open',
    keys: [
      ['r', 'Reply'],
      ['a', 'Reply to all'],
      ['f', 'Forward'],
      ['e', 'Archive'],
      ['#', 'Delete; in the trash for good'],
      ['!', 'Junk, or not junk'],
      ['s', 'Star'],
      ['l', 'Label'],
      ['v', 'Move'],
      ['Shift I', 'Mark as read'],
      ['Shift U', 'Mark as unread'],
    ],
  },
] as const

/** A sheet with all keys. */
export default function Shortcuts({ onClose }: { onClose: () => void }) {
  return (
    <ModalOverlay isOpen isDismissable onOpenChange={(open) => !open && onClose()} className={`${dialog.veil}`}>
      <Modal className={`${dialog.modal} ${dialog.wide}`}>
        <Dialog className={`${dialog.dialog}`}>
          <Heading slot="title" level={2}>
            Keys
          </Heading>
          <div className={styles.groups}>
            {groups.map(({ title, keys }) => (
              <section key={title} aria-label={title}>
                <h3>{title}</h3>
                <dl className={styles.keys}>
                  {keys.map(([key, what]) => (
                    <div key={key}>
                      <dt>
                        <kbd>{key}</kbd>
                      </dt>
                      <dd>{what}</dd>
                    </div>
                  ))}
                </dl>
              </section>
            ))}
          </div>
          <div className={dialog.foot}>
            <Button slot="close" autoFocus>
              Close
            </Button>
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}
