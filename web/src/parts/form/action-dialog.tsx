import { type QueryKey, useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Dialog } from 'react-aria-components/Dialog'
import { Form } from 'react-aria-components/Form'
import { Heading } from 'react-aria-components/Heading'
import { Modal, ModalOverlay } from 'react-aria-components/Modal'
import { ApiError } from '../../api/call.ts'
import { Confirmation, useConfirmation } from '../../session/confirmation.tsx'
import { Button } from './button.tsx'
import styles from './dialog.module.css'
import { FieldErrors } from './field-errors.ts'

interface Props<T> {
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
  /** Keys of the queries whose results the action may change. They are refreshed before the dialog closes. */
  readonly changes?: readonly QueryKey[]
  /** Answers 'stay' if the dialog has something to show. */
  readonly onSubmit: () => Promise<T>
  /** Called as the dialog closes. */
  readonly onDone?: (result: Exclude<T, 'stay'>) => void
  readonly onClose: () => void
}

/** Asks for the input of an action, and a confirmation if the service requires one, runs it, and closes. If it fails the
 *  dialog stays open, with the input. */
export function ActionDialog<T>({ title, about, action, danger, ready = true, fields = [], ...props }: Props<T>) {
  const { children, informs = false, failed, changes = [], onSubmit, onDone, onClose } = props
  const confirmation = useConfirmation()
  const attempt = useMutation({
    mutationFn: async () => {
      await confirmation.confirm()
      return onSubmit()
    },
    meta: { changes, showsFailure: true },
    onSuccess: (result) => {
      if (result === 'stay') return
      onDone?.(result as Exclude<T, 'stay'>)
      onClose()
    },
    onError: (failure) => {
      if (confirmation.isAskedBy(failure)) attempt.reset()
    },
  })
  const busy = attempt.isPending
  const error = attempt.error ?? (attempt.isIdle ? failed : undefined)
  const field = error instanceof ApiError ? fields.find((name) => name === fieldName(error)) : undefined

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
              attempt.mutate()
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
