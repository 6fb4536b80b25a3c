import assert from 'node:assert/strict'
import type { Furnished } from '#test/world/organization/furnished.ts'
import type { Operation } from '#test/world/sockets/http-client.ts'
import type { World } from '#test/world/world.ts'
import { memberSamples } from './member-samples.ts'
import { memberRules, rules } from './rules.ts'
import { type Sample, samples } from './samples.ts'

/** The operations that a key may call, from the API's description, each with its sample: none can be
 *  forgotten. */
export function everyOperation(world: World) {
  return operationsOf(world, { samples, rules, forKeys: true })
}

/** Those that are for members alone. */
export function memberOperations(world: World) {
  return operationsOf(world, { samples: memberSamples, rules: memberRules, forKeys: false })
}

interface Tables<R> {
  readonly samples: Readonly<Record<string, Sample>>
  readonly rules: Readonly<Record<string, R>>
  readonly forKeys: boolean
}

async function operationsOf<R>(world: World, { samples, rules, forKeys }: Tables<R>) {
  const { paths } = await world.client.description()
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      if (operation.security.some((one) => 'key' in one) !== forKeys || isStream(operation)) return []
      const name = `${method.toUpperCase()} ${path}`
      const sample = samples[name]
      const rule = rules[name]
      assert.ok(
        sample,
        `${name} has a sample in ${forKeys ? 'test/world/routes/samples.ts' : 'test/world/routes/member-samples.ts'}`,
      )
      assert.ok(rule, `${name} has a row in test/world/routes/rules.ts: who may do it`)
      return {
        name,
        method: method.toUpperCase(),
        path,
        operation,
        sample,
        rule,
        scopes: [operation['x-required-scope']].flat(),
        permission: operation['x-required-permission'],
      }
    }),
  )
  for (const table of [samples, rules])
    assert.deepEqual(operations.map(({ name }) => name).sort(), Object.keys(table).sort())
  return operations
}

/** Without an end, so that no table waits for it: test/events/streams.test.ts has its own. */
export function isStream({ responses }: Operation): boolean {
  return responses['200']?.content?.['text/event-stream'] !== undefined
}

/** Orders operations so that each finds everything it needs, without a new organization for each. */
export function removingLast<T extends { readonly name: string }>(operations: readonly T[]): T[] {
  const removes = ({ name }: T) => (name === 'DELETE /v1/mailboxes/{address}' ? 2 : name.startsWith('DELETE') ? 1 : 0)
  return operations.toSorted((a, b) => removes(a) - removes(b))
}

/** The path of a sample, about one organization's things, with another id in the place of the named item's. */
export function pathOf(path: string, { item, query }: Sample, one: Furnished, otherId?: string): string {
  const filled = path
    .replace('{uid}', item === 'message' ? (otherId ?? one.ids.message) : one.ids.message)
    .replace('{member_id}', one.ids.member)
    .replace('{index}', '0')
    .replace(/\{(?:id|address|path|keyword)\}/, encodeURIComponent(otherId ?? (item ? one.ids[item] : '')))
  return filled + (query?.(one) ?? '')
}
