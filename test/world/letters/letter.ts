import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { StoredOrganization } from '#test/world/organization/stored-organization.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { HttpClient } from '#test/world/sockets/http-client.ts'
import { SmtpClient } from '#test/world/sockets/smtp-client.ts'

/** A message as another mail server sends it. Fields are given as they stand in the header; undefined leaves one out. */
export function letter(fields: Record<string, string | undefined> = {}, body = 'Hello'): string {
  const usual = { From: 'Ann <ann@peer.example>', Subject: 'Hello', 'Message-ID': `<${randomUUID()}@peer.example>` }
  const lines = Object.entries({ ...usual, ...fields }).map(([name, value]) =>
    value === undefined ? '' : `${name}: ${value}\r\n`,
  )
  return `${lines.join('')}\r\n${body}`
}

/** Hands a message over on a connection of its own. Answers the last reply's codes, as in `250 2.6.0`. */
export async function hand(
  world: { readonly smtp: { readonly port: number } },
  from: string,
  to: string | readonly string[],
  message = letter(),
) {
  await using client = await SmtpClient.greeted(world.smtp.port)
  return (await client.send(from, to, message)).codes
}

/** What a folder holds, newest first. */
export async function messagesIn(organization: TestOrganization, mailbox: string, folder = 'inbox') {
  const query = new URLSearchParams({ mailbox, folder, limit: '100' })
  const body = await organization.bodyOf(200, 'GET', `/v1/messages?${query}`)
  return body.data as {
    id: string
    uid: number
    subject: string
    unread: boolean
    starred: boolean
    labels: string[]
  }[]
}

export async function subjectsIn(organization: TestOrganization, mailbox: string, folder = 'inbox'): Promise<string[]> {
  return (await messagesIn(organization, mailbox, folder)).map(({ subject }) => subject)
}

/** The subjects in the inbox of an organization's first mailbox, newest first, at a service in a process of its own. */
export async function subjectsAt(service: { readonly http: string }, organization: StoredOrganization) {
  const path = `/v1/messages?mailbox=${organization.addresses[0]}&limit=100`
  const { status, body } = await new HttpClient(service.http).request('GET', path, { key: organization.key })
  assert.equal(status, 200)
  return body.data.map(({ subject }: { subject: string }) => subject)
}

/** The bytes of the newest message in a folder. */
export async function newestIn(organization: TestOrganization, mailbox: string, folder = 'inbox'): Promise<string> {
  const [newest] = await messagesIn(organization, mailbox, folder)
  const query = new URLSearchParams({ mailbox, folder })
  const { status, bytes } = await organization.request('GET', `/v1/messages/${newest?.uid}/raw?${query}`)
  assert.equal(status, 200)
  return bytes.toString('latin1')
}
