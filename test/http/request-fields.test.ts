import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Schema } from '#test/world/sockets/http-client.ts'
import { World } from '#test/world/world.ts'

// On one database: the document is made without a database.

const world = await World.ofFile()

const folder = '(mailbox: line 1–320, folder?: string)'
const besideUids = '(mailbox?: line 1–320, folder?: string)'
const many = 'uids?: [integer 1–4294967295] 1–500, ids?: [line 1–20] 1–500'
const copies = 'cc?: line –998 or [line –998] –25, bcc?: line –998 or [line –998] –25'
const replyTo = 'reply_to?: line –998 or [line –998] –10'
const thread = 'in_reply_to?: line –998 or [line –998] –100, references?: line –998 or [line –998] –100'
const file = 'filename: line 1–255, content: string, content_type?: line –140, content_id?: line 1–255'
const rest = `attachments?: [{${file}}] –10, headers?: {…} –20`
const message = `from: line –998, to: line –998 or [line –998] 1–25, ${copies}, subject?: line –998, text?: text, html?: text, ${thread}, ${replyTo}, ${rest}`
const draft = `${copies}, ${replyTo}, subject?: line –998, text?: text or null, html?: text or null, ${thread}, ${rest}`
const filter =
  '{name: line 1–, field: from|to|subject, op: contains|is, value: line 1–120, action: move|label|star|read, argument?: line –255 or null, position?: number 0–, enabled?: boolean}'

/** What requests take, query and body, and the operations that take it. Beyond that rules of their own decide, of names and addresses say. */
const taken = `
listLabels: (counts?: boolean, mailbox?: line –320, pages of 1000)
createLabel: {name: line 1–, colour?: string}
listOrphanLabels: (mailbox?: line –320, pages of 1000)
adoptOrphanLabel: {keyword: line 1–50, name: line 1–, colour?: string}
getLabel: (counts?: boolean, mailbox?: line –320)
updateLabel: {name?: line 1–, colour?: string} 1–
deleteLabel: (from_messages?: boolean)
mergeLabel: {into: line 1–200}
listFilters listSignatures listWebhooks listMailboxAccess listSessions listPasskeys: (pages of 1000)
createFilter: ${filter}
updateFilter: {name?: line 1–, field?: from|to|subject, op?: contains|is, value?: line 1–120, action?: move|label|star|read, argument?: line –255 or null, position?: number 0–, enabled?: boolean} 1–
testFilters: {message: {from?: line –998 or [line –998] –100, to?: line –998 or [line –998] –100, subject?: line –998} 1– or text –1000000, filter?: ${filter}}
runAllFilters runFilter: {mailboxes?: [line –320] 1–100, folders?: [string] 1–100, preview?: boolean}
listFilterRuns listChanges listDomains listAccessChanges: (pages of 100)
listBlockedSenders: (pages of 10000)
createBlockedSender: {pattern: line 1–320}
getForwarding: (mailbox?: line 1–320, pages of 1000)
updateForwarding: {mailbox: line 1–320, forward_to?: line 1–320 or null, forward_enabled?: boolean, forward_until?: line or null, reply_subject?: line –255, reply_body?: text –10000, reply_enabled?: boolean, reply_until?: line or null}
sendMessage: {${message}}
sendBatch: {messages: [{${message}}] 1–100}
replyToMessage: ${besideUids} {all?: boolean, leave_out?: line –320 or [line –320] –100, quote?: boolean, from?: line –998, subject?: line –998, text?: text, html?: text, ${replyTo}, ${rest}}
listSentMessages: (state?: queued|deferred|delivered|bounced|complained, mailbox?: line –320, recipient?: line –320, since?: line, pages of 200)
listSuppressions: (search?: line 1–320, pages of 200)
listDrafts: (mailbox: line 1–320, pages of 100)
createDraft: {mailbox: line 1–320, original?: {id?: line 1–20, uid?: integer 1–4294967295, folder?: string, mode: reply|reply_all|forward, quote?: boolean}, from?: line –998, to?: line –998 or [line –998] –25, ${draft}}
updateDraft: {from?: line –998, to?: line –998 or [line –998] –25, ${draft}, version?: integer 1–} 1–
deleteDraft removeDraftAttachment: (version?: integer 1–)
addDraftAttachment: {${file}, version?: integer 1–}
sendDraft: {version?: integer 1–, send_at?: string, unless_replied?: boolean}
requestDraftApproval: {version?: integer 1–}
listApprovals: (status?: pending|approved|declined|outdated, draft?: line –100, pages of 200)
declineDraft: {reason: line 1–998}
listScheduledMessages: (status?: pending|sending|failed|cancelled, pages of 200)
createScheduledMessage: {${message}, send_at: string, unless_replied?: boolean}
updateScheduledMessage: {send_at: string}
listFolders: (mailbox: line 1–320, pages of 1000)
createFolder renameFolder: (mailbox: line 1–320) {name: string}
getFolder: (mailbox: line 1–320)
deleteFolder: (mailbox: line 1–320, move_to?: string)
listMessages: (mailbox?: line 1–320, folder?: string, pages of 100 by number, unread?: boolean, label?: line 1–, uids?: ^[1-9][0-9]{0,9}(,[1-9][0-9]{0,9}){0,99}$, ids?: ^[a-z0-9]{1,12}(,[a-z0-9]{1,12}){0,99}$, after_uid?: integer 0–4294967295)
updateManyMessages: ${besideUids} {${many}, unread?: boolean, starred?: boolean, add_labels?: [line 1–64] –100, remove_labels?: [line 1–64] –100, folder?: string}
deleteMessages: ${besideUids} {${many}}
getThread: ${folder}
getMessage getMessageHeaders downloadMessage downloadMessageAttachment: ${besideUids}
updateMessage: ${besideUids} {unread?: boolean, starred?: boolean, add_labels?: [line 1–64] –100, remove_labels?: [line 1–64] –100, folder?: string} 1–
emptyFolder: (mailbox: line 1–320, up_to_uid?: integer 0–4294967295)
fetchMessagePicture: (mailbox?: line 1–320, folder?: string, url: line 1–8192)
searchMessages: (q: line 1–1000, mailbox?: line 1–320 or [line 1–320] 1–50, pages of 100)
listThreads: (mailbox: line 1–320, folder?: string, pages of 100 by number)
listConversations: (mailbox: line 1–320, pages of 100 by number, folder?: string, unread?: boolean, starred?: boolean, label?: line 1–, participant?: line 1–320, awaiting?: us|them|nobody)
getConversation: (mailbox: line 1–320, include?: bodies)
listEvents: (after?: line 1–100, types?: line 1–1000, mailbox?: line 1–320, cursor?: line –2000, limit?: integer 1–500, wait?: integer 0–50)
streamEvents: (after?: line 1–100, types?: line 1–1000, mailbox?: line 1–320)
reportPresence: {mailbox: line –320, conversation: ^[A-Za-z0-9_-]{16}$, doing: reading|writing|null}
setSignature: {text: text –4000, html?: text –20000 or null}
createWebhook: {url: line 1–2000, name?: line –200, types?: [line 1–100] 1–31 or null, mailbox?: line 1–320 or null}
updateWebhook: {url?: line 1–2000, name?: line –200, types?: [line 1–100] 1–31 or null, mailbox?: line 1–320 or null, paused?: boolean} 1–
listWebhookDeliveries: (state?: waiting|delivered|failed, pages of 100)
replayWebhook: {event?: line 1–100, after?: line 1–100, until?: line 1–100} 1–
enrolDomain: {domain: line 1–1000}
listMailboxes listMembers listApiKeys: (pages of 1000 by number)
createMailbox: {domain?: line, domain_id?: uuid, local_part: line, name?: line, kind?: smart|private, public_key?: text, password?: line}
giveMailboxAccess: {level: read|change|send}
addMember: {email: line 1–, name?: line, role?: owner|admin|member}
updateMember: {role: owner|admin|member}
signIn: {link?: line, email?: line, password?: line –1024, code?: line –64, passkey?: {id: ^[A-Za-z0-9_-]+$ –1364, response: {clientDataJSON: ^[A-Za-z0-9_-]+$ –10923, authenticatorData: ^[A-Za-z0-9_-]+$ –10923, signature: ^[A-Za-z0-9_-]+$ –10923, userHandle?: ^[A-Za-z0-9_-]+$ –86…}…}, organization?: line}
showSignInLink: {link: line}
setPassword: {password: line}
confirmSession: {password?: line –1024, code?: line –64, passkey?: {id: ^[A-Za-z0-9_-]+$ –1364, response: {clientDataJSON: ^[A-Za-z0-9_-]+$ –10923, authenticatorData: ^[A-Za-z0-9_-]+$ –10923, signature: ^[A-Za-z0-9_-]+$ –10923, userHandle?: ^[A-Za-z0-9_-]+$ –86…}…}}
confirmTotp: {code: line –64}
addPasskey: {name: line, credential: {id: ^[A-Za-z0-9_-]+$ –1364, response: {clientDataJSON: ^[A-Za-z0-9_-]+$ –10923, attestationObject: ^[A-Za-z0-9_-]+$ –87382, transports?: [line 1–32] –10…}…}}
renamePasskey: {name: line}
beginSignOn: {to?: line –2000, organization?: line}
createApiKey: {name?: line, scopes: [labels:read|labels:write|messages:read|messages:write|sending:write|sending:draft|sending:approve|scheduled:read|scheduled:write|filters:read|filters:write|forwarding:read|forwarding:write|domains:read|domains:write|mailboxes:read|mailboxes:write|usage:read|members:read|events:read|webhooks:read|webhooks:write] 1–100, expires_at?: line, mailboxes?: [line] 1–100, recipients?: [line] 1–100, networks?: [line] 1–100, requests_per_minute?: integer 1–599}
listAuditEntries: (action?: line, actor?: line, since?: line, pages of 1000)`

test('each operation takes the fields that clients know, of the types and within the limits that they know', async () => {
  const { paths, components } = await world.client.description()
  const resolved = (schema: Schema): Schema => {
    const { $ref } = schema as { readonly $ref?: string }
    return $ref === undefined ? schema : resolved(components.schemas[$ref.replace(/^.*\//, '')] ?? {})
  }
  const shown = new Map<string, string>()
  for (const { operationId, parameters = [], requestBody } of Object.values(paths).flatMap((all) =>
    Object.values(all),
  )) {
    const query = parameters
      .filter((one) => one.in === 'query')
      .map((one) => `${one.name}${one.required ? '' : '?'}: ${written(resolved(one.schema), resolved)}`)
    const body = requestBody && written(requestBody.content['application/json'].schema, resolved)
    const text = [...(query.length > 0 ? [`(${query.join(', ')})`] : []), ...(body ? [body] : [])].join(' ')
    if (text !== '')
      shown.set(
        operationId,
        text
          .replace(/limit\?: integer 1–(\d+), cursor\?: line –2000/g, 'pages of $1')
          .replace(', page?: integer 0–1000000000', ' by number'),
      )
  }
  const lines = taken
    .trim()
    .split('\n')
    .map((line) => /^([\w ]+): (.*)$/.exec(line) ?? [])
  const expected = new Map(lines.flatMap(([, ids = '', text]) => ids.split(' ').map((id) => [id, text] as const)))
  for (const [id, text] of shown) {
    const ofAll = id.replace('Own', '')
    assert.equal(text, expected.get(ofAll), id)
  }
  assert.deepEqual(
    [...expected.keys()].filter((id) => !shown.has(id)),
    [],
  )
})

function written(schema: Schema, resolved: (schema: Schema) => Schema): string {
  const { type, anyOf, items, properties = {}, required = [], ...one } = resolved(schema)
  if (anyOf) return anyOf.map((choice) => written(choice, resolved)).join(' or ')
  if (one.enum) return one.enum.map(String).join('|')
  const [kind, or] = [type].flat()
  const ends = [
    one.minimum ?? one.minLength ?? one.minItems ?? one.minProperties,
    one.maximum ?? one.maxLength ?? one.maxItems ?? one.maxProperties,
  ]
  const limits = ends.some((end) => end !== undefined) ? ` ${ends.map((end) => end ?? '').join('–')}` : ''
  const fields = Object.entries(properties).map(
    ([name, field]) => `${name}${required.includes(name) ? '' : '?'}: ${written(field, resolved)}`,
  )
  const what =
    kind === 'array'
      ? `[${written(items ?? {}, resolved)}]`
      : kind === 'object'
        ? `{${fields.join(', ')}${one.additionalProperties === false ? '' : '…'}}`
        : kind === 'string'
          ? lettersOf(one)
          : kind
  return what + limits + (or === 'null' ? ' or null' : '')
}

function lettersOf({ pattern, format }: Schema): string {
  if (pattern?.includes('u001f')) return 'line'
  return pattern?.includes('u0000') ? 'text' : (pattern ?? format ?? 'string')
}

// On one database: the document is made without a database.
