import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pieceBytes } from '#/base/event-loop/pieces.ts'
import { readMessage } from '#/formats/mime/read-message.ts'
import { each } from '#test/world/each.ts'
import { World } from '#test/world/world.ts'

const world = await World.ofFile()
const organization = await world.organization({ plan: 'business' })

/** The one conversation of a mailbox that has these messages, a minute apart; each is the rest of its header, and its body. */
async function conversationOf(name: string, messages: readonly string[]) {
  const { id: mailboxId, address } = await organization.mailbox(name)
  const mailbox = { organizationId: organization.id, mailboxId }
  const copies = messages.map((rest, minute) => {
    const raw = Buffer.from(`Message-ID: <${minute}@x>\r\nReferences: <0@x>\r\nFrom: Ann <ann@x.test>\r\n${rest}`)
    const receivedAt = new Date(Date.UTC(2026, 10, 21, 7, minute))
    const marks = { seen: false, flagged: false, keywords: [], filteredBy: [] }
    return { mailbox, folder: 'inbox', message: readMessage(raw), receivedAt, ...marks }
  })
  await world.store(copies)
  const { data } = (await organization.request('GET', `/v1/conversations?mailbox=${address}`)).body
  return `/v1/conversations/${data[0].id}?mailbox=${address}`
}

async function bodies(path: string) {
  const body = await organization.bodyOf(200, 'GET', `${path}&include=bodies`)
  return each(body.messages, 'body')
}

const html = 'Content-Type: text/html\r\n\r\n'

test('each message has its text, what is new of it, and its attachments', async () => {
  const path = await conversationOf('ada', [
    'Subject: The engine\r\n\r\nIs it oiled?\r\n-- \r\nAnn',
    '\r\nIt is.\r\n\r\nOn Saturday, Ann wrote:\r\n> Is it oiled?\r\n',
    `${html}<p>Good.</p><blockquote type="cite">It is.</blockquote>`,
    'Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nThe plan.\r\n--b\r\nContent-Type: application/pdf\r\n' +
      'Content-Disposition: attachment; filename=plan.pdf\r\n\r\nabc\r\n--b--',
  ])
  const none = { html: null, new_html: null, attachments: [] }
  const plan = {
    ...{ id: '2', filename: 'plan.pdf', content_type: 'application/pdf', size_bytes: 3, inline: false },
    content_id: null,
  }
  assert.deepEqual(await bodies(path), [
    { ...none, text: 'Is it oiled?\n-- \nAnn', new_text: 'Is it oiled?' },
    { ...none, text: 'It is.\n\nOn Saturday, Ann wrote:\n> Is it oiled?\n', new_text: 'It is.' },
    {
      ...{ text: 'Good.\n\n> It is.', new_text: 'Good.', attachments: [] },
      html: '<p>Good.</p><blockquote type="cite">It is.</blockquote>',
      new_html: '<p>Good.</p>',
    },
    { ...none, text: 'The plan.', new_text: 'The plan.', attachments: [plan] },
  ])
})

test('what is new of a message whose text is empty is that of its HTML', async () => {
  const parts = ['text/plain\r\n\r\n ', 'text/html\r\n\r\n<p>Good.</p><blockquote type="cite">It is.</blockquote>']
  const both = parts.map((part) => `--b\r\nContent-Type: ${part}\r\n`).join('')
  const path = await conversationOf('fay', [`Content-Type: multipart/alternative; boundary=b\r\n\r\n${both}--b--`])
  const [{ text, new_text, new_html }] = await bodies(path)
  assert.deepEqual([text, new_text, new_html.trim()], ['Good.\n\n> It is.', 'Good.', '<p>Good.</p>'])
})

test('a message that is deleted while it is read has no body', async () => {
  const path = await conversationOf('eve', [`\r\nHello${'.'.repeat(pieceBytes)}`, '\r\nYes'])
  await world.db.deleteFrom('mail_pieces').execute()
  const [gone, there] = await bodies(path)
  assert.deepEqual([gone, there.text], [null, 'Yes'])
})

test('without include there are none, and nothing else can be included', async () => {
  const path = await conversationOf('bob', ['\r\nHello'])
  const { body } = await organization.request('GET', path)
  assert.ok(!('body' in body.messages[0]))
  const refused = await organization.request('GET', `${path}&include=headers`)
  assert.deepEqual([refused.status, refused.body.error.field], [400, 'include'])
})

test('a text that is very long is left to the message, and large attachments are not', async () => {
  const line = `${'word '.repeat(14)}\r\n`
  const attachment = `--b\r\nContent-Disposition: attachment; filename=a.txt\r\n\r\n${line.repeat(20_000)}`
  const path = await conversationOf('cho', [
    `\r\n${line.repeat(10_000)}`,
    `Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nSee there.\r\n${attachment}--b--`,
    '\r\nHello',
  ])
  const [long, attached, short] = await bodies(path)
  assert.equal(long, null)
  assert.deepEqual([attached.text, attached.new_text, attached.attachments.length], ['See there.', 'See there.', 1])
  assert.equal(short.text, 'Hello')
})

test('of a long conversation the newest hundred have a body', async () => {
  const texts = Array.from({ length: 103 }, (_, number) => `Text ${number}`)
  const path = await conversationOf(
    'dot',
    texts.map((text) => `\r\n${text}`),
  )
  const found = await bodies(path)
  assert.deepEqual(found.slice(0, 3), [null, null, null])
  assert.deepEqual(each(found.slice(3), 'text'), texts.slice(3))
})
