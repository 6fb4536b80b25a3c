import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { Scope } from '#/http/access/scopes.ts'
import { privateMailbox } from '#test/world/mail/private-mailbox.ts'
import { assertUnchanged } from '#test/world/organization/every-row.ts'
import { type Furnished, furnish } from '#test/world/organization/furnished.ts'
import { withOwnThings } from '#test/world/organization/personal-items.ts'
import { everyCall } from '#test/world/routes/every-call.ts'
import { everyOperation, pathOf, removingLast } from '#test/world/routes/every-route.ts'
import { ownSamples } from '#test/world/routes/samples.ts'
import type { Answer } from '#test/world/sockets/http-client.ts'
import { World } from '#test/world/world.ts'

const world = await World.ofFile()

/** The body of an error without what differs from request to request. */
function bodyOf({ body }: Answer): unknown {
  const { request_id, ...error } = body.error
  assert.match(request_id, /^req_/)
  return error
}

test('every route × whose id it is: only the organization’s own exists, and all others answer alike', async () => {
  const [mine, other] = [await furnish(world), await furnish(world)]
  const [{ ids: ours }, { ids: personal }] = [
    await withOwnThings(mine.organization),
    await withOwnThings(other.organization),
  ]
  for (const { name, path, sample, ask, about } of removingLast(await everyCall(world, mine))) {
    // Every mailbox has a trash, which nobody else's names; the next test asks for that of another's mailbox. Items of members are asked for
    // in personal-items.test.ts.
    if (!path.includes('{') || !sample.item || sample.item === 'trash' || name in ownSamples) continue
    const body = sample.body?.(about)
    const isUid = sample.item === 'message' || sample.item === 'attachment' || sample.item === 'thread'
    const strangers = [
      ...(isUid ? [] : [other.ids[sample.item]]),
      ...(sample.item in ours ? [ours[sample.item as 'label'], personal[sample.item as 'label']] : []),
      ...(sample.item === 'thread' ? [other.ids.thread] : []),
      randomUUID(),
      'not-a-uuid',
      '0',
      '999999',
    ]
    const answers = await Promise.all(strangers.map((id) => ask(pathOf(path, sample, about, id), body)))
    for (const [index, answer] of answers.entries()) {
      assert.equal(answer.status, 404, `${name} with ${strangers[index]}`)
      assert.deepEqual(bodyOf(answer), bodyOf(answers[0] as Answer), name)
    }
    const own = await ask(pathOf(path, sample, about), body)
    assert.equal(own.status, sample.status ?? 200, `${name} with its own id: ${JSON.stringify(own.body)}`)
  }
})

test('every route that names a mailbox in its query or body: another organization’s is as one that never was', async () => {
  const [mine, other] = [await furnish(world), await furnish(world)]
  const nobody = `nobody@${mine.organization.domain}`
  for (const { name, path, sample, ask } of await everyCall(world, mine)) {
    const named = ({ address }: { readonly address: string }) => {
      const about = { ...mine, address }
      return { target: pathOf(path, sample, about), body: JSON.stringify(sample.body?.(about)) }
    }
    const usual = named(mine)
    if (name in ownSamples || !`${usual.target.split('?')[1]}${usual.body}`.includes(mine.address)) continue
    const answers = [other.address, nobody].map(async (address) => {
      const { target, body } = named({ address })
      const answer = await ask(target, body)
      const error = answer.body.error ?? answer.body.data[0].error
      return JSON.stringify({ ...error, request_id: undefined, status: answer.status }).replaceAll(address, 'it')
    })
    const [stranger, none] = await Promise.all(answers)
    assert.equal(stranger, none, name)
    assert.match(none ?? '', /"code":"(?:not_found|invalid_request)"/, name)
  }
})

test('every route that names a mailbox in its query: a Private one has no mail to read or change', async () => {
  const mine = await furnish(world)
  const { address } = await privateMailbox(mine.organization, 'secret')
  for (const { name, path, sample, ask } of await everyCall(world, mine)) {
    if (!sample.query || name === 'GET /v1/forwarding' || name in ownSamples) continue
    const about = { ...mine, address }
    const { status, body } = await ask(pathOf(path, sample, about), sample.body?.(mine))
    assert.deepEqual([status, body.error?.code, body.error?.field], [400, 'invalid_request', 'mailbox'], name)
  }
})

test('every route × every single scope: the documented one opens it, any other changes nothing', async () => {
  const operations = await everyOperation(world)
  const scopes = [...new Set(operations.flatMap((operation) => operation.scopes))] as Scope[]
  const [one, other] = [await furnish(world), await furnish(world)]
  const keys = new Map(
    await Promise.all(scopes.map(async (scope) => [scope, await one.organization.newKey(scope)] as const)),
  )
  await assertUnchanged(one.organization, async () => {
    for (const { name, method, path, sample, scopes: opening } of removingLast(operations)) {
      const ask = (about: Furnished, key = '') =>
        about.organization.request(method, pathOf(path, sample, about), sample.body?.(about), { key })
      for (const scope of scopes.filter((scope) => !opening.includes(scope))) {
        const answer = await ask(one, keys.get(scope))
        assert.equal(answer.status, 403, `${name} with ${scope}`)
        assert.equal(answer.body.error.code, 'forbidden')
        for (const wanted of opening)
          assert.ok(answer.body.error.message.includes(wanted), `${name} says ${wanted} is missing`)
      }
      for (const [index, scope] of (opening as Scope[]).entries()) {
        // What may change something is asked of another, and a second time of one who has everything still.
        const about = method === 'GET' ? one : index === 0 ? other : await furnish(world)
        const key = about === one ? keys.get(scope) : await about.organization.newKey(scope)
        const answer = await ask(about, key)
        assert.equal(answer.status, sample.status ?? 200, `${name} with ${scope}: ${JSON.stringify(answer.body)}`)
      }
    }
  })
})
