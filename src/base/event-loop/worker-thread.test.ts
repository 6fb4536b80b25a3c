import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WorkerThread } from './worker-thread.ts'

function moduleOf(text: string): URL {
  const source = `import { serve } from '${new URL('worker-thread.ts', import.meta.url)}'; ${text}`
  return new URL(`data:text/javascript,${encodeURIComponent(source)}`)
}

test('work is done in another thread, each with its own result', async () => {
  await using thread = new WorkerThread<number, number>(moduleOf('serve((number) => ({ result: number * 2 }))'), 'test')
  assert.deepEqual(await Promise.all([1, 2, 3].map((number) => thread.run(number))), [2, 4, 6])
})

test('work that throws rejects, and the next runs', async () => {
  const text = `serve((number) => { if (number === 1) throw new RangeError('no ones'); return { result: number } })`
  await using thread = new WorkerThread<number, number>(moduleOf(text), 'test')
  await assert.rejects(thread.run(1), { name: 'RangeError', message: 'no ones' })
  assert.equal(await thread.run(2), 2)
})

test('work can ask its sender, and gets the answer', async () => {
  const text = `serve(async (name, ask) => ({ result: [await ask(name + 1), await ask(name + 2).catch(({ code }) => code)] }))`
  await using thread = new WorkerThread<string, string[]>(moduleOf(text), 'test')
  const answer = async (question: string) => {
    if (question.endsWith('2')) throw { code: 'ETIMEOUT' }
    return `${question}!`
  }
  const results = await Promise.all(['a', 'b'].map((name) => thread.run(name, answer)))
  assert.deepEqual(results.flat(), ['a1!', 'ETIMEOUT', 'b1!', 'ETIMEOUT'])
})

test('tasks of a thread that ends reject, and the next task starts another thread', async () => {
  const text = `serve((code) => { if (code) process.exit(code); return { result: 'done' } })`
  await using thread = new WorkerThread<number, string>(moduleOf(text), 'test')
  const [first, second] = await Promise.allSettled([thread.run(1), thread.run(0)])
  assert.equal(first.status, 'rejected')
  assert.equal(second.status, 'rejected')
  assert.equal(await thread.run(0), 'done')
})

test('a thread that hangs is ended, its tasks fail with the reason, and the next task starts another', async () => {
  const text = `serve((hang) => { while (hang); return { result: 'done' } })`
  await using thread = new WorkerThread<boolean, string>(moduleOf(text), 'test')
  const inHand = [thread.run(true), thread.run(false)].map((task) => assert.rejects(task, /too long/))
  await Promise.all([thread.end(new Error('It took too long')), ...inHand])
  assert.equal(await thread.run(false), 'done')
})
