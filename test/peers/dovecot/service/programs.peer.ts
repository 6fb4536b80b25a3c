import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { hand as handTo, letter, messagesIn, subjectsIn } from '#test/mail/letter.ts'
import { DovecotServer } from '#test/peers/dovecot/imap-server.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'

/** Mail programs see what the API stores, and the API sees what they do. */
const run = promisify(execFile)

let resources: AsyncDisposableStack
let dovecot: DovecotServer
let world: World
let organization: TestOrganization
before(async () => {
  resources = new AsyncDisposableStack()
  dovecot = resources.use(await DovecotServer.start())
  world = resources.use(await World.start({ env: { MAILROOM_IMAP_URL: dovecot.url } }))
  organization = await world.organization()
  await organization.request('POST', '/v1/labels', { name: 'Work' })
})
after(() => resources.disposeAsync())

const hand = async (to: string, Subject: string) =>
  assert.equal(await handTo(world, 'ann@peer.example', to, letter({ Subject })), '250 2.6.0')

async function change(address: string, uid: number, what: object): Promise<void> {
  const { status } = await organization.request('PATCH', `/v1/messages/${uid}?mailbox=${address}`, what)
  assert.equal(status, 200)
}

/** A mailbox as mbsync keeps it in a directory. */
class Copy implements AsyncDisposable {
  readonly #directory: string

  private constructor(directory: string) {
    this.#directory = directory
  }

  static async of(login: string): Promise<Copy> {
    const directory = await mkdtemp(join(tmpdir(), 'mailroom-mbsync-'))
    await mkdir(join(directory, 'mail'))
    await writeFile(
      join(directory, 'mbsyncrc'),
      `
IMAPStore server
Host 127.0.0.1
Port ${dovecot.server.port}
User ${login}
Pass any
AuthMechs PLAIN
SSLType None

MaildirStore here
Path ${directory}/mail/
Inbox ${directory}/mail/INBOX
SubFolders Verbatim

Channel all
Far :server:
Near :here:
Patterns *
Create Both
Expunge Both
SyncState *
`,
    )
    return new Copy(directory)
  }

  async sync(): Promise<void> {
    await run('mbsync', ['-q', '-c', join(this.#directory, 'mbsyncrc'), '-a'], { timeout: 60_000 })
  }

  /** By subject, the flags that a Maildir has in its file's name, and where the file is. */
  async messages(folder = 'INBOX'): Promise<Map<string, { flags: string; path: string }>> {
    const found = new Map<string, { flags: string; path: string }>()
    for (const state of ['new', 'cur']) {
      for (const name of await readdir(join(this.#directory, 'mail', folder, state))) {
        const path = join(this.#directory, 'mail', folder, state, name)
        const [, subject = ''] = /^Subject: (.*?)\r?$/m.exec(await readFile(path, 'utf8')) ?? []
        assert.ok(!found.has(subject), `${subject} is there once`)
        found.set(subject, { flags: name.split(':2,')[1] ?? '', path })
      }
    }
    return found
  }

  /** As a mail program marks a message. */
  async mark(subject: string, flags: string): Promise<void> {
    const { path } = (await this.messages()).get(subject) ?? {}
    assert.ok(path)
    const name = path.split('/').at(-1)?.split(':2,')[0]
    await rename(path, join(this.#directory, 'mail/INBOX/cur', `${name}:2,${flags}`))
  }

  async write(subject: string): Promise<void> {
    await writeFile(join(this.#directory, 'mail/INBOX/new', `${subject}.local`), letter({ Subject: subject }))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#directory, { recursive: true, force: true })
  }
}

test('mbsync has what the API keeps, and the API what is done to the copy', async () => {
  const { id, address } = await organization.mailbox('ada')
  for (const subject of ['One', 'Two', 'Three', 'Four']) await hand(address, subject)
  assert.deepEqual((await subjectsIn(organization, address)).sort(), ['Four', 'One', 'Three', 'Two'])
  await change(address, 1, { unread: false, starred: true, add_labels: ['work'] })
  await change(address, 2, { folder: 'archive' })

  await using copy = await Copy.of(id)
  await copy.sync()
  const flags = async (folder?: string) => [...(await copy.messages(folder))].map(([what, { flags }]) => [what, flags])
  assert.deepEqual((await flags()).sort(), [
    ['Four', ''],
    ['One', 'FS'],
    ['Three', ''],
  ])
  assert.deepEqual(await flags('Archive'), [['Two', '']])

  await copy.mark('Three', 'FS')
  await copy.mark('Four', 'T')
  await copy.write('Five')
  await copy.sync()
  const shown = (await messagesIn(organization, address)).map(({ subject, unread, starred, labels }) => ({
    [subject]: [unread, starred, labels],
  }))
  assert.deepEqual(Object.assign({}, ...shown), {
    One: [false, true, ['work']],
    Three: [false, true, []],
    Five: [true, false, []],
  })
})

test('mbsync and the API at once: both have the same in the end', async () => {
  const { id, address } = await organization.mailbox('bob')
  for (let n = 0; n < 10; n++) await hand(address, `Before ${n}`)
  await using copy = await Copy.of(id)
  let busy = true
  const use = async () => {
    for (let n = 0; n < 30; n++) {
      await hand(address, `Meanwhile ${n}`)
      await change(address, n + 1, n % 3 ? { starred: true } : { folder: 'archive' })
    }
    busy = false
  }
  const used = use()
  while (busy) await copy.sync()
  await used
  await copy.sync()
  for (const [folder, path] of [
    ['inbox', 'INBOX'],
    ['archive', 'Archive'],
  ] as const) {
    const ours = (await messagesIn(organization, address, folder)).map(({ subject, starred }) => [subject, starred])
    const theirs = [...(await copy.messages(path))].map(([subject, { flags }]) => [subject, flags.includes('F')])
    assert.deepEqual(theirs.sort(), ours.sort())
    assert.equal(ours.length, folder === 'inbox' ? 30 : 10)
  }
})

test("a label is a keyword to Python's imaplib, and the reverse", async () => {
  const { id, address } = await organization.mailbox('cho')
  for (const subject of ['One', 'Two']) await hand(address, subject)
  assert.equal((await subjectsIn(organization, address)).length, 2)
  await change(address, 1, { add_labels: ['work'] })
  const script = `
import imaplib, sys
client = imaplib.IMAP4('127.0.0.1', ${dovecot.server.port})
client.login(sys.argv[1], 'any')
client.select('INBOX')
print(client.uid('SEARCH', 'KEYWORD', 'work')[1][0].decode())
client.uid('STORE', '1', '-FLAGS', '(work)')
client.uid('STORE', '2', '+FLAGS', '(Work \\\\Seen)')
client.logout()
`
  assert.equal((await run('/usr/bin/python3', ['-c', script, id])).stdout, '1\n')
  const labels = (await messagesIn(organization, address)).map(({ uid, unread, labels }) => [uid, unread, labels])
  assert.deepEqual(labels.sort(), [
    [1, true, []],
    [2, false, ['work']],
  ])
})
