import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, isIPv6, type Server, type Socket } from 'node:net'
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
    const answer = answerTo(query, zone)
    if (answer) socket.send(answer.length > LARGEST_DATAGRAM ? truncated(query) : answer, port, address)
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
      for (let end = lengthOf(pending); pending.length >= end; end = lengthOf(pending)) {
        const answer = answerTo(pending.subarray(2, end), zone)
        pending = pending.subarray(end)
        if (!answer) continue
        const length = Buffer.alloc(2)
        length.writeUInt16BE(answer.length)
        connection.write(Buffer.concat([length, answer]))
      }
    })
  })
}

function lengthOf(pending: Buffer): number {
  return pending.length < 2 ? 2 ** 20 : 2 + pending.readUInt16BE(0)
}

/** Commonly agreed on, so that no datagram is fragmented. */
const LARGEST_DATAGRAM = 1_232
/** The most that a length of two octets allows, less the header and the names. */
const LARGEST_MESSAGE = 64_000

/** The question, and the flag that says to ask again over TCP (TC). */
function truncated(query: Buffer): Buffer {
  const { end } = readName(query, 12)
  const message = Buffer.from(query.subarray(0, end + 4))
  message.writeUInt16BE(0x8380, 2)
  message.writeUInt16BE(0, 10)
  return message
}

const TYPES = { a: 1, cname: 5, ptr: 12, mx: 15, txt: 16, aaaa: 28 } as const
const SERVFAIL = 2
const NXDOMAIN = 3

/** Undefined if the zone lets the lookup time out. */
function answerTo(query: Buffer, zone: Readonly<Record<string, ZoneRecords>>): Buffer | undefined {
  const { labels, end } = readName(query, 12)
  const type = query.readUInt16BE(end)
  let name = labels.join('.').toLowerCase()
  const records: Buffer[] = []
  let found = recordsAt(zone, name)
  for (let n = 0; n < 16 && found?.cname !== undefined && type !== TYPES.cname; n++) {
    records.push(record(name, TYPES.cname, encodeName(found.cname)))
    name = found.cname.toLowerCase()
    found = recordsAt(zone, name)
  }
  if (found?.fails === 'timeout') return undefined
  const datas = dataOf(found ?? {}, type)
  const tooLarge = datas.reduce((sum, data) => sum + data.length, 0) > LARGEST_MESSAGE
  if (!tooLarge) for (const data of datas) records.push(record(name, type, data))
  const loops = found?.cname !== undefined && type !== TYPES.cname
  const code = found?.fails === 'servfail' || loops || tooLarge ? SERVFAIL : found ? 0 : NXDOMAIN
  const header = Buffer.alloc(12)
  query.copy(header, 0, 0, 2)
  header.writeUInt16BE(0x8180 | code, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(code === SERVFAIL ? 0 : records.length, 6)
  return Buffer.concat([header, query.subarray(12, end + 4), ...(code === SERVFAIL ? [] : records)])
}

/** The zone has plain addresses, the DNS reversed ones. */
function recordsAt(zone: Readonly<Record<string, ZoneRecords>>, name: string): ZoneRecords | undefined {
  if (name.endsWith('.in-addr.arpa')) return zone[name.split('.').slice(0, 4).reverse().join('.')]
  if (!name.endsWith('.ip6.arpa')) {
    // A name above others exists (RFC 8020).
    return zone[name] ?? (Object.keys(zone).some((key) => key.endsWith(`.${name}`)) ? {} : undefined)
  }
  const address = Object.keys(zone).find((key) => isIPv6(key) && ip6Name(key) === name)
  return address === undefined ? undefined : zone[address]
}

function ip6Name(address: string): string {
  return `${[...ip6Octets(address).toString('hex')].reverse().join('.')}.ip6.arpa`
}

function dataOf(found: ZoneRecords, type: number): Buffer[] {
  switch (type) {
    case TYPES.a:
      return (found.a ?? []).map((address) => Buffer.from(address.split('.').map(Number)))
    case TYPES.aaaa:
      return (found.aaaa ?? []).map(ip6Octets)
    case TYPES.cname:
      return found.cname === undefined ? [] : [encodeName(found.cname)]
    case TYPES.ptr:
      return (found.ptr ?? []).map(encodeName)
    case TYPES.mx:
      return (found.mx ?? []).map(({ priority, exchange }) => {
        return Buffer.concat([Buffer.from([priority >> 8, priority & 255]), encodeName(exchange)])
      })
    case TYPES.txt:
      return (found.txt ?? []).map(characterStrings)
    default:
      return []
  }
}

function ip6Octets(address: string): Buffer {
  const [head = '', tail = ''] = address.split('::')
  const groups = (text: string) => (text ? text.split(':') : [])
  const zeros = Array<string>(8 - groups(head).length - groups(tail).length).fill('0')
  const all = address.includes('::') ? [...groups(head), ...zeros, ...groups(tail)] : groups(address)
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex')
}

function record(name: string, type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10)
  fixed.writeUInt16BE(type, 0)
  fixed.writeUInt16BE(1, 2)
  fixed.writeUInt16BE(data.length, 8)
  return Buffer.concat([encodeName(name), fixed, data])
}

function encodeName(name: string): Buffer {
  return Buffer.concat([...name.split('.').filter(Boolean).map(characterString), Buffer.from([0])])
}

function characterStrings(text: string): Buffer {
  const octets = Buffer.from(text)
  const strings: Buffer[] = []
  for (let at = 0; at < octets.length || at === 0; at += 255) {
    const string = octets.subarray(at, at + 255)
    strings.push(Buffer.from([string.length]), string)
  }
  return Buffer.concat(strings)
}

function characterString(text: string): Buffer {
  return Buffer.concat([Buffer.from([text.length]), Buffer.from(text, 'latin1')])
}

function readName(message: Buffer, at: number): { labels: string[]; end: number } {
  const labels: string[] = []
  let end = at
  for (let length = message[end] ?? 0; length > 0; length = message[end] ?? 0) {
    labels.push(message.toString('latin1', end + 1, end + 1 + length))
    end += 1 + length
  }
  return { labels, end: end + 1 }
}
