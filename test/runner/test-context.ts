// Comes before node:test is loaded, which follows what each test begins by a hook of all asynchronous resources: the hook, and the collection of
// what it tracks, take a fourteenth of a run's CPU. Here node:test knows by the context of AsyncLocalStorage, which costs next to nothing, to which
// test a call or an error belongs.

import asyncHooks, { AsyncLocalStorage, AsyncResource, type HookCallbacks } from 'node:async_hooks'
import { createRequire } from 'node:module'

const running = new AsyncLocalStorage<number>()
let entered: HookCallbacks['init']

const { createHook, executionAsyncId } = asyncHooks
asyncHooks.createHook = ({ init }) => {
  entered = init
  const idle = { enable: () => idle, disable: () => idle }
  return idle
}
asyncHooks.executionAsyncId = () => running.getStore() ?? 0
createRequire(import.meta.url)('node:test')
Object.assign(asyncHooks, { createHook, executionAsyncId })

const { runInAsyncScope } = AsyncResource.prototype
AsyncResource.prototype.runInAsyncScope = function (
  this: AsyncResource & { readonly reportedType?: unknown },
  work: (...given: unknown[]) => unknown,
  that: unknown,
  ...given: unknown[]
) {
  // Tests, suites and what is done around them alone have it.
  if (this.reportedType === undefined) return runInAsyncScope.call(this, work, that, ...given)
  const id = this.asyncId()
  entered?.(id, 'Test', 0, this)
  return runInAsyncScope.call(this, () => running.run(id, () => Reflect.apply(work, that, given)))
} as typeof runInAsyncScope
