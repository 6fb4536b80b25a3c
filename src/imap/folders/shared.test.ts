import assert from 'node:assert/strict'
import { test } from 'node:test'
import { byOperator } from '#/base/audit/actor.ts'
import type { Level } from '#/http/access/caller.ts'
import { endAccess, giveAccess } from '#/mail/mailboxes/access/access.ts'
import { changePassword, suspendMailbox } from '#/mail/mailboxes/change.ts'
import { removeMailbox } from '#/mail/mailboxes/remove.ts'
import { makeFolder } from '#/mail/store/make-folder.ts'
import type { ImapClient } from '#test/world/imap/client.ts'
import { type ReadingMailbox, readingMailbox, Serving } from '#test/world/imap/serving.ts'
import { hand, letter } from '#test/world/letters/letter.ts'
import { commands } from '../commands.ts'

const serving = await Serving.ofFile()
const { world, organization } = serving
const { db } = world
let count = 0

/** A member's mailbox, and another one that is shared with the member at this level, or not at all. */
async function pair(level?: Level) {
  const name = `user${++count}`
  const { id: memberId } = await organization.member(`${name}@${organization.domain}`)
  const own = await readingMailbox(organization, name)
  const team = await readingMailbox(organization, `team${count}`)
  const sharing = { mailbox: team, memberId, shares: 'all', by: byOperator } as const
  if (level) await db.transaction().execute((tx) => giveAccess(tx, sharing, level))
  return { own, team, sharing, memberId }
}

/** The answers to commands, in which addresses are told apart by no one. */
async function answersOf(client: ImapClient, commands: readonly string[]): Promise<string[]> {
  const answers: string[] = []
  for (const command of commands) {
    const { status, text, untagged } = await client.run(command)
    answers.push([...untagged, `${status} ${text}`].join('\n'))
  }
  return answers
}

for (const [level, rights, made] of [
  ['read', 'lr', /^NO \[NOPERM\]/],
  ['change', 'lrswikxtecd', /^OK/],
  ['send', 'lrswipkxtecd', /^OK/],
] as const)
  test(`a mailbox that is shared at the level ${level} is listed, with the rights of that`, async () => {
    const { own, team } = await pair(level)
    await makeFolder(db, team, 'Plans')
    await using client = await serving.signedIn(own)
    const root = `Shared/${team.address}`
    const { untagged } = await client.run('LIST "" Shared/*')
    assert.deepEqual(
      untagged.map((line) => line.replace(/^LIST \(.*?\) "\/" /, '')),
      [root, ...['Archive', 'Drafts', 'INBOX', 'Junk', 'Plans', 'Sent', 'Trash'].map((name) => `${root}/${name}`)],
    )
    assert.match(untagged.find((line) => line.endsWith('Trash')) ?? '', /\\Trash/)
    // Programs that look for a use may take the first.
    const { untagged: uses } = await client.run('LIST (SPECIAL-USE) "" *')
    assert.equal(
      uses.findIndex((line) => line.includes('Shared')),
      5,
    )
    const [mine, status] = await answersOf(client, [`MYRIGHTS ${root}/Plans`, `STATUS ${root}/INBOX (MESSAGES)`])
    assert.equal(mine?.split('\n')[0], `MYRIGHTS ${root}/Plans ${rights}`)
    assert.equal(status?.split('\n')[0], `STATUS ${root}/INBOX (MESSAGES 0)`)
    const [created] = await answersOf(client, [`CREATE ${root}/More`])
    assert.match(created ?? '', made)
  })

test('who unsubscribes from a shared folder does so alone', async () => {
  const { own, team } = await pair('change')
  await using client = await serving.signedIn(own)
  await using theirs = await serving.signedIn(team)
  const inbox = `Shared/${team.address}/INBOX`
  await client.run(`UNSUBSCRIBE ${inbox}`)
  assert.deepEqual((await client.run(`LSUB "" ${inbox}`)).untagged, [])
  assert.deepEqual((await theirs.run('LSUB "" INBOX')).untagged, ['LSUB () "/" INBOX'])
})

/** Every command that names a mailbox, with a place for the name. The own inbox is selected, with a message. */
const naming = [
  ...['COPY 1 NAME', 'MOVE 1 NAME', 'UID COPY 1 NAME', 'UID MOVE 1 NAME', 'REPLACE 1 NAME {3+}\r\nabc'],
  ...['UID REPLACE 1 NAME {3+}\r\nabc', 'APPEND NAME {3+}\r\nabc', 'SELECT NAME', 'EXAMINE NAME'],
  ...['STATUS NAME (MESSAGES)', 'LIST "" NAME', 'LIST "" NAME*', 'LIST NAME/ %', 'LSUB "" NAME', 'CREATE NAME/new'],
  ...['DELETE NAME', 'RENAME NAME other', 'RENAME Archive NAME', 'SUBSCRIBE NAME', 'UNSUBSCRIBE NAME'],
  ...['MYRIGHTS NAME', 'LISTRIGHTS NAME someone', 'GETACL NAME', 'SETACL NAME someone lr', 'DELETEACL NAME someone'],
  'GETQUOTAROOT NAME',
]

/** All others. Some say what they do with the selected mailbox, which was named before. */
const nameless =
  'CHECK CLOSE ENABLE EXPUNGE FETCH GETQUOTA IDLE NAMESPACE NOOP NOTIFY SEARCH SETQUOTA SORT STORE THREAD UID_EXPUNGE UID_FETCH UID_SEARCH ' +
  'UID_SORT UID_STORE UID_THREAD UNSELECT'

test('every command is known to name a mailbox or not', () => {
  const tried = naming.map((command) => /^(?:UID )?\w+/.exec(command)?.[0])
  const others = nameless.split(' ').map((name) => name.replace('_', ' '))
  const missing = [...commands.keys()].filter((name) => !tried.includes(name) && !others.includes(name))
  assert.deepEqual(missing, [])
})

test('a mailbox of another organization, and one that is not shared, are as one that does not exist', async () => {
  const { own, team } = await pair()
  const other = await world.organization()
  const theirs = await readingMailbox(other, 'team')
  for (const mailbox of [team, theirs]) await makeFolder(db, mailbox, 'Plans')
  assert.equal(await hand(world, 'ann@peer.example', own.address, letter({ subject: 'One' })), '250 2.6.0')
  await using client = await serving.signedIn(own)
  for (const folder of ['INBOX', 'Plans', '']) {
    const told = async (address: string) => {
      const name = ['Shared', address, ...(folder ? [folder] : [])].join('/')
      assert.equal((await client.run('SELECT INBOX')).status, 'OK')
      const answers = await answersOf(
        client,
        naming.map((command) => command.replace('NAME', name)),
      )
      return answers.map((answer) => answer.replaceAll(address, 'ADDRESS'))
    }
    const absent = await told(`nobody@${organization.domain}`)
    assert.deepEqual(await told(team.address), absent)
    assert.deepEqual(await told(theirs.address), absent)
    assert.deepEqual(await told(own.address), absent)
  }
  const { untagged } = await client.run('LIST "" *')
  assert.equal(untagged.filter((line) => line.includes('Shared')).length, 0)
})

const endings: readonly [what: string, end: (given: Awaited<ReturnType<typeof pair>>) => Promise<unknown>][] = [
  ['the password has changed', ({ own }) => db.transaction().execute((tx) => changePassword(tx, own, 'x', byOperator))],
  [
    'the mailbox is suspended',
    ({ own }) => db.transaction().execute((tx) => suspendMailbox(tx, own, true, byOperator)),
  ],
  ['the mailbox is deleted', ({ own }) => removeMailbox({ db }, own, byOperator, () => {})],
  ['the share is lost', ({ sharing }) => db.transaction().execute((tx) => endAccess(tx, sharing))],
  [
    'the level no longer allows changes',
    ({ sharing }) => db.transaction().execute((tx) => giveAccess(tx, sharing, 'read')),
  ],
]
for (const [what, end] of endings)
  test(`an open connection ends once ${what}, and no other`, async () => {
    const given = await pair('change')
    const select = async (mailbox: ReadingMailbox, name: string) => {
      const client = await serving.signedIn(mailbox)
      assert.equal((await client.run(`SELECT ${name}`)).status, 'OK')
      return client
    }
    await using client = await select(given.own, `Shared/${given.team.address}/INBOX`)
    await using bystander = await select(given.team, 'INBOX')
    await end(given)
    assert.match(await client.untagged(/^BYE/), /sign in again/)
    await client.ended()
    assert.equal((await bystander.run('NOOP')).status, 'OK')
  })

test('an open connection ends once its domain is suspended', async () => {
  const other = await world.organization()
  await using client = await serving.signedIn(await readingMailbox(other, 'ada'))
  await db.updateTable('domains').set({ suspended_at: new Date() }).where('domain', '=', other.domain).execute()
  await client.untagged(/^BYE/)
})
