import { connect } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'

/** What a run of the load is to do. */
export interface Load {
  readonly port: number
  readonly connections: number
  readonly messages: number
  readonly recipients: readonly string[]
  readonly octets: number
}

/** Hands messages over on so many connections at once, each waiting for every reply; says how long it took, in ms. */
async function run({ port, connections, messages, recipients, octets }: Load): Promise<number> {
  const line = `${'x'.repeat(74)}\r\n`
  const body = line.repeat(Math.ceil(octets / line.length))
  let begun = 0
  const next = () => {
    const n = begun++
    if (n >= messages) return undefined
    const header = `From: Ann <ann@peer.example>\r\nTo: ada\r\nSubject: Message ${n}\r\nMIME-Version: 1.0\r\n`
    const id = `Message-ID: <${n}.${performance.timeOrigin}.${port}@peer.example>\r\n`
    return { to: recipients[n % recipients.length], data: `${header + id}\r\n${body}.\r\n` }
  }
  const start = performance.now()
  await Promise.all(Array.from({ length: connections }, () => converse(port, next)))
  return performance.now() - start
}

function converse(port: number, next: () => { to: string | undefined; data: string } | undefined): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let message: ReturnType<typeof next>
  const begin = () => {
    message = next()
    if (!message) {
      socket.end('QUIT\r\n')
      return resolve()
    }
    socket.write('MAIL FROM:<ann@peer.example>\r\n')
  }
  const steps = [
    () => socket.write(`RCPT TO:<${message?.to}>\r\n`),
    () => socket.write('DATA\r\n'),
    () => socket.write(message?.data ?? ''),
    begin,
  ]
  let step = -2
  let received = ''
  socket.on('error', reject)
  socket.on('data', (chunk) => {
    received += chunk
    for (let end = received.indexOf('\r\n'); end >= 0; end = received.indexOf('\r\n')) {
      const reply = received.slice(0, end)
      received = received.slice(end + 2)
      if (reply[3] === '-') continue
      if (/^[45]/.test(reply)) return reject(new Error(reply))
      if (step === -2) socket.write('EHLO peer.example\r\n')
      else if (step === -1) begin()
      else steps[step % steps.length]?.()
      step++
    }
  })
  return promise
}

parentPort?.postMessage(await run(workerData as Load))
