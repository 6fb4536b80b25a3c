import { useState } from 'react'
import { createWebhook, updateWebhook, type Webhook, type WebhookWithSecret } from '../../api/generated.ts'
import { ActionDialog } from '../../parts/form/action-dialog.tsx'
import { TextInput } from '../../parts/form/text-input.tsx'
import { webhooksQuery } from './queries.ts'

interface Props {
  /** The webhook to change; undefined to create one. */
  readonly webhook?: Webhook
  readonly onDone?: (made: WebhookWithSecret) => void
  readonly onClose: () => void
}

/** Creates or changes a webhook. */
export function WebhookForm({ webhook, onDone, onClose }: Props) {
  const [url, setUrl] = useState(webhook?.url ?? '')
  const [name, setName] = useState(webhook?.name ?? '')
  const [types, setTypes] = useState(webhook?.types?.join(', ') ?? '')
  const [mailbox, setMailbox] = useState(webhook?.mailbox?.address ?? '')
  const save = (): Promise<Webhook | WebhookWithSecret> => {
    const named = types.split(/[,\s]+/).filter(Boolean)
    const settings = { url, name, types: named.length > 0 ? named : null, mailbox: mailbox.trim() || null }
    return webhook ? updateWebhook(webhook.id, settings) : createWebhook(settings)
  }
  return (
    <ActionDialog
      title={webhook ? 'Change webhook' : 'New webhook'}
      about="It reads what you may read: your own mailboxes and those shared with you. For all mailboxes, create it with an API key."
      action={webhook ? 'Save' : 'Create webhook'}
      ready={url.trim() !== ''}
      fields={['url', 'name', 'types', 'mailbox']}
      changes={[webhooksQuery.queryKey]}
      onSubmit={save}
      onDone={(made) => 'secret' in made && onDone?.(made)}
      onClose={onClose}
    >
      <TextInput
        name="url"
        label="URL"
        type="url"
        value={url}
        onChange={setUrl}
        autoFocus
        hint="Beginning with https://"
      />
      <TextInput name="name" label="Name" value={name} onChange={setName} hint="Which program it is." />
      <TextInput
        name="types"
        label="Only these events"
        value={types}
        onChange={setTypes}
        hint="As message, label.created. Empty for all."
      />
      <TextInput
        name="mailbox"
        label="Only this mailbox"
        value={mailbox}
        onChange={setMailbox}
        hint="An address. Empty for all."
      />
    </ActionDialog>
  )
}
