import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { hand } from '#test/mail/letter.ts'
import { Sink } from '#test/sockets/sink.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'

const corpus = new URL('../corpus/dsn/', import.meta.url)
/** The bounce address in the samples. */
const bounceThere = 'ada+rgtr4s2mwq5k7bq3dkx2xw4n6v@here.example'

/** Samples that are no report of non-delivery. */
const others: Readonly<Record<string, readonly string[]>> = {
  complained: ['arf-full', 'arf-headers-only', 'arf-minimal', 'arf-yahoo'],
  delivered: [
    ...['exchange-2016-delay', 'exim-delay-warning', 'gmail-delay', 'gmail-delay-text', 'opensmtpd-mixed-delayed'],
    ...['opensmtpd-temporary', 'postfix-delayed'],
    ...['sendmail-warning', 'postfix-delivered', 'arf-auth-failure', 'arf-not-spam', 'challenge', 'dmarc-aggregate'],
    ...['forwarded-bounce', 'postmaster-writes', 'read-receipt', 'vacation'],
  ],
}

let sink: Sink
let world: World
let organization: TestOrganization
let address: string
before(async () => {
  sink = await Sink.start()
  world = await World.start({ sink })
  organization = await world.organization({ plan: 'self_hosted' })
  address = (await organization.mailbox('ada')).address
})
after(async () => {
  await world[Symbol.asyncDispose]()
  await sink[Symbol.asyncDispose]()
})

for (const file of readdirSync(corpus)) {
  const name = file.replace(/\.eml$/, '')
  const [expected = 'bounced'] = Object.entries(others).find(([, names]) => names.includes(name)) ?? []
  test(`a message to which ${name.replaceAll('-', ' ')} comes back is ${expected}`, async () => {
    const one = { from: address, to: `${name}@there.example`, subject: 'The plan', text: 'Hello' }
    const { body } = await organization.request('POST', '/v1/send', one)
    await world.outbound.processAll()
    const bounce = sink.taken.splice(0)[0]?.from ?? ''
    const sample = readFileSync(new URL(file, corpus), 'utf8').replaceAll(bounceThere, bounce)
    const message = sample.replaceAll(/\r?\n/g, '\r\n')
    const sender = name.startsWith('arf-') ? 'fbl@isp.example' : ''
    assert.equal(await hand(world, sender, bounce, message), '250 2.6.0')
    const [recipient] = (await organization.request('GET', `/v1/sent/${body.id}`)).body.recipients
    assert.equal(recipient.state, expected)
    if (expected !== 'bounced') return assert.equal(recipient.reply, '250 2.0.0 Taken')
    assert.match(recipient.code, /^5\.\d+\.\d+$|^4\.4\.\d+$/)
    assert.doesNotMatch(recipient.reply ?? '', /^250/)
  })
}
