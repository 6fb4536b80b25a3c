import assert from 'node:assert/strict'
import { test } from 'node:test'
import { byOperator } from '#/base/audit/actor.ts'
import type { Level } from '#/http/access/caller.ts'
import { giveAccess } from '#/mail/mailboxes/access/access.ts'
import { logged } from '#test/events/logged.ts'
import { HeardSession, partsOn } from '#test/world/imap/heard-session.ts'
import { ofFile } from '#test/world/of-file.ts'
import { World } from '#test/world/world.ts'
import { selectedCommands } from '../selected/commands.ts'
import { changingCommands } from './commands.ts'

const world = await World.ofFile()
const parts = ofFile(partsOn(world.database, world))
let count = 0
const fromInbox = { folder: 'inbox', uid: 1 }

/** A mailbox with a message, and a program that has selected its inbox; another one that is shared with the program's user. */
async function opened(level?: Level) {
  const organization = await world.organization()
  const name = `user${++count}`
  const { id: memberId } = await organization.member(`${name}@${organization.domain}`)
  const [own, team] = [await organization.mailbox(name), await organization.mailbox('team')]
  const refOf = ({ id }: { id: string }) => ({ organizationId: organization.id, mailboxId: id })
  const sharing = { mailbox: refOf(team), memberId, shares: 'all', by: byOperator } as const
  if (level) await world.db.transaction().execute((tx) => giveAccess(tx, sharing, level))
  await world.send({ from: 'ann@far.example', to: own.address, subject: 'News', text: 'Hello' })
  const session = new HeardSession(parts, refOf(own), { ...selectedCommands, ...changingCommands })
  await session.run('SELECT INBOX')
  const list = async (address: string, folder: string) =>
    (await organization.request('GET', `/v1/messages?mailbox=${address}&folder=${folder}`)).body.data
  return { organization, own, team, session, list }
}

for (const [command, folder, shown, event] of [
  ['STORE 1 +FLAGS (\\Seen)', 'inbox', { unread: false }, { type: 'message.changed', unread: false }],
  ['STORE 1 +FLAGS (\\Flagged)', 'inbox', { starred: true }, { type: 'message.changed', starred: true }],
  ['STORE 1 +FLAGS (\\Answered)', 'inbox', { answered: true }, { type: 'message.changed', answered: true }],
  ['STORE 1 +FLAGS ($Forwarded)', 'inbox', { forwarded: true }, { type: 'message.changed', forwarded: true }],
  ['STORE 1 +FLAGS (Bills)', 'inbox', { labels: ['bills'] }, { type: 'message.changed', added_labels: ['bills'] }],
  ['STORE 1 +FLAGS (\\Deleted)', 'inbox', { unread: true }, { type: 'message.changed' }],
  ['MOVE 1 Archive', 'archive', { subject: 'News' }, { type: 'message.changed', moved_from: fromInbox }],
  ['COPY 1 Archive', 'archive', { subject: 'News' }, { type: 'message.received' }],
  ['COPY 1 Sent', 'sent', { subject: 'News' }, { type: 'message.changed' }],
  ['APPEND Archive {Subject: Own}', 'archive', { subject: 'Own', unread: true }, { type: 'message.received' }],
  ['APPEND Drafts (\\Draft) {Subject: Own}', 'drafts', { subject: 'Own' }, { type: 'message.changed' }],
] as const)
  test(`"${command}" of a mail program is seen over HTTP, and in the event log as its doing`, async () => {
    const { organization, own, session, list } = await opened()
    await organization.request('POST', '/v1/labels', { name: 'Bills' })
    assert.match((await session.run(command)).at(-1) ?? '', /^OK/)
    const [message] = await list(own.address, folder)
    assert.deepEqual(Object.fromEntries(Object.keys(shown).map((field) => [field, message[field]])), shown)
    const { type, ...data } = event
    const { by, message: about } = (await logged(organization, type)).at(-1)
    assert.deepEqual(by, { kind: 'mail_program', id: null, name: '' })
    const { id, folder: where, uid, subject: _subject, from: _from, conversation_id: _conversation, ...said } = about
    // A message keeps its id as it moves.
    const told = 'moved_from' in data ? { moved_from: { id: message.id, ...data.moved_from } } : data
    assert.deepEqual([id, where, uid, said], [message.id, folder, message.uid, told])
  })

test('what a mail program expunges is gone over HTTP, and in the event log as its doing', async () => {
  const { organization, own, session, list } = await opened()
  await session.run('STORE 1 +FLAGS.SILENT (\\Deleted)')
  await session.run('EXPUNGE')
  assert.deepEqual(await list(own.address, 'inbox'), [])
  const [{ by, message }] = await logged(organization, 'message.deleted')
  assert.deepEqual([by.kind, message.folder, message.uid], ['mail_program', 'inbox', 1])
})

for (const [command, level, answer] of [
  ['COPY 1 NAME', 'read', /^NO \[NOPERM\]/],
  ['APPEND NAME {a: b}', 'read', /^NO \[NOPERM\]/],
  ['MOVE 1 NAME', undefined, /^NO \[NONEXISTENT\]/],
  ['COPY 1 NAME', 'change', /^OK \[COPYUID \d+ 1 1\]/],
  ['MOVE 1 NAME', 'change', /^OK/],
  ['APPEND NAME {Subject: News}', 'send', /^OK \[APPENDUID \d+ 1\]/],
] as const)
  test(`"${command}" to a mailbox of others is answered ${answer} at the level ${level}`, async () => {
    const { team, session, list } = await opened(level)
    const last = (await session.run(command.replace('NAME', `Shared/${team.address}/INBOX`))).at(-1) ?? ''
    assert.match(last, answer)
    const subjects = (await list(team.address, 'inbox')).map(({ subject }: { subject: string }) => subject)
    assert.deepEqual(subjects, last.startsWith('OK') ? ['News'] : [])
  })
