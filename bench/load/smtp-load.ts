import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { hostileMail, largeMail } from '#test/world/letters/hostile-mail.ts'
import { doLoad } from './load.ts'

const vocabulary = 50_000

/** What the SMTP load does: messages of so many octets, sent one by one on each of the connections. */
export interface SmtpWork {
  readonly port: number
  readonly connections: number
  readonly messages: number
  readonly recipients: readonly string[]
  readonly octets: number
  /** Their text is words, as frequent as those of a language. */
  readonly words?: boolean
  /** One that has a name in test/world/letters/hostile-mail.ts, in place of so many octets. */
  readonly letter?: string
}

/** Answers how long it took, in milliseconds; rejects where a message is refused. */
async function run({ port, connections, messages, recipients, octets, words, letter }: SmtpWork): Promise<number> {
  const named = letter !== undefined && { ...hostileMail, ...largeMail }[letter]
  const bodies = Array.from({ length: words ? 100 : 1 }, () => `\r\n${words ? text(octets) : lines(octets)}`)
  const id = randomUUID()
  let begun = 0
  const next = () => {
    const n = begun++
    if (n >= messages) return undefined
    if (named) return { to: recipients[n % recipients.length], data: `${named()}.\r\n` }
    const header =
      `From: Ann <ann@peer.example>\r\nTo: ada\r\nSubject: Message ${n}\r\nMIME-Version: 1.0\r\n` +
      `Message-ID: <${n}.${id}@peer.example>\r\n`
    return { to: recipients[n % recipients.length], data: `${header}${bodies[n % bodies.length]}.\r\n` }
  }
  const start = performance.now()
  await Promise.all(Array.from({ length: connections }, () => converse(port, next)))
  return performance.now() - start
}

function lines(octets: number): string {
  const line = `${'x'.repeat(76)}\r\n`
  return line.repeat(Math.ceil(octets / line.length))
}

function text(octets: number): string {
  let [text, line] = ['', '']
  while (text.length < octets) {
    line += ` w${Math.floor(vocabulary ** Math.random())}`
    if (line.length < 70) continue
    text += `${line}\r\n`
    line = ''
  }
  return text
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
  socket.on('close', () => reject(new Error('the server hung up')))
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
  // A connection that stays open would keep this process from ending.
  return promise.finally(() => socket.destroySoon())
}

doLoad(run)
