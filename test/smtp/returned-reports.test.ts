// On both databases: three processes return reports at once.

import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { sql } from 'kysely'
import { deleteMailbox, setSuspended } from '#/mail/mailboxes/operator-queries.ts'
import { each } from '#test/world/each.ts'
import { hand, letter, subjectsIn } from '#test/world/letters/letter.ts'
import { deliveryReport } from '#test/world/letters/report.ts'
import { forwardsTo, mailboxThat } from '#test/world/mail/forwarding.ts'
import { sendingWorld } from '#test/world/sending-world.ts'
import { SmtpClient } from '#test/world/sockets/smtp-client.ts'

const day = 86_400_000
/** An author whose address a rewritten sender has no room for. */
const tooLong = `${'a'.repeat(60)}@far.example`

const { world, others, ...sending } = await sendingWorld({
  ...{ others: 2, plan: 'self_hosted', env: { MAILROOM_LMTP_PORT: '0' } },
})
const { organization: usual, sentMail: left } = sending
let count = 0
for (const { dns } of [world, ...others]) dns.set('_dmarc.careful.example', { txt: ['v=DMARC1; p=quarantine'] })
afterEach(() => left())

const forwarding = (organization = usual) => mailboxThat(organization, forwardsTo('ada@away.example'))

/** The sender that a message bears once the mailbox has forwarded it. */
async function senderOf(author: string, mailbox: string): Promise<string> {
  assert.equal(await hand(world, author, mailbox), '250 2.6.0')
  const [taken, ...more] = await left()
  assert.ok(taken && more.length === 0)
  return taken.from
}

for (const [what, message] of [
  ['a report of non-delivery', deliveryReport()],
  [
    'a report of DragonFly’s',
    letter(
      { From: 'MAILER-DAEMON <>', Subject: 'Mail delivery failed' },
      'There was an error delivering your mail to <ada@away.example>.\r\n\r\nmx.away.example did not like our RCPT TO:\r\n550 5.1.1 nobody',
    ),
  ],
] as const)
  test(`${what} goes back to the author, as it came`, async () => {
    const { address } = await forwarding()
    for (const author of ['author@far.example', tooLong]) {
      const back = await senderOf(author, address)
      assert.equal(await hand(world, '', back.toUpperCase(), message), '250 2.6.0')
      const [taken, ...more] = await left()
      assert.deepEqual([taken?.from, taken?.to.map((to) => to.toLowerCase()), more], ['', [author], []])
      assert.ok(taken?.bytes.toString().endsWith(`${message}\r\n`))
      assert.equal(await hand(world, 'x@y.example', back, message), '550 5.7.1')
    }
  })

for (const [what, message] of [
  ['an ordinary message', letter()],
  ['a report whose author is forged', deliveryReport('failed', { From: 'ceo@careful.example' })],
] as const)
  test(`${what} does not go back`, async () => {
    const { address } = await forwarding()
    const back = await senderOf('author@far.example', address)
    assert.equal(await hand(world, '', back, message), '550 5.7.1')
    assert.deepEqual(await left(), [])
  })

test('an ordinary message that names a mailbox too reaches that alone; over LMTP each is answered', async () => {
  const { address } = await forwarding()
  const back = await senderOf('author@far.example', address)
  const { address: other } = await usual.mailbox(`other${++count}`)
  assert.equal(await hand(world, '', [other, back], letter({ Subject: 'Over SMTP' })), '250 2.6.0')
  await using client = await SmtpClient.open(world.lmtp?.port ?? 0)
  await client.reply()
  await client.say('LHLO relay.example')
  const first = await client.send('', [other, back], letter({ Subject: 'Over LMTP' }))
  const second = await client.reply()
  assert.deepEqual([first.code, second.codes], [250, '550 5.7.1'])
  assert.deepEqual(await subjectsIn(usual, other), ['Over LMTP', 'Over SMTP'])
  assert.deepEqual(await left(), [])
})

test('a report that names a mailbox too reaches both', async () => {
  const { address } = await forwarding()
  const back = await senderOf('author@far.example', address)
  const { address: other } = await usual.mailbox(`other${++count}`)
  assert.equal(await hand(world, '', [other, back], deliveryReport('failed', { Subject: 'To both' })), '250 2.6.0')
  assert.deepEqual(await subjectsIn(usual, other), ['To both'])
  assert.deepEqual(each(await left(), 'to'), [['author@far.example']])
})

test('a rewritten sender is none at any other domain', async () => {
  const { address } = await forwarding()
  const short = await senderOf('author@far.example', address)
  const kept = await senderOf(tooLong, address)
  const stranger = await world.organization()
  await stranger.mailbox('ada')
  for (const back of [short, kept]) {
    const elsewhere = back.replace(usual.domain, stranger.domain)
    assert.equal(await hand(world, '', elsewhere, deliveryReport()), '550 5.1.1')
    assert.equal(await hand(world, '', back, deliveryReport()), '250 2.6.0')
  }
})

test('of a mailbox that is suspended or deleted nothing goes back', async () => {
  const { id: mailboxId, address } = await forwarding()
  const mailbox = { organizationId: usual.id, mailboxId }
  const backs = [await senderOf('author@far.example', address), await senderOf(tooLong, address)]
  const answers = async () => await Promise.all(backs.map((back) => hand(world, '', back, deliveryReport())))
  await setSuspended(world.db, mailbox, true)
  assert.deepEqual(await answers(), ['550 5.2.1', '550 5.2.1'])
  await setSuspended(world.db, mailbox, false)
  assert.deepEqual(await answers(), ['250 2.6.0', '250 2.6.0'])
  await world.db.transaction().execute((tx) => deleteMailbox(tx, mailbox))
  assert.deepEqual(await answers(), ['550 5.1.1', '550 5.1.1'])
})

test('five reports go back to an author in a day, however many come at once, and five more on the next', async () => {
  const { address } = await forwarding()
  const back = await senderOf('author@far.example', address)
  const flood = async () => {
    const doors = [world, ...others]
    await Promise.all(Array.from({ length: 60 }, (_, n) => hand(doors[n % 3] ?? world, '', back, deliveryReport())))
    return (await left()).length
  }
  assert.equal(await flood(), 5)
  assert.equal(await hand(world, '', back, deliveryReport()), '550 5.7.1')
  // The day after, the same author writes under another sender.
  await advance(day)
  const other = await senderOf('Author+tag@FAR.example', address)
  assert.notEqual(other, back)
  assert.equal(await flood(), 5)
  for (const one of [back, other]) assert.equal(await hand(world, '', one, deliveryReport()), '550 5.7.1')
})

test('a hundred go back in a day for a mailbox, whoever the authors are', async () => {
  const { id, address } = await forwarding()
  const backs = []
  for (const author of ['ann', 'bob', 'cy']) backs.push(await senderOf(`${author}@far.example`, address))
  await hand(world, '', backs[0] ?? '', deliveryReport())
  await sql`update forwarding set returned = 98 where mailbox_id = ${id} and returned = 1`.execute(world.db)
  await Promise.all(backs.map((back) => hand(world, '', back, deliveryReport())))
  assert.equal((await left()).length, 3)
  for (const back of backs) assert.equal(await hand(world, '', back, deliveryReport()), '550 5.7.1')
})

/** Each process has a clock of its own. */
async function advance(milliseconds: number): Promise<void> {
  for (const one of [world, ...others]) await one.advance(milliseconds)
}
