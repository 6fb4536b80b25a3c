import assert from 'node:assert/strict'
import { messagesIn } from '#test/mail/letter.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { Mutt, type Reader } from './mutt.ts'

/** In a mailbox that holds One, Two, Three and Four, unread: the API marks them and sends Five, mutt sees that, changes all
 *  it can, and the API sees it. */
export async function usedByMutt(
  { organization, address }: { readonly organization: TestOrganization; readonly address: string },
  reader: Reader,
): Promise<void> {
  const ask = async (method: string, path: string, body: object) => {
    const answer = await organization.request(method, path, body)
    assert.ok(answer.status < 300, JSON.stringify(answer.body))
  }
  await ask('POST', '/v1/labels', { name: 'Work' })
  await ask('PATCH', `/v1/messages?mailbox=${address}`, { uids: [1, 4], add_labels: ['work'] })
  await ask('PATCH', `/v1/messages/1?mailbox=${address}`, { starred: true })
  await ask('PATCH', `/v1/messages/2?mailbox=${address}`, { unread: false })
  await ask('POST', '/v1/send', { from: address, to: 'bob@there.example', subject: 'Five', text: 'Dear Bob' })

  await using mutt = await Mutt.of(reader)
  const only = (subject: string) => `<limit>~s ${subject}<enter>`
  await mutt.press(
    `<tag-pattern>~A<enter><tag-prefix>${mutt.copy}<untag-pattern>~A<enter>`,
    `${only('One')}<display-message><exit><clear-flag>!`,
    `${only('Two')}<set-flag>!`,
    `${only('Three')}<delete-message>`,
    `${only('Four')}<save-message>=Archive<enter>`,
    `<limit>~A<enter><sync-mailbox><change-folder>=Sent<enter>${mutt.copy}<quit>`,
  )
  const seen = await mutt.seen()
  assert.deepEqual(
    [...seen].map(([subject, { read, flagged }]) => [subject, read, flagged]),
    [
      ['One', false, true],
      ['Two', true, false],
      ['Three', false, false],
      ['Four', false, false],
      ['Five', true, false],
    ],
  )
  assert.match(seen.get('Five')?.text ?? '', /^To: bob@there\.example\n[\s\S]*\n\nDear Bob\n/m)
  const shown = async (folder: string) =>
    (await messagesIn(organization, address, folder)).map(({ subject, unread, starred, labels }) => [
      ...[subject, unread, starred, labels],
    ])
  // mutt cannot give a message a keyword, and leaves those that it bears.
  assert.deepEqual(await shown('inbox'), [
    ['Two', false, true, []],
    ['One', false, false, ['work']],
  ])
  assert.deepEqual(await shown('archive'), [['Four', true, false, ['work']]])
}
