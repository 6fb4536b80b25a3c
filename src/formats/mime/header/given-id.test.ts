import assert from 'node:assert/strict'
import { test } from 'node:test'
import { givenId, mayBeGiven } from './given-id.ts'

const id = '0102019a3f5c7e21-1c2d3e4f-5a6b-4c7d-8e9f-a0b1c2d3e4f5-000000'
const ireland = 'email-smtp.eu-west-1.amazonaws.com'
const exchange = 'smtp.office365.com'
const theirs = '<PN3P01MB9@PN3P01MB9.INDP.PROD.OUTLOOK.COM>'

const ses = (region: string) => `<${id}@${region}.amazonses.com>`

for (const [what, host, reply, given] of [
  ['of Amazon SES', ireland, `250 Ok ${id}`, ses('eu-west-1')],
  ['of its oldest region', 'email-smtp.us-east-1.amazonaws.com', `250 Ok ${id}`, `<${id}@email.amazonses.com>`],
  ['of a host in capitals', ireland.toUpperCase(), `250 OK ${id}`, ses('eu-west-1')],
  ['by FIPS', 'email-smtp-fips.us-gov-west-1.amazonaws.com', `250 Ok ${id}`, ses('us-gov-west-1')],
  ['in a private network', 'vpce-1.email-smtp.eu-west-1.vpce.amazonaws.com', `250 Ok ${id}`, ses('eu-west-1')],
  ['of Exchange Online', exchange, `250 2.0.0 OK ${theirs} [Hostname=PN3P01MB9.INDP]`, theirs.toLowerCase()],
  [
    'of Exchange for a connector',
    'here.mail.protection.outlook.com',
    `250 2.6.0 ${theirs} [InternalId=71, Hostname=PN3P01MB9.INDP] 9127 bytes in 0.1, 80 KB/sec Queued mail for delivery`,
    theirs.toLowerCase(),
  ],
  ['of Exchange that kept ours', exchange, '250 2.0.0 OK <1@here.example> [Hostname=PN3P01MB9.INDP]', undefined],
  ['in the form of SES by another host', 'relay.example', `250 Ok ${id}`, undefined],
  ['of a host that ends as SES’s', 'email-smtp.eu-west-1.amazonaws.com.evil.example', `250 Ok ${id}`, undefined],
  ['of a host without a region', 'email-smtp.amazonaws.com', `250 Ok ${id}`, undefined],
  ['of SES without an id', ireland, '250 Ok', undefined],
  ['of SES with another id', ireland, '250 Ok 1@victim.example', undefined],
  ['of SES with words behind the id', ireland, `250 Ok ${id} <1@victim.example>`, undefined],
  ['of SES with an id across a control character', ireland, `250 Ok \\u{0}${id}`, undefined],
  ['of Postfix', 'relay.example', '250 2.0.0 Ok: queued as 4XyZ0g1Wz9z1', undefined],
  ['of Exim', 'relay.example', '250 OK id=1tFq2x-0000000Abc-1Def', undefined],
  ['that names an id and no server', exchange, `250 2.0.0 OK ${theirs}`, undefined],
  ['that names an address', 'relay.example', '250 2.0.0 OK <bob@there.example> [Hostname=relay]', undefined],
  ['with an id of ids', exchange, `250 2.0.0 OK <1@x>${theirs} [Hostname=PN3P01MB9.INDP]`, undefined],
  ['with a long id', exchange, `250 2.0.0 OK <${'a'.repeat(250)}@x.prod.outlook.com> [Hostname=x]`, undefined],
  ['that was cut off within its id', exchange, `250 2.0.0 OK <${'a'.repeat(483)}…`, undefined],
  ['that is none', ireland, '', undefined],
] as const)
  test(`the reply ${what} gives ${given ?? 'no id'}`, () => {
    assert.equal(givenId(host, reply), given)
    if (given) assert.ok(mayBeGiven(given))
  })

test('an id of which no relay tells is not looked up', () => {
  assert.ok(mayBeGiven(theirs))
  for (const other of ['<1@here.example>', '<1@amazonses.com.example>', '<1@outlook.com>', '', `<${'a'.repeat(9_999)}`])
    assert.ok(!mayBeGiven(other), other)
})
