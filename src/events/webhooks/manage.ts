import { randomUUID } from 'node:crypto'
import type { Action } from '#/base/audit/actions.ts'
import type { Actor } from '#/base/audit/actor.ts'
import { record } from '#/base/audit/record.ts'
import type { Tx } from '#/base/db/schema.ts'
import { notFound, Refusal } from '#/base/errors.ts'
import { boundsOf } from '#/base/event-log/log.ts'
import { lockOrganization } from '#/base/ownership/lock.ts'
import { type SealingKey, seal } from '#/base/secrets/seal.ts'
import {
  deleteWebhook,
  insertWebhook,
  readsAs,
  replaceSecret,
  type Settings,
  setPaused,
  updateWebhook,
  type Viewer,
  type Webhook,
  webhookById,
  webhookCount,
} from './queries.ts'
import { newSecret } from './signature.ts'
import { mostWebhooks, previousForMs } from './webhook.ts'

/** The actor and time of a change. */
export interface Change extends Viewer {
  readonly by: Actor
  readonly now: Date
  readonly secretKey: SealingKey
}

/** Creates a webhook that receives events from now on, with the rights of its creator. */
export async function addWebhook(
  tx: Tx,
  change: Change,
  settings: Settings,
): Promise<{ webhook: Webhook; secret: string }> {
  const { caller, by, now, secretKey } = change
  const { organizationId } = caller
  await lockOrganization(tx, organizationId)
  if ((await webhookCount(tx, organizationId)) >= mostWebhooks) {
    throw new Refusal('invalid_request', `An organization can have at most ${mostWebhooks} webhooks`)
  }
  const [id, secret] = [randomUUID(), newSecret()]
  const { settled } = await boundsOf(tx)
  const row = { ...settings, ...readsAs(by), id, secret: seal(secretKey, id, secret) }
  await insertWebhook(tx, organizationId, row, { cursor: { position: settled, id: 0 }, now })
  const webhook = await found(tx, change, id)
  await note(tx, change, 'webhook.created', undefined, webhook)
  return { webhook, secret }
}

/** Changes what a webhook posts, and pauses or resumes it. With a new URL, one that failed goes on at once, also if it
 *  was paused for that; one that somebody paused stays so. Any
 *  change but of the name or a pause gives the webhook the rights of its maker, so that nobody receives others' mail. */
export async function changeWebhook(
  tx: Tx,
  change: Change,
  id: string,
  { paused, ...settings }: Partial<Settings> & { paused?: boolean },
): Promise<Webhook> {
  const { caller, by, now } = change
  const { organizationId } = caller
  await lockOrganization(tx, organizationId)
  const before = await found(tx, change, id)
  const { name: _name, ...posted } = settings
  const takesOver = Object.keys(posted).length > 0 || paused === false
  await updateWebhook(tx, organizationId, id, { ...settings, ...(takesOver && readsAs(by)) })
  const wasPaused = before.paused_at !== null
  const leadsElsewhere = settings.url !== undefined && settings.url !== before.url
  const resumes = leadsElsewhere && (!wasPaused || before.paused_because !== null)
  if (paused !== undefined && paused !== wasPaused) await setPaused(tx, { organizationId, id, now }, paused)
  else if (paused === undefined ? resumes : leadsElsewhere && !wasPaused)
    await setPaused(tx, { organizationId, id, now }, false)
  const after = await found(tx, change, id)
  await note(tx, change, 'webhook.changed', before, after)
  return after
}

/** The receiver has answered a test: a webhook that failed goes on at once, also if it was paused for that. */
export async function resumeFailed(tx: Tx, change: Change, id: string): Promise<void> {
  const { caller, now } = change
  const { organizationId } = caller
  await lockOrganization(tx, organizationId)
  const before = await webhookById(tx, change, id)
  if (!before || !hasFailed(before)) return
  await setPaused(tx, { organizationId, id, now }, false)
  if (before.paused_at) await note(tx, change, 'webhook.changed', before, await found(tx, change, id))
}

/** One that somebody paused has not. */
function hasFailed({ failing_since, paused_at, paused_because }: Webhook): boolean {
  return failing_since !== null && (paused_at === null || paused_because !== null)
}

/** Gives a webhook a new secret. For a day the previous one signs too. */
export async function rotateSecret(tx: Tx, change: Change, id: string): Promise<{ webhook: Webhook; secret: string }> {
  const { caller, now, secretKey } = change
  const { organizationId } = caller
  await lockOrganization(tx, organizationId)
  await found(tx, change, id)
  const secret = newSecret()
  const until = new Date(now.getTime() + previousForMs)
  await replaceSecret(tx, { organizationId, id }, seal(secretKey, id, secret), until)
  const webhook = await found(tx, change, id)
  await note(tx, change, 'webhook.secret_rotated', undefined, webhook)
  return { webhook, secret }
}

export async function removeWebhook(tx: Tx, change: Change, id: string): Promise<void> {
  await lockOrganization(tx, change.caller.organizationId)
  const before = await found(tx, change, id)
  await deleteWebhook(tx, change.caller.organizationId, id)
  await note(tx, change, 'webhook.deleted', before, undefined)
}

async function found(tx: Tx, viewer: Viewer, id: string): Promise<Webhook> {
  const webhook = await webhookById(tx, viewer, id)
  if (!webhook) throw notFound('webhook')
  return webhook
}

async function note(
  tx: Tx,
  { caller: { organizationId }, by }: Change,
  action: Action,
  before: Webhook | undefined,
  after: Webhook | undefined,
): Promise<void> {
  const one = after ?? before
  if (!one) return
  const item = { organizationId, action, id: one.id, name: shownName(one) }
  await record(tx, by, { ...item, before: recorded(before), after: recorded(after) })
}

/** Its name for people. */
export function shownName({ name, url }: { readonly name: string; readonly url: string }): string {
  return name || new URL(url).host
}

function recorded(webhook: Webhook | undefined) {
  if (!webhook) return null
  const { name, url, types, mailbox, reader, paused_at, previous_until } = webhook
  return { name, url, types, mailbox, reader, paused: paused_at !== null, previous_secret_until: previous_until }
}
