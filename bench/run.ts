// npm run bench -- http|arrival|threads|filters|holds|send|sign|scheduled|scale|postfix|memory|search|indexing|runs|webhooks|backlog|events|log|web|imap|all [SIZE]:
// what bench/README.md is made of. On the embedded database, or on the server that BENCH_DATABASE_URL names.
import { table } from './report.ts'

const benches = {
  http: async (requests?: number) => (await import('./http.ts')).http({ ...(requests && { requests }) }),
  arrival: async (messages?: number) => (await import('./arrival.ts')).arrival({ ...(messages && { messages }) }),
  threads: async (messages?: number) => (await import('./threads.ts')).threads({ ...(messages && { messages }) }),
  holds: async (messages?: number) => (await import('./holds.ts')).holds({ ...(messages && { messages }) }),
  send: async (rounds?: number) => (await import('./send.ts')).send({ ...(rounds && { rounds }) }),
  sign: async (messages?: number) => (await import('./sign.ts')).sign({ ...(messages && { messages }) }),
  scheduled: async (messages?: number) => (await import('./scheduled.ts')).scheduled({ ...(messages && { messages }) }),
  scale: async (requests?: number) => (await import('./scale.ts')).scale({ ...(requests && { requests }) }),
  imap: async (messages?: number) => (await import('./imap.ts')).imap({ ...(messages && { messages }) }),
  postfix: async (messages?: number) => (await import('./postfix.ts')).postfix({ ...(messages && { messages }) }),
  memory: async (messages?: number) => (await import('./memory.ts')).memory({ ...(messages && { messages }) }),
  search: async (messages?: number) => (await import('./search.ts')).search({ ...(messages && { messages }) }),
  indexing: async (messages?: number) => (await import('./indexing.ts')).indexing({ ...(messages && { messages }) }),
  runs: async (messages?: number) => (await import('./filter-runs.ts')).filterRuns({ ...(messages && { messages }) }),
  web: async (messages?: number) => (await import('./web.ts')).web({ ...(messages && { messages }) }),
  webhooks: async (events?: number) => (await import('./webhooks.ts')).webhooks({ ...(events && { events }) }),
  backlog: async (events?: number) => (await import('./backlog.ts')).backlog({ ...(events && { events }) }),
  events: async (seconds?: number) => (await import('./events.ts')).events({ ...(seconds && { seconds }) }),
  log: async (messages?: number) => (await import('./log.ts')).log({ ...(messages && { messages }) }),
  filters: async (count?: number) => (await import('./filters.ts')).filters({ ...(count && { count }) }),
}

const { BENCH_DATABASE_URL: server } = process.env
if (server !== undefined) process.env.TEST_DATABASE_URL = server
const [, , name = '', size] = process.argv
const chosen = Object.entries(benches).filter(([bench]) => name === 'all' || name === bench)
if (chosen.length === 0) throw new Error(`npm run bench -- ${Object.keys(benches).join('|')}|all [SIZE]`)
for (const [bench, run] of chosen) {
  const rows = await run(size === undefined ? undefined : Number(size))
  process.stdout.write(
    table(bench, rows, ['scale', 'events', 'backlog'].includes(bench) ? 'a PostgreSQL server' : undefined),
  )
}
