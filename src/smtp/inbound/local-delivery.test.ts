import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '#/base/clock/manual.ts'
import type { LocalDelivery } from '#/out/delivery/local.ts'
import { LocalMailTransport } from './local-delivery.ts'
import type { Reception } from './reception.ts'
import type { Admission } from './recipients/admit.ts'
import type { RecipientRow } from './recipients/queries.ts'

const box: RecipientRow = {
  ...{ mailbox_id: 'm', organization_id: 'o', member_id: null, private: false },
  ...{ suspended: false, full: false, blocked: false, follows: false },
}

/** What becomes of a message whose recipient nobody admits, by what the database says of the address. */
async function outcomeFor(find: Admission['find'], recipient = 'bob@here.example') {
  const admission: Admission = {
    ...{ hostname: 'mx.here.example', find },
    ...{ postmaster: async () => undefined, returnPath: async () => undefined },
  }
  const transport = new LocalMailTransport({} as Reception, admission, new ManualClock(new Date()))
  const read = () => assert.fail('a message for nobody is not read')
  const delivery = { sender: 'ann@here.example', recipients: [recipient], content: read, beforeEndOfData: read }
  const [outcome] = await transport.deliver(delivery as unknown as LocalDelivery)
  return [outcome?.result, outcome?.status]
}

for (const [what, found, expected] of [
  ['an address that nobody has', { ...box, mailbox_id: null }, ['refused', '5.1.1']],
  ['a mailbox that is suspended', { ...box, suspended: true }, ['refused', '5.2.1']],
  ['a mailbox that has blocked the sender', { ...box, blocked: true }, ['refused', '5.7.1']],
  ['a mailbox that is full', { ...box, full: true }, ['deferred', '4.2.2']],
  ['a domain that is no longer here', undefined, ['refused', '5.7.1']],
] as const)
  test(`mail from here to ${what} is ${expected[0]}`, async () =>
    assert.deepEqual(await outcomeFor(async () => found), expected))

test('local mail is deferred if the database does not answer', async () => {
  const away = Object.assign(new Error('no connection'), { code: 'ECONNREFUSED' })
  assert.deepEqual(await outcomeFor(() => Promise.reject(away)), ['deferred', '4.3.0'])
})

for (const [recipient, patterns] of [
  ['bob@here.example', ['ann@here.example', '@here.example']],
  ['postmaster@here.example', []],
  ['abuse+x@here.example', []],
] as const)
  test(`for ${recipient} ${patterns.length > 0 ? 'it is asked whether' : 'it does not matter that'} the sender is blocked`, async () => {
    let asked: readonly string[] | undefined
    await outcomeFor(async (wanted) => {
      asked = wanted.patterns
      return undefined
    }, recipient)
    assert.deepEqual(asked?.toSorted(), patterns.toSorted())
  })
