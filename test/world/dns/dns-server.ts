import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import packet, { type Answer, type Packet, type RecordType } from 'dns-packet'
import ipaddr from 'ipaddr.js'
import type { ZoneRecords } from '#/base/network/resolver.ts'

export interface DnsServer extends AsyncDisposable {
  /** As MAILROOM_DNS_SERVERS takes it. */
  readonly address: string
}

/** A name server on a port of its own (RFC 1035), which answers from a zone as a recursive one would. What is too large
 *  for a datagram is cut off there, and answered in full over TCP. */
export async function startDnsServer(zone: Readonly<Record<string, ZoneRecords>>): Promise<DnsServer> {
  const connections = new Set<Socket>()
  const tcp = answerOverTcp(zone, connections)
  tcp.listen(0, '127.0.0.1')
  await once(tcp, 'listening')
  const bound = tcp.address()
  if (bound === null || typeof bound === 'string') throw new Error('a TCP server has a port')
  const socket = createSocket('udp4')
  socket.on('message', (query, { address, port }) => {
    const answer = answerTo(packet.decode(query), zone)
    if (!answer) return
    const whole = packet.encode(answer)
    socket.send(whole.length > LARGEST_DATAGRAM ? packet.encode(truncated(answer)) : whole, port, address)
  })
  socket.bind(bound.port, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${bound.port}`,
    async [Symbol.asyncDispose]() {
      socket.close()
      tcp.close()
      for (const connection of connections) connection.destroy()
      await Promise.all([once(socket, 'close'), once(tcp, 'close')])
    },
  }
}

/** A length precedes each message (RFC 1035, section 4.2.2). */
function answerOverTcp(zone: Readonly<Record<string, ZoneRecords>>, connections: Set<Socket>): Server {
  return createServer((connection) => {
    connections.add(connection)
    connection.on('close', () => connections.delete(connection))
    let pending = Buffer.alloc(0)
    connection.on('error', () => {})
    connection.on('data', (chunk) => {
      pending = Buffer.concat([pending, chunk])
      while (pending.length >= 2 && pending.length >= 2 + pending.readUInt16BE(0)) {
        const end = 2 + pending.readUInt16BE(0)
        const answer = answerTo(packet.decode(pending.subarray(2, end)), zone)
        pending = pending.subarray(end)
        if (answer) connection.write(packet.streamEncode(answer))
      }
    })
  })
}

/** Commonly agreed on, so that no datagram is fragmented. */
const LARGEST_DATAGRAM = 1_232
/** The most that a length of two octets allows, less the header and the names. */
const LARGEST_MESSAGE = 64_000

/** Without records, and with the flag that says to ask again over TCP. */
function truncated({ answers: _, flags = 0, ...answer }: Packet): Packet {
  return { ...answer, flags: flags | packet.TRUNCATED_RESPONSE }
}

const SERVFAIL = 2
const NXDOMAIN = 3

/** Undefined if the zone lets the lookup time out. */
function answerTo({ id, questions = [] }: Packet, zone: Readonly<Record<string, ZoneRecords>>): Packet | undefined {
  const { type = 'A', name: asked = '' } = questions[0] ?? {}
  const answers: Answer[] = []
  let name = asked.toLowerCase()
  let found = recordsAt(zone, name)
  for (let n = 0; n < 16 && found?.cname !== undefined && type !== 'CNAME'; n++) {
    answers.push({ type: 'CNAME', name, data: found.cname })
    name = found.cname.toLowerCase()
    found = recordsAt(zone, name)
  }
  if (found?.fails === 'timeout') return undefined
  answers.push(...answersOf(name, found ?? {}, type))
  const loops = found?.cname !== undefined && type !== 'CNAME'
  const fails = found?.fails === 'servfail' || loops || packet.encodingLength({ answers }) > LARGEST_MESSAGE
  const code = fails ? SERVFAIL : found ? 0 : NXDOMAIN
  const flags = packet.RECURSION_DESIRED | packet.RECURSION_AVAILABLE | code
  return { type: 'response', id: id ?? 0, flags, questions, answers: fails ? [] : answers }
}

/** The zone has plain addresses, the DNS reversed ones. */
function recordsAt(zone: Readonly<Record<string, ZoneRecords>>, name: string): ZoneRecords | undefined {
  const labels = name.split('.').reverse().slice(2)
  if (name.endsWith('.in-addr.arpa')) return zone[labels.join('.')]
  // A name above others exists (RFC 8020).
  if (!name.endsWith('.ip6.arpa'))
    return zone[name] ?? (Object.keys(zone).some((key) => key.endsWith(`.${name}`)) ? {} : undefined)
  const address = ipaddr.fromByteArray([...Buffer.from(labels.join(''), 'hex')]).toString()
  return zone[Object.keys(zone).find((key) => ipaddr.isValid(key) && ipaddr.parse(key).toString() === address) ?? '']
}

function answersOf(name: string, found: ZoneRecords, type: RecordType): Answer[] {
  switch (type) {
    case 'A':
    case 'AAAA':
      return (found[type === 'A' ? 'a' : 'aaaa'] ?? []).map((data) => ({ type, name, data }))
    case 'CNAME':
      return found.cname === undefined ? [] : [{ type, name, data: found.cname }]
    case 'PTR':
      return (found.ptr ?? []).map((data) => ({ type, name, data }))
    case 'MX':
      return (found.mx ?? []).map(({ priority: preference, exchange }) => ({
        type,
        name,
        data: { preference, exchange },
      }))
    case 'TXT':
      return (found.txt ?? []).map((text) => ({ type, name, data: characterStrings(text) }))
    default:
      return []
  }
}

/** Each has at most 255 octets. */
function characterStrings(text: string): Buffer[] {
  const octets = Buffer.from(text)
  return Array.from({ length: Math.max(1, Math.ceil(octets.length / 255)) }, (_, at) =>
    octets.subarray(255 * at, 255 * (at + 1)),
  )
}
