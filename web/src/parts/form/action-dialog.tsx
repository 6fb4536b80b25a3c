import { type ReactNode, useState } from 'react'
import { Dialog } from 'react-aria-components/Dialog'
import { Form } from 'react-aria-components/Form'
import { Heading } from 'react-aria-components/Heading'
import { Modal, ModalOverlay } from 'react-aria-components/Modal'
import { ApiError } from '../../api/call.ts'
import { Confirmation, useConfirmation } from '../../session/confirmation.tsx'
import { Button } from './button.tsx'
import styles from './dialog.module.css'
import { FieldErrors } from './field-errors.ts'

interface Props {
  readonly title: string
  readonly about?: ReactNode
  /** The label of the button. */
  readonly action: string
  readonly danger?: boolean
  /** It only shows a result: there is nothing to cancel, and a click outside does not close it. */
  readonly informs?: boolean
  /** Whether the action is possible now: required text is typed. */
  readonly ready?: boolean
  /** The names of the fields in it. An error of one of them is shown there, others above the buttons. */
  readonly fields?: readonly string[]
  readonly children?: ReactNode
  /** The error of an attempt before it was opened. */
  readonly failed?: Error
  /** Answers 'stay' if the dialog has something to show. */
  readonly onSubmit: () => Promise<unknown>
  readonly onClose: () => void
}

/** Asks for the input of an action, and a confirmation if the service requires one, runs it, and closes. If it fails the
 *  dialog stays open, with the input. */
export function ActionDialog({ title, about, action, danger, ready = true, fields = [], ...props }: Props) {
  const { children, informs = false, failed, onSubmit, onClose } = props
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<Error | undefined>(failed)
  const confirmation = useConfirmation()
  const field = error instanceof ApiError ? fields.find((name) => name === fieldName(error)) : undefined

  async function submit() {
    setBusy(true)
    setError(undefined)
    try {
      await confirmation.confirm()
      if ((await onSubmit()) !== 'stay') onClose()
    } catch (failure) {
      if (confirmation.isAskedBy(failure)) return
      setError(failure as Error)
    } finally {
      setBusy(false)
    }
  }

  return (
    <ModalOverlay
      isOpen
      isDismissable={!busy && !informs}
      onOpenChange={(open) => !open && onClose()}
      className={`${styles.veil}`}
    >
      <Modal className={`${styles.modal}`}>
        <Dialog role={danger ? 'alertdialog' : 'dialog'} className={`${styles.dialog}`}>
          <Heading slot="title" level={2}>
            {title}
          </Heading>
          {about !== undefined && <div className={styles.about}>{about}</div>}
          <Form
            className={`${styles.form}`}
            validationBehavior="aria"
            onSubmit={(event) => {
              event.preventDefault()
              // A dialog opened inside this one is another one.
              event.stopPropagation()
              void submit()
            }}
          >
            <FieldErrors value={field && error ? { [field]: saying(error) } : {}}>{children}</FieldErrors>
            <Confirmation {...confirmation} />
            {error && !field && (
              <p role="alert" className={styles.failure}>
                {saying(error)}
              </p>
            )}
            <div className={styles.foot}>
              {!informs && (
                <Button onPress={onClose} isDisabled={busy}>
                  Cancel
                </Button>
              )}
              <Button type="submit" look={danger ? 'danger' : 'primary'} isPending={busy} isDisabled={!ready}>
                {action}
              </Button>
            </div>
          </Form>
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}

/** `to[2]` is an error of the field `to`. */
function fieldName({ field }: ApiError): string | undefined {
  return field?.replace(/[.[].*$/, '')
}

function saying(error: Error): string {
  const fix = error instanceof ApiError ? error.fix : undefined
  return fix === undefined ? error.message : `${error.message}. ${fix}.`
}
