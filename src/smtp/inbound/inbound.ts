import type { Logger } from 'pino'
import type { Clock } from '#/base/clock/clock.ts'
import type { Db } from '#/base/db/schema.ts'
import { batched } from '#/base/event-loop/batching.ts'
import type { Listening, TlsFiles } from '#/base/network/listening.ts'
import type { Resolver } from '#/base/network/resolver.ts'
import type { RelayMarkKey } from '#/formats/mime/authentication/relay-mark.ts'
import type { IdHashKey } from '#/formats/mime/id-hash.ts'
import type { MessageReader } from '#/formats/mime/reader.ts'
import type { OpenPgp } from '#/formats/openpgp/openpgp.ts'
import type { BounceAddresses } from '#/out/sent/bounce-address.ts'
import { Certificate } from '#/smtp/connection/certificate.ts'
import { LIMITS } from '#/smtp/connection/limits.ts'
import type { Envelope } from '#/smtp/protocol/envelope.ts'
import type { MailHandler } from '#/smtp/protocol/mail-handler.ts'
import { SmtpListener } from '#/smtp/protocol/smtp-listener.ts'
import { ArrivalWriter } from './arrival/arrival-writer.ts'
import { authenticate } from './authentication/authenticate.ts'
import { PolicyListener } from './policy-listener.ts'
import { receive } from './receive.ts'
import type { Reception } from './reception.ts'
import { type Admission, admit } from './recipients/admit.ts'
import { type Blockable, findBlocks } from './recipients/queries.ts'
import { RefusedMail } from './recipients/refused-mail.ts'

/** The dependencies of receiving mail, over SMTP, LMTP or locally. */
export interface ReceptionDependencies {
  readonly db: Db
  readonly idKey: IdHashKey
  readonly reader: MessageReader
  readonly openPgp: OpenPgp
  readonly resolver: Resolver
  readonly followUps: Reception['followUps']
  readonly markKey: RelayMarkKey
  readonly bounceAddresses: BounceAddresses
  readonly config: { readonly hostname: string }
  readonly log: Logger
}

export function receptionFor({
  db,
  idKey,
  reader,
  openPgp,
  resolver,
  config,
  log,
  ...parts
}: ReceptionDependencies): Reception {
  const blocksOf = batched(
    (messages: readonly Blockable[]) => findBlocks(db, messages),
    ({ length }) => Math.min(length, 100),
  )
  const { hostname } = config
  return {
    ...{ ...parts, db, blocksOf, store: new ArrivalWriter(db, idKey), reader, openPgp, hostname, log },
    authenticate: (envelope, message, authors) =>
      authenticate({ resolver, reader, hostname }, envelope, message, authors),
  }
}

export interface InboundSettings {
  readonly smtp: Listening
  readonly lmtp: Listening | undefined
  readonly policy: Listening | undefined
  readonly hostname: string
  readonly tls: TlsFiles | undefined
}

export interface InboundDependencies {
  readonly reception: Reception
  readonly admission: Admission
  readonly clock: Clock
  readonly config: InboundSettings
  readonly log: Logger
  /** Wraps the handler, for metrics and traces. */
  readonly measured?: ((handler: MailHandler) => MailHandler) | undefined
}

/** The addresses listened on, with the real port where the configuration has 0. */
export interface Inbound extends AsyncDisposable {
  readonly smtp: Listening
  readonly lmtp: Listening | undefined
  readonly policy: Listening | undefined
}

/** Listens for mail over SMTP, and LMTP if configured. Disposing finishes current work within seconds. */
export async function startInbound({
  reception,
  admission,
  clock,
  config,
  log,
  measured = (handler) => handler,
}: InboundDependencies): Promise<Inbound> {
  const { hostname } = config
  await using starting = new AsyncDisposableStack()
  const refused = starting.use(new RefusedMail({ db: reception.db, log, clock }))
  const handler = measured(
    refused.recorded({
      admit: (sender: string, recipient: string) => admit(admission, sender, recipient),
      receive: (envelope: Envelope, bytes: Buffer) => receive(reception, envelope, bytes),
    }),
  )
  const tls = config.tls && (await Certificate.open(config.tls, clock, log))
  const open = async (listener: Listener, at: Listening): Promise<Listening> => {
    await starting.use(listener).listen(at.host, at.port)
    return { host: at.host, port: listener.port }
  }
  const smtp = await open(new SmtpListener({ hostname, tls }, handler, clock, log), config.smtp)
  // Trusted servers: no greeting delay, and one client may use all connections.
  const trusted = { greetingDelay: 0, connectionsPerClient: LIMITS.connections }
  const lmtp =
    config.lmtp &&
    (await open(
      new SmtpListener({ protocol: 'LMTP', hostname, limits: trusted, tls }, handler, clock, log),
      config.lmtp,
    ))
  const policy = config.policy && (await open(new PolicyListener(handler, log), config.policy))
  const started = starting.move()
  return { smtp, lmtp, policy, [Symbol.asyncDispose]: () => started.disposeAsync() }
}

type Listener = SmtpListener | PolicyListener
