import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HeadingPage, UidRange } from '#/mail/store/headings.ts'
import { noCounts } from './counts.ts'
import { Pages } from './pages.ts'
import type { ClaimedRun } from './run.ts'
import type { RunFolder } from './run-folder.ts'

const messages = Array.from({ length: 2_000 }, (_, index) => {
  const rest = { seen: false, flagged: false, keywords: [], subject: '', senders: [], header: Buffer.alloc(0) }
  return { uid: index + 1, ...rest }
})
const folder: RunFolder = {
  ...{ mailboxId: 'm', address: 'ada@here.example', folder: 'inbox' },
  ...{ uidValidity: 1, lastUid: messages.length, uid: 100, plan: null },
}

for (const [what, fields, read] of [
  ['subjects, as many as are asked for', ['subject'], 1_000],
  ['subjects and senders, as many as are asked for', ['subject', 'from'], 1_000],
  ['whole headers, fewer, since each may be large', ['from', 'to'], 500],
] as const)
  test(`a page has ${what}`, async () => {
    const headings = async (_: unknown, name: string, { after, most }: UidRange): Promise<HeadingPage> => {
      assert.equal(name, 'inbox')
      return { uidValidity: 1, messages: messages.slice(after, after + most) }
    }
    const nothing = { groups: [], matched: 0, filters: [], matching: [] }
    const pages = new Pages(headings, async () => nothing)
    const filters = fields.map((field) => {
      return { id: 'f', name: 'One', field, op: 'contains', value: 'x', action: 'star', argument: null } as const
    })
    const run: ClaimedRun = {
      ...{ id: 'r', filters, preview: false, state: 'running', folders: ['inbox'], seen: 0, total: 2_000, epoch: 1 },
      ...{ counts: noCounts(1), sample: [], changeId: null, attempts: 1, by: { kind: 'key', id: null, name: '' } },
      owner: { organizationId: 'o', memberId: null },
    }
    const page = await pages.read(run, folder, 1_000)
    assert.deepEqual([page?.messages.length, page?.messages[0]?.uid, page?.upTo], [read, 101, 100 + read])
  })
