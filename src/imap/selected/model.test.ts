import { test } from 'node:test'
import fc from 'fast-check'
import { findFolder } from '#/mail/store/folders.ts'
import { type Known, type Memory, ModelledClient } from '#test/world/imap/modelled-client.ts'
import { type Scene, Stage } from '#test/world/imap/stage.ts'
import { changingCommands } from '../changing/commands.ts'
import type { Extension } from '../session/session.ts'
import { flagsOf } from './flags.ts'

const stage = await Stage.ofFile(changingCommands)

/** Who has which extensions. */
const clients: readonly (readonly Extension[])[] = [[], ['IMAP4rev2', 'CONDSTORE'], ['QRESYNC']]

/** An act of a client, or of the API if it has none. The numbers choose messages. */
interface Act {
  readonly client: number
  readonly what: number
  readonly which: number
  readonly count: number
  readonly flag: number
}

const act: fc.Arbitrary<Act> = fc.record({
  client: fc.integer({ min: 0, max: clients.length }),
  what: fc.nat(),
  which: fc.nat(),
  count: fc.integer({ min: 1, max: 4 }),
  flag: fc.nat(),
})

/** All that a run of acts goes by. */
class Run {
  readonly #scene: Scene
  readonly #clients: ModelledClient[]
  /** States of the client with QRESYNC, to come back from. */
  readonly #memories: Memory[] = []
  /** What clients and server said, each after the number of the client. */
  readonly said: string[] = []

  constructor(scene: Scene) {
    this.#scene = scene
    this.#clients = clients.map((extensions, number) => {
      const session = scene.another()
      for (const extension of extensions) session.enable(extension)
      return new ModelledClient(session, (line) => this.said.push(`${number} ${line}`))
    })
  }

  async begin(): Promise<void> {
    await this.#scene.add(6)
    for (const client of this.#clients) {
      await client.select()
      client.check(await this.present())
    }
  }

  /** The messages as they are stored. */
  async present(): Promise<Map<number, Known>> {
    const { db } = stage.database
    const { id } = await findFolder(db, this.#scene.mailbox, 'inbox')
    const rows = await db
      .selectFrom('mail_messages')
      .select(['uid', 'modseq', 'seen', 'answered', 'flagged', 'deleted', 'draft', 'forwarded', 'keywords'])
      .where('folder_id', '=', id)
      .orderBy('uid')
      .execute()
    return new Map(rows.map((row) => [row.uid, { flags: new Set(flagsOf(row)), modseq: row.modseq }]))
  }

  async act(act: Act): Promise<void> {
    const client = this.#clients[act.client]
    if (!client) return this.#byApi(act)
    if (client.isIdle) {
      await client.endIdle()
      return client.check(await this.present())
    }
    await this.#byClient(client, act)
  }

  async #byApi({ what, which, count, flag }: Act): Promise<void> {
    const scene = this.#scene
    const uids = chosen([...(await this.present()).keys()], which, count)
    const change = [
      { seen: flag % 4 < 2 },
      { flagged: flag % 4 < 2 },
      { addKeywords: ['work'] },
      { removeKeywords: ['work'] },
    ]
    this.said.push(`API ${what % 6} ${flag % 4} ${uids.join(',')}`)
    if (what % 6 === 0) await scene.add(count)
    else if (what % 6 === 1) await scene.expunge(...uids)
    else if (what % 6 === 2) await scene.mark(uids, { folder: 'archive' })
    else if (what % 6 === 3) await scene.prune()
    else await scene.mark(uids, change[flag % change.length] ?? {})
  }

  async #byClient(client: ModelledClient, { what, which, count, flag }: Act): Promise<void> {
    const known = client.list.flatMap(({ uid }) => uid ?? [])
    const uids = chosen(known, which, count)
    const set = uids.join(',')
    const numbers = uids.map((uid) => known.indexOf(uid) + 1).join(',')
    const name = ['\\Seen', '\\Deleted', '\\Flagged', 'work'][flag % 4] ?? ''
    switch (what % 11) {
      case 0:
        client.beginIdle()
        return
      case 1:
      case 2:
        await client.run('NOOP')
        return client.check(await this.present())
      case 3:
        await client.run('APPEND INBOX (\\Seen) {Subject: Appended\r\n\r\n}')
        return client.check(await this.present())
      case 4:
        await client.run('EXPUNGE')
        return client.check(await this.present())
      case 5:
        await client.run('FETCH')
        return
      case 6:
        return this.#again(client, which)
    }
    if (set === '') return
    if (what % 11 === 7) await client.run(`UID ${flag % 2 ? 'MOVE' : 'COPY'} ${set} ${flag % 3 ? 'Archive' : 'INBOX'}`)
    else {
      const sign = flag % 3 ? '+' : '-'
      const isSilent = what % 11 === 8
      const stored = `${sign}FLAGS${isSilent ? '.SILENT' : ''} (${name})`
      const answer = await client.run(flag % 5 ? `STORE ${numbers} ${stored}` : `UID STORE ${set} ${stored}`)
      if (!isSilent) return
      const flags = new Set([name])
      const apply = (before: ReadonlySet<string>) => (sign === '+' ? before.union(flags) : before.difference(flags))
      // After NO it does not know which were changed.
      client.assume(uids, answer.startsWith('OK') ? apply : () => undefined)
    }
  }

  /** A client with QRESYNC comes back from an earlier state, others select again. */
  async #again(client: ModelledClient, which: number): Promise<void> {
    const { session } = client
    if (!session.enabled.has('QRESYNC')) await client.select()
    else {
      await client.run('NOOP')
      const present = await this.present()
      client.check(present)
      const { folderId = 0, modseq = 0 } = session.selected ?? {}
      this.#memories.push({ uidValidity: folderId, modseq, messages: present })
      const says = (['state', 'uids', 'uids and numbers'] as const)[which % 3]
      await client.select(this.#memories[which % this.#memories.length], says)
    }
    client.check(await this.present())
  }

  async end(): Promise<void> {
    for (const client of this.#clients) {
      if (client.isIdle) await client.endIdle()
      else await client.run('NOOP')
      client.check(await this.present())
      client.session[Symbol.dispose]()
    }
  }
}

function chosen(uids: readonly number[], which: number, count: number): number[] {
  const first = uids.length === 0 ? 0 : which % uids.length
  return uids.slice(first, first + count)
}

/** More at night, each from its own seed. */
const rounds = Number(process.env.MODEL_ROUNDS ?? 1)

for (let seed = 20261126; seed < 20261126 + rounds; seed++) {
  test(`three clients and the API change a mailbox, and each client is told all, at its time, and nothing twice (seed ${seed})`, async () => {
    const property = fc.asyncProperty(fc.array(act, { minLength: 10, maxLength: 40 }), async (acts) => {
      using scene = await stage.scene()
      const run = new Run(scene)
      try {
        await run.begin()
        for (const act of acts) await run.act(act)
        await run.end()
      } catch (cause) {
        throw new Error(`after ${run.said.join('\n')}`, { cause })
      }
    })
    // A shorter example takes minutes to be found.
    await fc.assert(property, { seed, numRuns: 15, endOnFailure: process.env.MODEL_SHRINK === undefined })
  })
}
