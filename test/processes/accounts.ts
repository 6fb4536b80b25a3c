import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { openedFields } from '#/out/queue/sealed.ts'
import { type Attempt, check, type Verdict } from '#test/faults/letters/checker.ts'
import { fieldOf, timePasses } from '#test/faults/letters/post-office.ts'
import { discrepancies, lettersStored } from '#test/faults/letters/stored.ts'
import { each } from '#test/world/each.ts'
import { mailKey } from '#test/world/installation.ts'
import type { Fleet } from './fleet.ts'
import type { Load } from './load.ts'

/** Results for the mail of senders and programs at a fleet. */
export interface Account {
  /** Letters at their recipients. */
  readonly mail: Verdict
  /** Of `mail.duplicated` those that bear a Message-ID: none may be there twice. */
  readonly knownDuplicated: readonly string[]
  /** Messages of programs at the sink. */
  readonly sent: Verdict
  /** Those of `sent.duplicated` whose copies differ in Message-ID or Date: none may. */
  readonly differing: readonly string[]
  /** Their copies in Sent. */
  readonly copies: Verdict
  /** Scheduled messages that failed because three workers died. */
  readonly failed: readonly string[]
  readonly discrepancies: readonly string[]
}

/** Waits until everything is sent, and compares what is stored with what was acknowledged. Work of killed workers
 *  is due again at once. */
export async function accountFor(fleet: Fleet, { senders, programs }: Load): Promise<Account> {
  await fleet.until(async () => {
    await timePasses(fleet.db)
    return (await fleet.waiting()) === 0
  })
  const letters = await Array.fromAsync(lettersStored(fleet.db))
  const mail = check(
    senders.attempts(),
    letters.filter((name) => !name.endsWith(` at ${fleet.quiet}`)),
  )
  const known = new Set(senders.letters.filter((letter) => letter.known).map(({ name }) => name))
  const taken = Map.groupBy(fleet.sink.taken, ({ to }) => to[0]?.split('@')[0] ?? '')
  const { rows: failing } = await sql<{ id: string; fields: Buffer }>`
    select id, fields from outbound_messages
    where state = 'failed' and last_error like '%interrupted three times%'`.execute(fleet.db)
  const failed = new Set(failing.map(({ id, fields }) => openedFields(mailKey, id, fields).subject))
  const sent = check(
    unless(failed, programs.sendings()),
    fleet.sink.taken.flatMap(({ to }) => to.map((address) => address.split('@')[0] ?? '')),
  )
  const { rows } = await sql<{ subject: string }>`
    select content.subject from mail_messages message join mail_folders folder on folder.id = message.folder_id
    join mail_contents content on content.id = message.content_id where folder.name = 'sent'`.execute(fleet.db)
  return {
    mail,
    knownDuplicated: mail.duplicated.filter((name) => known.has(name.split(' at ')[0] ?? '')),
    sent,
    differing: sent.duplicated.filter((name) =>
      ['Message-ID', 'Date'].some(
        (field) => new Set(taken.get(name)?.map(({ bytes }) => fieldOf(bytes, field))).size > 1,
      ),
    ),
    copies: check(unless(failed, programs.messages), each(rows, 'subject')),
    failed: [...failed],
    discrepancies: await discrepancies(fleet.db),
  }
}

/** The attempts, of which these were not answered for good: their sender has been told otherwise since. */
function unless(failed: ReadonlySet<string>, attempts: ReadonlyMap<string, Attempt>): Map<string, Attempt> {
  return new Map(
    Array.from(attempts, ([name, one]) => [name, failed.has(name) ? { ...one, acknowledged: false } : one]),
  )
}

/** Nothing acknowledged is lost or failed, nothing unexpected exists, and nothing is half-done. */
export function assertKept({ mail, knownDuplicated, sent, differing, copies, failed, discrepancies }: Account): void {
  for (const { lost, unexpected } of [mail, sent, copies])
    assert.deepEqual({ lost, unexpected }, { lost: [], unexpected: [] })
  assert.deepEqual(
    { knownDuplicated, differing, failed, discrepancies },
    { knownDuplicated: [], differing: [], failed: [], discrepancies: [] },
  )
  for (const { acknowledged } of [mail, sent]) assert.ok(acknowledged > 0)
}
