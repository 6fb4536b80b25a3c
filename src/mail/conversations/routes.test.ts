import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FiledMessage } from '#test/mail/threads/oracle.ts'
import { storeMessages } from '#test/mail/threads/store-messages.ts'
import { each } from '#test/world/each.ts'
import { operatorOn, printed } from '#test/world/operator.ts'
import { World } from '#test/world/world.ts'

const world = await World.ofFile()
const organization = await world.organization({ plan: 'business' })

let boxes = 0

/** A mailbox of its own for a test. */
class Box {
  readonly address: string
  readonly #mailbox: { organizationId: string; mailboxId: string }

  private constructor({ id, address }: { id: string; address: string }) {
    this.#mailbox = { organizationId: organization.id, mailboxId: id }
    this.address = address
  }

  static async new(): Promise<Box> {
    return new Box(await organization.mailbox(`box-${++boxes}`))
  }

  file(folder: string, ...messages: readonly Partial<FiledMessage>[]): Promise<void> {
    const filed = messages.map((one) => ({ seen: true, receivedAt: 0, sender: 'ann@x.test', headers: '', ...one }))
    return storeMessages(world, this.#mailbox, filed, folder)
  }

  async list(rest = '') {
    const { status, body } = await this.get('/v1/conversations', rest)
    assert.equal(status, 200, JSON.stringify(body))
    return body
  }

  /** The Message-IDs that name the conversations of a list. */
  async roots(rest = ''): Promise<string[]> {
    const { data, total } = await this.list(rest)
    assert.equal(total, data.length)
    return each(data, 'root_message_id')
  }

  get(path: string, rest = '') {
    return organization.request('GET', `${path}?mailbox=${this.address}${rest}`)
  }

  async change(folder: string, uids: readonly number[], change: object): Promise<void> {
    const path = `/v1/messages?mailbox=${this.address}&folder=${folder}`
    assert.equal((await organization.request('PATCH', path, { uids, ...change })).status, 200)
  }

  /** Answers the change's id. */
  async move(from: string, uids: readonly number[], folder: string): Promise<string> {
    const path = `/v1/messages?mailbox=${this.address}&folder=${from}`
    const { status, body } = await organization.request('PATCH', path, { uids, folder })
    assert.deepEqual([status, body.not_found], [200, []])
    return body.change_id
  }
}

interface ListedPlace {
  readonly folder: string
  readonly uids: readonly number[]
}

function minute(number: number): number {
  return Date.UTC(2026, 10, 21, 7, number, 33)
}

const question = { headers: 'Message-ID: <1@x>\r\n', receivedAt: minute(0), seen: false }
const answer = { headers: 'Message-ID: <2@x>\r\nIn-Reply-To: <1@x>\r\n', receivedAt: minute(2), sender: 'Ada@own.test' }
const thanks = { headers: 'Message-ID: <3@x>\r\nReferences: <1@x> <2@x>\r\n', receivedAt: minute(4) }
const other = { headers: 'Message-ID: <other@x>\r\n', receivedAt: minute(3), sender: 'cho@x.test' }

test('a conversation has the messages of all folders, own replies included, and says where they are', async () => {
  const box = await Box.new()
  await box.file('inbox', question, other)
  await box.file('sent', answer)
  await box.file('archive', thanks)
  const { data, ...page } = await box.list()
  assert.deepEqual(page, { total: 2, page: 0, has_more: false, next_cursor: null })
  const { status, body } = await box.get(`/v1/conversations/${data[0].id}`)
  assert.equal(status, 200)
  const { messages, ...shown } = body
  const ids = each(messages, 'id')
  const common = {
    ...{ id: data[0].id, subject: `ann@x.test at ${minute(0)}`, root_message_id: '<1@x>' },
    folders: ['inbox', 'sent', 'archive'],
    places: ['inbox', 'sent', 'archive'].map((folder, at) => ({ folder, uids: [1], ids: [ids[at]] })),
    ...{ message_count: 3, unread: true, awaiting: 'us', last_message_at: '2026-11-21T07:04:33.000Z' },
    participants: ['ann@x.test', 'ada@own.test'],
  }
  assert.deepEqual(data[0], { ...common, preview: `The text of ann@x.test at ${minute(4)}` })
  assert.partialDeepStrictEqual(data[1].places, [{ folder: 'inbox', uids: [2] }])
  assert.deepEqual(shown, common)
  assert.deepEqual(each(messages, 'folder', 'uid', 'unread', 'message_id', 'conversation_id'), [
    ['inbox', 1, true, '<1@x>', data[0].id],
    ['sent', 1, false, '<2@x>', data[0].id],
    ['archive', 1, false, '<3@x>', data[0].id],
  ])
})

test('what was sent as an alias is ours wherever it is, for as long as the mailbox has the alias', async () => {
  const box = await Box.new()
  const alias = `sales-${box.address}`
  const withAlias = (...argv: string[]) => printed(operatorOn(world), 'mailbox', 'alias', ...argv)
  await withAlias('add', box.address, alias)
  await box.file('inbox', question)
  await box.file('sent', { ...answer, sender: alias.replace('@', '+fair@') })
  await box.move('sent', [1], 'archive')
  const awaited = async () => {
    const [{ id, awaiting }] = (await box.list()).data
    assert.equal((await box.get(`/v1/conversations/${id}`)).body.awaiting, awaiting)
    assert.equal((await box.list(`&awaiting=${awaiting}`)).total, 1)
    assert.equal((await box.list(`&awaiting=${awaiting === 'us' ? 'them' : 'us'}`)).total, 0)
    return awaiting
  }
  assert.equal(await awaited(), 'them')
  await withAlias('remove', alias)
  assert.equal(await awaited(), 'us')
  await withAlias('add', box.address, alias)
  assert.equal(await awaited(), 'them')
})

test('each of its places is taken by one bulk change, however many messages a folder has, and that is undone', async () => {
  const box = await Box.new()
  const replies = Array.from({ length: 1_001 }, (_, number) => ({
    headers: `Message-ID: <reply-${number}@x>\r\nReferences: <1@x>\r\n`,
    receivedAt: minute(1) + number * 1_000,
  }))
  await box.file('inbox', question, ...replies)
  await box.file('sent', { ...answer, receivedAt: minute(30) })
  const [{ id, folders, places }] = (await box.list()).data
  assert.deepEqual(folders, ['inbox', 'sent'])
  const sizes = places.map(({ folder, uids }: ListedPlace) => `${folder} ${uids.length}`)
  assert.deepEqual(sizes, ['inbox 500', 'inbox 500', 'inbox 2', 'sent 1'])
  const changes: string[] = []
  for (const { folder, uids } of places as ListedPlace[]) changes.push(await box.move(folder, uids, 'archive'))
  const [archived] = (await box.list()).data
  assert.deepEqual([archived.id, archived.folders, archived.message_count], [id, ['archive'], 1_003])
  for (const change of changes)
    assert.equal((await organization.request('POST', `/v1/changes/${change}/undo`)).status, 201)
  await world.runningChanges.processAll()
  const [back] = (await box.list()).data
  assert.deepEqual([back.id, back.folders], [id, ['inbox', 'sent']])
})

test('drafts, junk and trash are none of it, and joining through them ends', async () => {
  const box = await Box.new()
  await box.file('inbox', question, { ...other, headers: 'Message-ID: <4@x>\r\n' })
  const bridge = { headers: 'Message-ID: <5@x>\r\nReferences: <1@x> <4@x>\r\n', receivedAt: minute(5) }
  for (const folder of ['drafts', 'junk', 'trash']) await box.file(folder, bridge)
  assert.equal((await box.list()).total, 2)
  await box.move('junk', [1], 'inbox')
  const joined = await box.list()
  assert.deepEqual([joined.total, joined.data[0].message_count], [1, 3])
  await box.move('inbox', [3], 'trash')
  assert.equal((await box.list()).total, 2)
  const { status, body } = await box.get('/v1/conversations', '&folder=spam')
  assert.deepEqual([status, body.error.code, body.error.field], [400, 'invalid_request', 'folder'])
})

test('its id stays when it is archived, moved to a new folder, and when that is renamed', async () => {
  const box = await Box.new()
  await box.file('inbox', question, { receivedAt: minute(1), sender: 'robot@x.test' })
  await box.file('sent', answer)
  const idsOf = async () => each((await box.list()).data, 'id')
  const before = await idsOf()
  assert.equal(before.length, 2)
  await box.move('inbox', [1, 2], 'archive')
  assert.deepEqual(await idsOf(), before)
  await box.move('archive', [1, 2], 'Projects/Apollo')
  assert.deepEqual(await idsOf(), before)
  const path = `/v1/folders/${encodeURIComponent('Projects/Apollo')}?mailbox=${box.address}`
  assert.equal((await organization.request('PATCH', path, { name: 'Apollo' })).status, 200)
  assert.deepEqual(await idsOf(), before)
  for (const id of before) assert.equal((await box.get(`/v1/conversations/${id}`)).body.id, id)
  assert.deepEqual((await box.list()).data[1].folders, ['Apollo'])
})

test('what is asked of one folder is in the order of its newest message there', async () => {
  const box = await Box.new()
  await box.file('inbox', question, other)
  await box.file('sent', { ...answer, receivedAt: minute(9) })
  assert.deepEqual(await box.roots(), ['<1@x>', '<other@x>'])
  assert.deepEqual(await box.roots('&folder=INBOX'), ['<other@x>', '<1@x>'])
  assert.deepEqual(await box.roots('&folder=sent'), ['<1@x>'])
  assert.deepEqual(await box.roots('&folder=sent&unread=true'), ['<1@x>'])
  assert.deepEqual(await box.roots('&unread=false'), ['<other@x>'])
  assert.deepEqual(await box.roots('&folder=archive'), [])
})

test('a list has the conversations that have a star, a label, a participant or wait for somebody', async () => {
  const box = await Box.new()
  const { body: label } = await organization.request('POST', '/v1/labels', { name: 'Bills' })
  await box.file('inbox', question, other)
  await box.file('sent', { ...answer, sender: box.address })
  await box.file('archive', { ...thanks, headers: 'Message-ID: <news@x>\r\nPrecedence: bulk\r\n' })
  await box.change('inbox', [1], { add_labels: [label.keyword] })
  await box.change('sent', [1], { starred: true })
  const roots = (rest: string) => box.roots(rest)
  const [both, answered] = [`&label=${label.keyword}`, '&starred=true']
  for (const rest of [both, answered, `${both}${answered}`, `${both}${answered}&folder=inbox&unread=true`])
    assert.deepEqual(await roots(rest), ['<1@x>'], rest)
  assert.deepEqual(await roots('&starred=false'), ['<news@x>', '<other@x>'])
  assert.deepEqual(await roots(`${both}&starred=false`), [])
  assert.deepEqual(await roots('&participant=ANN@x.test'), ['<news@x>', '<1@x>'])
  assert.deepEqual(await roots('&participant=ann@x.test&folder=inbox'), ['<1@x>'])
  assert.deepEqual(await roots('&participant=nn@x.test'), [])
  assert.deepEqual(await roots('&awaiting=us'), ['<other@x>'])
  assert.deepEqual(await roots('&awaiting=them'), ['<1@x>'])
  assert.deepEqual(await roots('&awaiting=nobody'), ['<news@x>'])
  await box.change('sent', [1], { starred: false })
  await box.move('inbox', [1, 2], 'archive')
  assert.deepEqual(await roots(answered), [])
  assert.deepEqual(await roots(`${both}&folder=archive`), ['<1@x>'])
  assert.deepEqual(await roots('&awaiting=us&folder=archive'), ['<other@x>'])
  await box.file('inbox', { ...thanks, receivedAt: minute(8) })
  assert.deepEqual(await roots('&awaiting=us'), ['<1@x>', '<other@x>'])
  const refused = await box.get('/v1/conversations', '&label=nobodys')
  assert.deepEqual([refused.status, refused.body.error.field], [400, 'label'])
  const { next_cursor } = await box.list('&limit=1&awaiting=us&cursor=')
  assert.deepEqual((await box.list(`&awaiting=us&cursor=${next_cursor}`)).data.length, 1)
  assert.equal((await box.get('/v1/conversations', `&awaiting=them&cursor=${next_cursor}`)).status, 400)
})

test('another mailbox’s id, one of a thread and any text are not_found', async () => {
  const box = await Box.new()
  await box.file('inbox', question)
  const elsewhere = await Box.new()
  await elsewhere.file('inbox', question)
  const [{ id }] = (await elsewhere.list()).data
  const [{ id: thread }] = (await box.get('/v1/threads')).body.data
  for (const wrong of [id, thread, 'x', 'AAAAAAAAAAAAAAAA'])
    assert.equal((await box.get(`/v1/conversations/${wrong}`)).status, 404, wrong)
  assert.equal((await organization.request('GET', '/v1/conversations?mailbox=nobody@x.test')).status, 404)
})
