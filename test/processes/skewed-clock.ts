// Preloaded into a service with --import, it sets the process's own clock ahead by CLOCK_AHEAD_MS milliseconds, or behind.
const { now } = Date
const ahead = Number(process.env.CLOCK_AHEAD_MS)
Date.now = () => now() + ahead
globalThis.Date = new Proxy(Date, {
  construct: (target, given, as) => Reflect.construct(target, given.length > 0 ? given : [target.now()], as),
})
