import {
  UNSTABLE_ToastRegion as AriaToastRegion,
  Text,
  UNSTABLE_Toast as Toast,
  UNSTABLE_ToastContent as ToastContent,
} from 'react-aria-components/Toast'
import { Button } from '../form/button.tsx'
import { IconButton } from '../form/icon-button.tsx'
import styles from './toast-region.module.css'
import { toasts } from './toasts.ts'

/** Where toasts are shown. */
export function ToastRegion() {
  return (
    <AriaToastRegion queue={toasts} aria-label="What was done" className={`${styles.region}`}>
      {({ toast }) => (
        <Toast toast={toast} className={toast.content.failed ? `${styles.toast} ${styles.failed}` : `${styles.toast}`}>
          <ToastContent className={`${styles.content}`}>
            <Text slot="title">{toast.content.text}</Text>
            {toast.content.detail}
          </ToastContent>
          {toast.content.action && (
            <Button
              look="quiet"
              onPress={() => {
                toasts.close(toast.key)
                toast.content.action?.run()
              }}
            >
              {toast.content.action.name}
            </Button>
          )}
          <IconButton name="Close" icon="close" onPress={() => toasts.close(toast.key)} />
        </Toast>
      )}
    </AriaToastRegion>
  )
}
