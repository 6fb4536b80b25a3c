import { joined } from '#/base/event-loop/pieces.ts'
import {
  authenticationResultsField,
  type CheckResult,
  withoutForgedResults,
} from '#/formats/mime/authentication/authentication-results.ts'
import type { Verdict } from '#/formats/mime/authentication/verdict.ts'
import { type OwnId, ownIdField } from '#/formats/mime/header/own-ids.ts'
import { receivedField, returnPathField } from '#/formats/mime/header/trace.ts'
import type { Message } from '#/formats/mime/message.ts'
import { naming } from '#/formats/mime/read-message.ts'
import type { Envelope } from '#/smtp/protocol/envelope.ts'

/** The Authentication-Results field of a message. */
export function resultsField(hostname: string, { origin, sender }: Envelope, verdict: Verdict): string {
  return verdict.found ?? authenticationResultsField(hostname, resultsOf(verdict, origin?.helo, sender))
}

/** The message as it is stored, with trace fields (RFC 5321, section 4.4) and Authentication-Results (RFC 8601) in front.
 *  All mailboxes share these bytes, so they name no recipient if there are several. `own` is for the mailboxes of one organization. */
export async function withTrace(
  message: Message,
  hostname: string,
  envelope: Envelope,
  verdict: Verdict,
  own: readonly OwnId[] = [],
): Promise<Message> {
  const { sender, recipients } = envelope
  const [first, ...others] = new Set(recipients.map(({ recipient }) => recipient))
  const received = receivedBy(hostname, envelope, others.length === 0 ? first : undefined)
  const results = resultsField(hostname, envelope, verdict)
  const ours = Buffer.from(returnPathField(sender) + results + received + ownIdField(own))
  return {
    ...naming(message, own),
    raw: await joined([ours, ...(await withoutForgedResults(message.raw, message.headers, hostname))]),
  }
}

/** The Received field. */
export function receivedBy(hostname: string, envelope: Envelope, recipient: string | undefined): string {
  const { id, client, receivedAt } = envelope
  return receivedField({
    helo: client.helo,
    clientAddress: client.address,
    by: hostname,
    protocol: protocolOf(envelope),
    id,
    tls: client.tls,
    recipient,
    at: receivedAt,
  })
}

/** The protocol in `Received` (RFC 3848; RFC 6531, section 4.3). */
export function protocolOf({ client: { protocol, tls }, utf8 }: Pick<Envelope, 'client' | 'utf8'>): string {
  const spoken = utf8 ? (protocol === 'LMTP' ? 'UTF8LMTP' : 'UTF8SMTP') : protocol
  return tls && protocol !== 'SMTP' ? `${spoken}S` : spoken
}

function resultsOf({ spf, dkim, dmarc }: Verdict, helo: string | undefined, sender: string): CheckResult[] {
  const checked = spf.identity === 'mailfrom' ? { 'smtp.mailfrom': sender } : { 'smtp.helo': helo }
  return [
    { method: 'spf', result: spf.result, properties: checked },
    ...(dkim.length === 0 ? [{ method: 'dkim', result: 'none' }] : []),
    ...dkim.map(({ result, comment, domain, selector, signature }) => ({
      method: 'dkim',
      result,
      reason: comment || undefined,
      properties: { 'header.d': domain, 'header.s': selector, 'header.b': signature },
    })),
    {
      method: 'dmarc',
      result: dmarc.result,
      properties: { 'header.from': dmarc.domain, 'policy.dmarc': dmarc.policy },
    },
  ]
}
