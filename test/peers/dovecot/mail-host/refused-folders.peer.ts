import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { runCommand } from '#/cli/run.ts'
import { invalidateRules } from '#/organizations/rule-cache.ts'
import { hand as handTo, letter, messagesIn, subjectsIn } from '#test/mail/letter.ts'
import { DovecotServer } from '#test/peers/dovecot/imap-server.ts'
import { delivered } from '#test/world/mail/delivered.ts'
import { operatorOn, printed } from '#test/world/operator.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'

/** Names that no server with folders in a file system accepts. */
const everywhere = ['.', '..', 'a/../b', 'a/./b', '~x', '~', 'dbox-Mails', 'a/dbox-Mails/b', 'ж'.repeat(95)]

for (const [format, settings, own] of [
  ['mdbox', '', []],
  ['maildir', '', ['a.b', '.a']],
  ['mdbox', 'namespace inbox {\n separator = .\n}\n', ['a.b', 'a..b']],
  [
    'mdbox',
    'namespace all {\n type = public\n prefix = All/\n location = mdbox:/tmp/nobody-has-it\n}\n',
    ['All/x', 'All'],
  ],
] as const) {
  describe(`folders that a server with ${format} ${settings.match(/separator = \.|public/)?.[0] ?? ''} refuses`, () => {
    let dovecot: DovecotServer
    let world: World
    let organization: TestOrganization
    before(async () => {
      dovecot = await DovecotServer.start(settings, format)
      world = await World.start({ env: { MAILROOM_IMAP_URL: dovecot.url } })
      organization = await world.organization()
    })
    after(async () => {
      await world[Symbol.asyncDispose]()
      await dovecot[Symbol.asyncDispose]()
    })

    const hand = (to: string, message?: string) => handTo(world, 'ann@peer.example', to, message)
    const all = { name: 'All', field: 'from', op: 'contains', value: 'ann@' } as const
    const post = (argument: string) =>
      organization.request('POST', '/v1/filters', { ...all, action: 'move', argument, enabled: false })
    const mailbox = async () => (await organization.mailbox(`box${++boxes}`)).address
    let boxes = 0

    test('are refused at the door: for a filter, new or changed or tried, and for moving a message', async () => {
      const address = await mailbox()
      assert.equal(await hand(address), '250 2.6.0')
      const { id } = (await post('Later')).body
      for (const folder of [...everywhere, ...own]) {
        const draft = { ...all, action: 'move', argument: folder }
        const path = `/v1/messages/1?mailbox=${address}`
        for (const [field, answer] of [
          ['argument', await post(folder)],
          ['argument', await organization.request('PATCH', `/v1/filters/${id}`, { argument: folder })],
          [
            'filter.argument',
            await organization.request('POST', '/v1/filters/test', { message: 'From: a@b.c\r\n\r\n', filter: draft }),
          ],
          ['folder', await organization.request('PATCH', path, { folder })],
          ['folder', await organization.request('PATCH', path.replace('/1', ''), { uids: [1], folder })],
        ] as const) {
          const { status, body } = answer
          assert.deepEqual([status, body.error?.code, body.error?.field], [400, 'invalid_request', field], folder)
        }
        const list = `/v1/messages?mailbox=${address}&folder=${encodeURIComponent(folder)}`
        assert.equal((await organization.request('GET', list)).status, 400, folder)
      }
      assert.equal((await subjectsIn(organization, address)).length, 1)
    })

    test('are refused for a member’s own filter', async () => {
      const member = `m@${organization.domain}`
      await organization.member(member)
      const { database, mailHost } = world
      for (const folder of ['..', ...own]) {
        const given = ['member', 'filter', 'add', 'All', '--org', organization.name, '--member', member]
        const rule = [
          '--field',
          'from',
          '--op',
          'contains',
          '--value',
          'ann@',
          '--action',
          'move',
          '--argument',
          folder,
        ]
        const { exitCode, stderr } = await runCommand([...given, ...rule], operatorOn({ database, mailHost }))
        assert.equal(exitCode, 1, folder)
        assert.match(stderr, /folder|mail server/i)
      }
    })

    test('of filters that were made before leave mail in the inbox, with the reason, and delay nobody', async () => {
      const [address, other] = [await mailbox(), await mailbox()]
      // A maildir has no such folder of its own.
      const reserved = format === 'mdbox' ? ['dbox-Mails', 'a/dbox-Mails'] : []
      const folders = ['..', '~x', ...reserved, 'ж'.repeat(95), ...own]
      for (const [position, folder] of folders.entries()) {
        await sql`
          insert into filters (organization_id, name, field, op, value, action, argument, position)
          values (${organization.id}, ${`Filter ${position}`}, 'subject', 'is', ${`For ${position}`}, 'move', ${folder},
            ${position})`.execute(world.db)
      }
      invalidateRules(world.db, organization.id)
      for (const [position] of folders.entries()) {
        assert.equal(await hand(address, letter({ Subject: `For ${position}` })), '250 2.6.0')
      }
      assert.equal(await hand(other, letter({ Subject: 'Other' })), '250 2.6.0')
      assert.deepEqual(await subjectsIn(organization, other), ['Other'])
      for (const { id } of await world.db.selectFrom('mailboxes').select('id').execute()) {
        await delivered(world.db, { organizationId: organization.id, mailboxId: id })
      }
      const found = await messagesIn(organization, address)
      assert.deepEqual(
        found.map(({ subject }) => subject).sort(),
        folders.map((_, position) => `For ${position}`),
      )
      for (const [position, folder] of folders.entries()) {
        const uid = found.find(({ subject }) => subject === `For ${position}`)?.uid
        const { body } = await organization.request('GET', `/v1/messages/${uid}?mailbox=${address}`)
        const [applied] = body.filtered_by
        assert.deepEqual([applied.name, applied.action, applied.argument], [`Filter ${position}`, 'move', folder])
        assert.match(applied.error, /mail server/)
      }
      assert.deepEqual((await printed(operatorOn(world), 'queue')).spool, { data: [], total: 0 })
    })
  })
}
