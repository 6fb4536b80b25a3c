import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { deleteWebhook, rotateWebhookSecret, testWebhook, updateWebhook, type Webhook } from '../../api/generated.ts'
import { ActionDialog } from '../../parts/form/action-dialog.tsx'
import { Button } from '../../parts/form/button.tsx'
import { ShownOnce } from '../../parts/form/shown-once.tsx'
import { toasts } from '../../parts/state/toasts.ts'
import { useMay } from '../../session/may.ts'
import { webhooksChanged } from './queries.ts'
import { WebhookForm } from './webhook-form.tsx'
import styles from './webhooks.module.css'

async function tryOut(id: string): Promise<void> {
  const { delivered, error } = await testWebhook(id)
  const text = delivered ? 'The test event is delivered' : `The test event failed: ${error}`
  toasts.add({ text, failed: !delivered }, { timeout: 10_000 })
}

export function Actions({ webhook }: { webhook: Webhook }) {
  const { id, status } = webhook
  const may = useMay('webhooks:write')
  const navigate = useNavigate()
  const [asked, ask] = useState<'change' | 'rotate' | 'delete' | 'pause'>()
  const [secret, setSecret] = useState<string>()
  const [testing, setTesting] = useState(false)
  const close = () => ask(undefined)
  if (!may) return null
  const paused = status === 'paused'
  const test = () => {
    setTesting(true)
    tryOut(id)
      .catch((error: Error) => toasts.add({ text: error.message, failed: true }, { timeout: 10_000 }))
      .finally(() => setTesting(false))
  }
  return (
    <div className={styles.actions}>
      <Button isPending={testing} onPress={test}>
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
          onSubmit={() => updateWebhook(id, { paused: !paused }).then(webhooksChanged)}
          onClose={close}
        />
      )}
      {asked === 'rotate' && (
        <ActionDialog
          title="Make a new secret?"
          about="For 24 hours requests are signed with both, then with the new one alone."
          action="New secret"
          onSubmit={() =>
            rotateWebhookSecret(id).then(async (made) => {
              setSecret(made.secret)
              await webhooksChanged()
            })
          }
          onClose={close}
        />
      )}
      {asked === 'delete' && (
        <ActionDialog
          title="Delete this webhook?"
          about="Waiting events are not delivered."
          action="Delete webhook"
          danger
          onSubmit={async () => {
            await deleteWebhook(id)
            await navigate({ to: '/webhooks' })
            await webhooksChanged()
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
