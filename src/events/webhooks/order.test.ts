import assert from 'node:assert/strict'
import { test } from 'node:test'
import { InOrder, type Left } from './order.ts'

/** Work that ends when it is told to. */
class Work {
  readonly #ends = new Map<string, (left: Left) => void>()
  readonly begun: string[] = []
  readonly #order = new InOrder()

  /** `1/a` is part `a` of scope `1`, `1` the whole scope. */
  add(...names: string[]): this {
    for (const name of names) {
      const [place = '', number = ''] = name.split(' ')
      const [scope = '', part = null] = place.split('/')
      void this.#order.add({ scope, part }, (before) => {
        if (before) return Promise.resolve(before)
        this.begun.push(name)
        return new Promise((resolve) => this.#ends.set(`${place} ${number}`, resolve))
      })
    }
    return this
  }

  async end(name: string, left?: Date): Promise<void> {
    this.#ends.get(name)?.(left)
    await settle()
  }
}

const settle = () => new Promise((resolve) => setImmediate(resolve))

test('work of one sequence runs in order, that of others concurrently', async () => {
  const work = new Work().add('1/a 1', '1/a 2', '1/b 1', '2/a 1')
  await settle()
  assert.deepEqual(work.begun, ['1/a 1', '1/b 1', '2/a 1'])
  await work.end('1/a 1')
  assert.deepEqual(work.begun.at(-1), '1/a 2')
})

test('what is of a whole scope waits for all of it, and all of it for that', async () => {
  const work = new Work().add('1/a 1', '1/b 1', '1 1', '1/a 2', '2 1')
  await settle()
  assert.deepEqual(work.begun, ['1/a 1', '1/b 1', '2 1'])
  await work.end('1/a 1')
  assert.deepEqual(work.begun.length, 3)
  await work.end('1/b 1')
  assert.deepEqual(work.begun.at(-1), '1 1')
  await work.end('1 1')
  assert.deepEqual(work.begun.at(-1), '1/a 2')
})

test('what follows work that was left is left as long, and no other', async () => {
  const work = new Work().add('1/a 1', '1/a 2', '1/b 1', '1 1', '1/b 2')
  await settle()
  await work.end('1/a 1', new Date())
  await work.end('1/b 1')
  assert.deepEqual(work.begun, ['1/a 1', '1/b 1'])
})
