import { readFile } from 'node:fs/promises'
import type { Logger } from 'pino'
import type { Config } from '#/config.ts'
import type { Db } from '#/db/schema.ts'
import { gather } from '#/gather.ts'
import type { MessageReader } from '#/mime/reader.ts'
import type { RelayMarkKey } from '#/mime/relay-mark.ts'
import type { OpenPgp } from '#/openpgp/openpgp.ts'
import type { Clock } from '#/ports/clock.ts'
import type { MailHost } from '#/ports/mail-host.ts'
import type { Resolver } from '#/ports/resolver.ts'
import { type Admission, admit } from './admit.ts'
import { authenticate } from './authenticate.ts'
import type { Limits } from './limits.ts'
import { type Blockable, findBlocks } from './queries.ts'
import { type Reception, receive } from './receive.ts'
import { SmtpListener } from './smtp.ts'
import { Store } from './store.ts'
import { troubleReply } from './trouble.ts'

/** What taking mail in stands on, through whichever door it comes. */
export interface ReceptionParts {
  readonly db: Db
  readonly mailHost: MailHost
  readonly reader: MessageReader
  readonly openPgp: OpenPgp
  readonly resolver: Resolver
  readonly followUps: Reception['followUps']
  readonly markKey: RelayMarkKey
  readonly config: Pick<Config, 'hostname'>
  readonly log: Logger
}

export function receptionFor({
  db,
  mailHost,
  reader,
  openPgp,
  resolver,
  config,
  log,
  ...parts
}: ReceptionParts): Reception {
  const blocksOf = gather(
    (messages: readonly Blockable[]) => findBlocks(db, messages),
    ({ length }) => Math.min(length, 100),
  )
  const { hostname } = config
  return {
    ...{ ...parts, db, blocksOf, store: new Store(db, mailHost), reader, openPgp, hostname, log },
    authenticate: (envelope, message, authors) =>
      authenticate({ resolver, reader, hostname }, envelope, message, authors),
  }
}

export interface InboundParts {
  readonly reception: Reception
  readonly admission: Admission
  readonly clock: Clock
  readonly config: Pick<Config, 'host' | 'smtpPort' | 'hostname' | 'tls'>
  readonly log: Logger
  /** Other than usual; for tests. */
  readonly limits?: Partial<Limits>
}

export interface Inbound extends AsyncDisposable {
  /** Where SMTP is listened for, which is any free port where the configuration says 0. */
  readonly port: number
}

/** Takes mail in over SMTP, until it is disposed: then what is in hand is finished, within seconds. */
export async function startInbound({
  reception,
  admission,
  clock,
  config,
  log,
  limits,
}: InboundParts): Promise<Inbound> {
  const { host, smtpPort, hostname, tls } = config
  const listener = new SmtpListener(
    { hostname, limits, tls: tls && { cert: await readFile(tls.cert), key: await readFile(tls.key) } },
    {
      admit: (sender, recipient) => admit(admission, sender, recipient),
      take: (envelope, bytes) => receive(reception, envelope, bytes),
      trouble: troubleReply,
    },
    clock,
    log,
  )
  await listener.listen(host, smtpPort)
  return { port: listener.port, [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose]() }
}
