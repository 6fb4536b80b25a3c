// On both databases: a draft is read while it is edited.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { World } from '#test/world/world.ts'

const world = await World.ofFile()
const { organization, address: ada } = await world.mailbox('ada')

const by = (key: string, method: string, path: string, body?: object) =>
  organization.request(method, path, body, { key })

async function newDraft(): Promise<string> {
  const body = await organization.bodyOf(201, 'POST', '/v1/drafts', { mailbox: ada, text: 'Hello' })
  return body.id
}

for (const [what, attached, times] of [
  ['a draft', 0, 20],
  ['a large draft', 1_500_000, 5],
] as const)
  test(`${what} that is being edited is there for whoever reads it or asks for its approval`, async () => {
    const [editor, reader] = [await organization.newKey('sending:draft'), await organization.newKey('sending:draft')]
    const id = await newDraft()
    if (attached > 0) {
      const file = { filename: 'a.bin', content: Buffer.alloc(attached).toString('base64') }
      assert.equal((await by(editor, 'POST', `/v1/drafts/${id}/attachments`, file)).status, 201)
    }
    let edited = 0
    const edits = async () => {
      for (; edited < times; edited++) {
        const { status, body } = await by(editor, 'PATCH', `/v1/drafts/${id}`, { text: `${edited}` })
        assert.equal(status, 200, JSON.stringify(body))
      }
    }
    const looks = async (method: string, path: string, expected: number, given?: object) => {
      while (edited < times) {
        const { status, body } = await by(reader, method, `/v1/drafts/${id}${path}`, given)
        assert.equal(status, expected, JSON.stringify(body))
      }
    }
    await Promise.all([edits(), looks('POST', '/approval', 201, {}), looks('GET', '', 200)])
  })

test('a draft that is being edited is there for whoever deletes it', async () => {
  for (let turn = 0; turn < 10; turn++) {
    const id = await newDraft()
    const edit = organization.request('PATCH', `/v1/drafts/${id}`, { text: 'Edited' })
    const deleted = await organization.request('DELETE', `/v1/drafts/${id}`)
    assert.equal(deleted.status, 200, JSON.stringify(deleted.body))
    assert.ok([200, 404].includes((await edit).status))
    assert.equal((await organization.request('GET', `/v1/drafts/${id}`)).status, 404)
  }
})
