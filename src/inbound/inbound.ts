import type { Logger } from 'pino'
import type { Config, Listening } from '#/config/config.ts'
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
import { Certificate } from './certificate.ts'
import type { Envelope } from './envelope.ts'
import type { MailTaker } from './host.ts'
import { LIMITS } from './limits.ts'
import { PolicyListener } from './policy.ts'
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
  readonly config: Pick<Config, 'host' | 'smtpPort' | 'lmtp' | 'policy' | 'hostname' | 'tls'>
  readonly log: Logger
  /** Puts something between a message and the decision about it. */
  readonly measured?: ((taker: MailTaker) => MailTaker) | undefined
}

/** Where it is listened, which is any free port where the configuration says 0. */
export interface Inbound extends AsyncDisposable {
  readonly smtp: Listening
  readonly lmtp: Listening | undefined
  readonly policy: Listening | undefined
}

/** Takes mail in over SMTP, and LMTP where it is wanted, until it is disposed: then what is in hand is finished, within
 *  seconds. */
export async function startInbound({
  reception,
  admission,
  clock,
  config,
  log,
  measured = (taker) => taker,
}: InboundParts): Promise<Inbound> {
  const { host, smtpPort, hostname } = config
  const taker = measured({
    admit: (sender: string, recipient: string) => admit(admission, sender, recipient),
    take: (envelope: Envelope, bytes: Buffer) => receive(reception, envelope, bytes),
    trouble: troubleReply,
  })
  const tls = config.tls && (await Certificate.open(config.tls, clock, log))
  await using starting = new AsyncDisposableStack()
  const open = async (listener: Listener, at: Listening): Promise<Listening> => {
    await starting.use(listener).listen(at.host, at.port)
    return { host: at.host, port: listener.port }
  }
  const smtp = await open(new SmtpListener({ hostname, tls }, taker, clock, log), { host, port: smtpPort })
  // Servers of ours: nothing is gained by keeping them waiting, and one of them may bring all mail there is.
  const trusted = { greetingDelay: 0, connectionsPerClient: LIMITS.connections }
  const lmtp =
    config.lmtp &&
    (await open(new SmtpListener({ protocol: 'LMTP', hostname, limits: trusted, tls }, taker, clock, log), config.lmtp))
  const policy = config.policy && (await open(new PolicyListener(taker, log), config.policy))
  const started = starting.move()
  return { smtp, lmtp, policy, [Symbol.asyncDispose]: () => started.disposeAsync() }
}

type Listener = SmtpListener | PolicyListener
