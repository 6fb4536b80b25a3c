import type { App } from './app-type.ts'

/** The dependencies to check, by name. */
export type Checks = Readonly<Record<string, () => Promise<unknown>>>

const patienceMs = 2_000

/** `/healthz`: the process is alive. `/readyz`: all dependencies answer within two seconds. What is `told` beside them is shown, and does
 *  not decide: other processes have no better one, and most requests need none. */
export function healthRoutes(app: App, checks: Checks, told: Checks = {}): void {
  app.get('/healthz', { schema: { hide: true } }, () => ({ status: 'alive' }))
  app.get('/readyz', { schema: { hide: true } }, async (_request, reply) => {
    const results = await Promise.all(
      Object.entries({ ...checks, ...told }).map(async ([name, check]) => [name, await answers(check)] as const),
    )
    const ready = results.every(([name, answered]) => answered || name in told)
    const parts = results.map(([name, answered]) => [name, answered ? 'ok' : 'unavailable'])
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'unavailable', ...Object.fromEntries(parts) })
  })
}

async function answers(check: () => Promise<unknown>): Promise<boolean> {
  const timedOut = new Promise<false>((resolve) => setTimeout(resolve, patienceMs, false).unref())
  return await Promise.race([
    check()
      .then(() => true)
      .catch(() => false),
    timedOut,
  ])
}
