import { once } from 'node:events'
import { connect } from 'node:net'

export interface RawAnswer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

/** Sends exactly these octets on a new connection. Answers the first response, or undefined if the server hangs
 *  up without one. With `end` it says that no more will come, as after an unfinished request. */
export async function exchange(
  base: string,
  octets: string | Buffer,
  { end = false } = {},
): Promise<RawAnswer | undefined> {
  const { hostname, port } = new URL(base)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  const hasBody = !octets.toString().startsWith('HEAD ')
  let said = ''
  socket.on('data', (chunk) => {
    said += chunk.toString('latin1')
    if (firstAnswer(said, hasBody)) socket.destroy()
  })
  socket.on('end', () => socket.end())
  // A server that hangs up early resets data that is still in transit.
  socket.on('error', () => {})
  socket.write(typeof octets === 'string' ? Buffer.from(octets, 'latin1') : octets)
  if (end) socket.end()
  await once(socket, 'close')
  return firstAnswer(said, hasBody)
}

/** Undefined where it is not complete. */
function firstAnswer(text: string, hasBody: boolean): RawAnswer | undefined {
  const headEnd = text.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const [start = '', ...lines] = text.slice(0, headEnd).split('\r\n')
  const headers = new Map(lines.map((line) => fieldOf(line)))
  const body = text.slice(headEnd + 4)
  const length = hasBody ? Number(headers.get('content-length') ?? 0) : 0
  return body.length < length ? undefined : { status: Number(start.split(' ')[1]), headers, body }
}

function fieldOf(line: string): [string, string] {
  const colon = line.indexOf(':')
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
}
