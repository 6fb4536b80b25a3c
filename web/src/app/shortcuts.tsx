import { Dialog } from 'react-aria-components/Dialog'
import { Heading } from 'react-aria-components/Heading'
import { Modal, ModalOverlay } from 'react-aria-components/Modal'
import { answerActions, conversationActions, listActions, readingActions } from '../pages/mail/actions/table.ts'
import { searchActions } from '../pages/search/actions.ts'
import { closingActions, sendingActions } from '../pages/write/actions.ts'
import { type Action, keysOf } from '../parts/actions/action.ts'
import { Button } from '../parts/form/button.tsx'
import dialog from '../parts/form/dialog.module.css'
import { everywhereActions, frameActions } from './actions.ts'
import styles from './shortcuts.module.css'

const groups: readonly { readonly title: string; readonly actions: readonly Named[] }[] = [
  { title: 'Everywhere', actions: [...everywhereActions, ...frameActions] },
  { title: 'In a list, or in what was found', actions: [...listActions, ...searchActions] },
  { title: 'In a conversation', actions: readingActions },
  { title: 'In a message that is being written', actions: [...sendingActions, ...closingActions] },
  { title: 'With what is selected or open', actions: [...answerActions, ...conversationActions] },
]

type Named = Pick<Action, 'name' | 'key'>

/** Each key, and all that it does by turns. */
function keysIn(actions: readonly Named[]): [string, string][] {
  const withKeys = actions.filter((action) => keysOf(action).length > 0)
  return [...Map.groupBy(withKeys, (action) => keysOf(action).join(', '))].map(([keys, alike]) => {
    const [first = '', ...others] = alike.map(({ name }) => name)
    return [keys, [first, ...others.map((name) => name.replace(/^./, (letter) => letter.toLowerCase()))].join(', or ')]
  })
}

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
            {groups.map(({ title, actions }) => (
              <section key={title} aria-label={title}>
                <h3>{title}</h3>
                <dl className={styles.keys}>
                  {keysIn(actions).map(([key, what]) => (
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
