import { pino } from 'pino'
import { SystemClock } from '#/base/clock/system.ts'
import { type AppDependencies, buildApp } from './app.ts'

/** The OpenAPI document of all routes, without a service and its database: routes are registered, and none is asked. */
export async function describedRoutes(): Promise<object> {
  // All that is looked into before the first request.
  const parts: Partial<Record<keyof AppDependencies, unknown>> = {
    log: pino({ enabled: false }),
    clock: new SystemClock(),
    names: {},
    trustedProxies: [],
    webhooks: {},
  }
  const app = await buildApp(parts as unknown as AppDependencies)
  try {
    return app.swagger()
  } finally {
    await app.close()
  }
}
