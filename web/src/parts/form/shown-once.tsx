import type { ReactNode } from 'react'
import { ActionDialog } from './action-dialog.tsx'
import { Copy } from './copy.tsx'
import styles from './shown-once.module.css'

interface Props {
  readonly title: string
  readonly about: ReactNode
  readonly secret: string
  /** For screen readers: "API key". */
  readonly name: string
  readonly onClose: () => void
}

/** Shows a secret that cannot be shown again. */
export function ShownOnce({ title, about, secret, name, onClose }: Props) {
  return (
    <ActionDialog title={title} about={about} action="Done" informs onSubmit={async () => {}} onClose={onClose}>
      <p className={styles.secret}>
        <code>{secret}</code>
        <Copy text={secret} of={name} />
      </p>
    </ActionDialog>
  )
}
