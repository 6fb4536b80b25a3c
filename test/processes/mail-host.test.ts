// On both databases: several processes run on it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databaseHome } from '#test/world/database/database.ts'
import { mailroom, startService } from '#test/world/service.ts'

const elsewhere = { MAILROOM_IMAP_URL: 'imap://mailroom:secret@127.0.0.1:1?starttls=never' }

test('a process with another mail host than its installation does not start, and says what to do', async () => {
  await using home = await databaseHome()
  const first = await startService(home.env)
  await first.end('SIGTERM')
  const misled = { ...home.env, ...elsewhere }
  await assert.rejects(
    startService(misled),
    /keeps its mail in its database, .* move all mail there by .*mail move imap/,
  )
  for (const command of [
    ['mailbox', 'list'],
    ['mailbox', 'delete', 'ada@example.test'],
  ]) {
    const { stdout, stderr, code } = await mailroom(misled, ...command)
    assert.deepEqual([stdout, code], ['', 1])
    if (command[1] === 'list') assert.match(stderr, /^mailroom: This installation keeps its mail in its database/)
  }
  const { stdout } = await mailroom(misled, 'doctor', '--json')
  const { healthy, findings } = JSON.parse(stdout)
  const finding = findings.find(({ check }: { check: string }) => check === 'mail host')
  assert.deepEqual([healthy, finding.state], [false, 'problem'])
  assert.match(finding.found, /keeps its mail in its database/)

  const adopted = await mailroom(misled, 'mail', 'adopt')
  assert.deepEqual(adopted, {
    stdout: 'Mail is kept on 127.0.0.1:1 now, and no longer in the database.\n',
    stderr: '',
    code: 0,
  })
  await assert.rejects(startService(home.env), /on the IMAP server 127\.0\.0\.1:1, and MAILROOM_IMAP_URL is not set/)
  await (await startService(misled)).end('SIGTERM')
})
