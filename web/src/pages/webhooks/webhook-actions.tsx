import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { deleteWebhook, rotateWebhookSecret, testWebhook, updateWebhook, type Webhook } from '../../api/generated.ts'
import { ActionDialog } from '../../parts/form/action-dialog.tsx'
import { Button } from '../../parts/form/button.tsx'
import { ShownOnce } from '../../parts/form/shown-once.tsx'
import { toasts } from '../../parts/state/toasts.ts'
import { useMay } from '../../session/may.ts'
import { webhooksQuery } from './queries.ts'
import { WebhookForm } from './webhook-form.tsx'
import styles from './webhooks.module.css'

export function Actions({ webhook }: { webhook: Webhook }) {
  const { id, status } = webhook
  const may = useMay('webhooks:write')
  const navigate = useNavigate()
  const [asked, ask] = useState<'change' | 'rotate' | 'delete' | 'pause'>()
  const [secret, setSecret] = useState<string>()
  const test = useMutation({
    mutationFn: () => testWebhook(id),
    onSuccess: ({ delivered, error }) => {
      const text = delivered ? 'The test event is delivered' : `The test event failed: ${error}`
      toasts.add({ text, failed: !delivered }, { timeout: 10_000 })
    },
  })
  const close = () => ask(undefined)
  if (!may) return null
  const paused = status === 'paused'
  return (
    <div className={styles.actions}>
      <Button isPending={test.isPending} onPress={() => test.mutate()}>
        Send a test
      </Button>
      <Button onPress={() => ask('change')}>Change</Button>
      <Button onPress={() => ask('pause')}>{paused ? 'Resume' : 'Pause'}</Button>
      <Button onPress={() => ask('rotate')}>New secret</Button>
      <Button onPress={() => ask('delete')}>Delete</Button>
      {asked === 'change' && <WebhookForm webhook={webhook} onClose={close} />}
      {asked === 'pause' && (
        <ActionDialog
          title={paused ? 'Resume this webhook?' : 'Pause this webhook?'}
          about={
            paused
              ? 'It continues where it was, with what you may read from then on.'
              : 'Events wait, for up to 30 days, until it is resumed.'
          }
          action={paused ? 'Resume' : 'Pause'}
          changes={[webhooksQuery.queryKey]}
          onSubmit={() => updateWebhook(id, { paused: !paused })}
          onClose={close}
        />
      )}
      {asked === 'rotate' && (
        <ActionDialog
          title="Make a new secret?"
          about="For 24 hours requests are signed with both, then with the new one alone."
          action="New secret"
          changes={[webhooksQuery.queryKey]}
          onSubmit={() => rotateWebhookSecret(id)}
          onDone={(made) => setSecret(made.secret)}
          onClose={close}
        />
      )}
      {asked === 'delete' && (
        <ActionDialog
          title="Delete this webhook?"
          about="Waiting events are not delivered."
          action="Delete webhook"
          danger
          changes={[webhooksQuery.queryKey]}
          onSubmit={async () => {
            await deleteWebhook(id)
            await navigate({ to: '/webhooks' })
          }}
          onClose={close}
        />
      )}
      {secret && (
        <ShownOnce
          title="The new secret"
          about="Copy it now: it cannot be shown again."
          secret={secret}
          name="secret"
          onClose={() => setSecret(undefined)}
        />
      )}
    </div>
  )
}
