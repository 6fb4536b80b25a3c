/** A part of the source, and the tests that are to catch its mutants. */
export interface Area {
  readonly source: readonly string[]
  readonly tests: readonly string[]
}

/** Besides the tests beside the sources: those of whole journeys that are about the area. What others catch by the way is luck. */
export const areas: Readonly<Record<string, Area>> = {
  filters: area(
    'rules/filters',
    'src/mail/labels/hygiene',
    'test/rules/blocks-and-filters',
    'test/{http/{description,errors},people/personal-items}',
    'test/faults/**/filter-run-kill',
  ),
  threads: area('mail/threads', 'test/{http/description,mail/message-fields}'),
  http: area(
    'http',
    'test/http/{behind-proxy,broken-requests,cross-site,cursors,description,errors,idempotency,rate-limit}',
    'test/people/{authorization,keys-and-isolation,restricted-key-rules,restricted-keys,roles}',
    'test/app/tracing',
    'test/faults/**/unfinished-bodies',
  ),
  smtp: area(
    'smtp',
    'test/smtp/*',
    'test/events/{refused,returned}',
    'test/rules/{blocks-and-filters,forwarding}',
    'test/{http/errors,app/command-line,out/{sent-at-once,unless-replied}}',
    'test/faults/**/clocks',
  ),
  scheduled: area(
    'out/scheduled',
    'test/events/every-type',
    'test/{http/{cursors,description,errors},people/{roles,shared-mailboxes}}',
    'test/out/{attempts,scheduled,together,unless-replied}',
    'test/faults/**/{scheduled,sent}-*',
  ),
  leases: {
    source: ['src/base/db/{leases,lease-holder}.ts'],
    tests: ['test/base/leases/*.test.ts', 'src/**/leases*.test.ts', 'src/out/queue/*.test.ts'],
  },
  queue: area(
    'out/queue',
    'src/{app/cli/commands/queue,out/delivery/*}',
    'test/{base/leases/*,events/every-type,smtp/after-250}',
    'test/out/{attempts,scheduled,sending,together,unless-replied}',
    'test/faults/**/{kill,letter-kill,scheduled-*,sent-*}',
  ),
  delivery: area(
    '{out/delivery,out/compose,out/follow-ups,out/reports}',
    'test/{events/every-type,smtp/{forwarded-proof,returned-reports,submission},rules/{auto-reply,forwarding}}',
    'test/{out/*,people/mailed-links}',
    'test/faults/**/{kill,letter-kill,stopped,scheduled-*,sent-*}',
  ),
  sending: area(
    'out/sending',
    'test/{people/restricted-key-rules,http/{description,errors},app/plans,smtp/submission}',
    'test/out/{attempts,batch,header-fields,scheduled,sending*,sent-at-once,together,unless-replied}',
  ),
  messages: area(
    'mail/{messages,folders}',
    'test/{http/{cursors,description,errors},out/drafts,smtp/hostile-mail}',
    'test/{people,mail}/*',
  ),
  search: area('mail/search', 'test/mail/search/*', 'test/http/{cursors,description,errors}'),
  changes: area('mail/changes', 'test/{http/{cursors,description,errors},people/roles,faults/cut/changes}'),
  sessions: area(
    'people/sessions',
    'test/people/{authorization,crowded-passwords,guessed-passwords,mailed-links,passwords,roles,single-sign-on}',
    'test/http/{cross-site,description,errors}',
  ),
  webhooks: area('events/webhooks', 'test/events/webhooks/*', 'test/http/{cursors,description,errors}'),
}

function area(folder: string, ...tests: readonly string[]): Area {
  return {
    source: [`src/${folder}/**/*.ts`],
    tests: [`src/${folder}/**/*.test.ts`, ...tests.map((pattern) => `${pattern}.test.ts`)],
  }
}
