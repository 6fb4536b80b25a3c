import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import fc from 'fast-check'
import { sql } from 'kysely'
import { byOperator } from '#/base/audit/actor.ts'
import { removeMailbox } from '#/mail/mailboxes/remove.ts'
import { discrepanciesOfPrograms } from '#test/faults/letters/stored.ts'
import { type ReadingMailbox, readingMailbox } from '#test/world/imap/serving.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'
import { damaged, sound } from './imap-commands.ts'
import { FuzzedSession } from './imap-session.ts'

/** How many commands got each answer. */
export type Answers = Map<string, number>

/** Commands that are sent together. */
const most = 8
/** After so many the mailboxes are looked at, and others take their place: full ones would slow later commands down. */
const ofRound = 2_000

const batches = fc.array(sound, { minLength: 1, maxLength: most }).chain((commands) => {
  const text = commands.map(({ octets }, at) => `d${at} ${octets}`).join('')
  return fc.tuple(fc.constant(commands), fc.option(damaged(text), { freq: 2 }))
})

/** At least so many commands over IMAP, sound ones, wrong ones and damaged ones, by four clients of three mailboxes at once, each batch
 *  of them at once. Each is answered, none by an internal error, no session hangs, nobody is shown mail of others, and the store stays
 *  in order. A failure says its round, whose seed makes the same commands again. */
export async function fuzzImap(count: number, seed: number, tell?: (done: number) => void): Promise<Answers> {
  await using target = await Target.start()
  for (let done = 0, round = 0; done < count; round++) {
    try {
      done += await target.round(Math.min(ofRound, count - done), seed + round)
    } catch (error) {
      throw new Error(`IMAP fails with the seed ${seed + round}`, { cause: error })
    }
    tell?.(done)
  }
  return target.answers
}

/** On a machine that is busy otherwise, a worker may wait too long for the one connection of the embedded database. */
function isOfBusyMachine(line: string): boolean {
  return line.includes('timeout exceeded when trying to connect')
}

/** A service with two organizations. */
class Target implements AsyncDisposable {
  readonly answers: Answers = new Map()
  readonly #world: World
  readonly #organizations: readonly TestOrganization[]
  readonly #errors: string[]
  #mailboxes = 0

  private constructor(world: World, organizations: readonly TestOrganization[], errors: string[]) {
    this.#world = world
    this.#organizations = organizations
    this.#errors = errors
  }

  static async start(): Promise<Target> {
    await using starting = new AsyncDisposableStack()
    const errors: string[] = []
    const log = new Writable({
      write(line, _, done) {
        if (/"level":[56]0/.test(String(line)) && !isOfBusyMachine(String(line))) errors.push(String(line))
        done()
      },
    })
    const world = starting.use(await World.start({ log, indexing: true }))
    const organizations = [
      await world.organization({ plan: 'self_hosted' }),
      await world.organization({ plan: 'self_hosted' }),
    ]
    starting.move()
    return new Target(world, organizations, errors)
  }

  /** Answers how many commands were sent. */
  async round(count: number, seed: number): Promise<number> {
    const [first, second] = this.#organizations
    if (!first || !second) throw new Error('there are two organizations')
    const [ann, bob, eve] = [await this.#mailbox(first), await this.#mailbox(first), await this.#mailbox(second)]
    const boxes = [ann, bob, eve]
    const queue = fc.sample(batches, { numRuns: Math.ceil(count / (most / 2)), seed })
    let sent = 0
    const client = async (mailbox: ReadingMailbox) => {
      await using session = new FuzzedSession(this.#world.imap?.port ?? 0, mailbox.address, {
        forbidden: boxes.filter((one) => one !== mailbox).map(secretOf),
        heard: (answer) => this.answers.set(answer, (this.answers.get(answer) ?? 0) + 1),
      })
      for (let batch = queue.pop(); batch && sent < count; batch = queue.pop()) {
        const [commands, text] = batch
        sent += commands.length
        await (text === null ? session.sound(commands) : session.damaged(text))
        assert.deepEqual(this.#errors, [])
      }
    }
    await Promise.all([ann, ann, bob, eve].map(client))
    await this.#assertInOrder(boxes)
    const { db } = this.#world
    for (const mailbox of boxes) await removeMailbox({ db }, mailbox, byOperator, () => {})
    return sent
  }

  /** With messages of which others must not be shown anything. */
  async #mailbox(organization: TestOrganization): Promise<ReadingMailbox> {
    const mailbox = await readingMailbox(organization, `m${++this.#mailboxes}`)
    await using session = new FuzzedSession(this.#world.imap?.port ?? 0, mailbox.address, {
      forbidden: [],
      heard: () => {},
    })
    const letter = `From: ann@x.example\r\nSubject: ${secretOf(mailbox)}\r\n\r\nwords of ${secretOf(mailbox)}\r\n`
    const append = { octets: `APPEND INBOX {${letter.length}+}\r\n${letter}\r\n` }
    await session.sound([append, append, append, { octets: 'CREATE Plans\r\n' }])
    return mailbox
  }

  /** Counters are as the rows are, uids below the next one, messages in their mailboxes, and a program is told what is there. */
  async #assertInOrder(mailboxes: readonly ReadingMailbox[]): Promise<void> {
    const { db } = this.#world
    assert.deepEqual(await discrepanciesOfPrograms(db), [])
    for (const mailbox of mailboxes) {
      const { rows } = await sql<{ name: string; uids: number[] }>`
        select folder.name, json_agg(message.uid order by message.uid) as uids
        from mail_folders folder join mail_messages message on message.folder_id = folder.id
        where folder.mailbox_id = ${mailbox.mailboxId} group by folder.name`.execute(db)
      const strangers = await sql<{ subject: string }>`
        select content.subject from mail_folders folder join mail_messages message on message.folder_id = folder.id
        join mail_contents content on content.id = message.content_id
        where folder.mailbox_id = ${mailbox.mailboxId} and content.subject like 'secret of %'
          and content.subject <> ${secretOf(mailbox)}`.execute(db)
      assert.deepEqual(strangers.rows, [])
      await using session = new FuzzedSession(this.#world.imap?.port ?? 0, mailbox.address, {
        forbidden: [],
        heard: () => {},
      })
      const inbox = rows.find(({ name }) => name === 'inbox')?.uids ?? []
      const told = await session.sound([{ octets: 'SELECT INBOX\r\n' }, { octets: 'UID SEARCH ALL\r\n' }])
      assert.match(told, new RegExp(`^\\* ${inbox.length} EXISTS$`, 'm'))
      assert.match(told, new RegExp(`^\\* SEARCH${inbox.map((uid) => ` ${uid}`).join('')}$`, 'm'))
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#world[Symbol.asyncDispose]()
  }
}

function secretOf({ mailboxId }: ReadingMailbox): string {
  return `secret of ${mailboxId}`
}
