import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import fc from 'fast-check'
import { FixedShare, MemoryReservation, MessageMemory } from '#/smtp/connection/message-memory.ts'
import { ClientGone } from '#/smtp/connection/smtp-reader.ts'
import { Bye } from '../answers.ts'
import { readCommand } from './command-reader.ts'
import { Input } from './input.ts'
import { IMAP_LIMITS, type ImapLimits } from './limits.ts'

interface Given {
  readonly signedIn?: boolean
  readonly limits?: Partial<ImapLimits>
  readonly memory?: number
}

interface Heard {
  /** Texts with literals in the place of `\0`, faults as they are answered, and last how the connection ended. */
  readonly commands: string[]
  readonly asked: number
  readonly held: number
}

/** Reads all commands of a connection on which these chunks come. */
async function hear(
  chunks: readonly Buffer[],
  { signedIn = true, limits = {}, memory = 1 << 20 }: Given,
): Promise<Heard> {
  const input = new Input(Readable.from(chunks))
  const reservation = new MemoryReservation(new MessageMemory(memory, 15_000), new FixedShare(memory), () => {})
  const commands: string[] = []
  let asked = 0
  let held = 0
  const context = {
    limits: { ...IMAP_LIMITS, ...limits },
    isSignedIn: signedIn,
    memory: reservation,
    askForLiteral: () => void asked++,
    literalBegins: () => {},
    progress: () => {},
  }
  for (;;) {
    try {
      const { text, literals, fault } = await readCommand(input, context)
      let at = 0
      const whole = text.replaceAll('\0', () => `<${literals[at]?.isBinary ? '~' : ''}${literals[at++]?.bytes ?? ''}>`)
      commands.push(fault ? `${text.split(' ')[0]} ${fault.status} ${fault.code ?? ''}`.trim() : whole)
      held = Math.max(held, reservation.held)
      reservation.release(reservation.held)
    } catch (error) {
      if (error instanceof Bye) commands.push(`BYE ${error.code}`)
      else if (!(error instanceof ClientGone)) throw error
      return { commands, asked, held: held + reservation.held }
    }
  }
}

/** The same octets in one chunk, cut in two at every place, and in chunks of one octet. */
function* splittings(text: string): Generator<Buffer[]> {
  const octets = Buffer.from(text, 'latin1')
  yield [octets]
  for (let at = 1; at < octets.length; at++) yield [octets.subarray(0, at), octets.subarray(at)]
  yield Array.from(octets, (octet) => Buffer.from([octet]))
}

const small = { command: 40, commandBeforeLogin: 20, literalBeforeLogin: 5, messageSize: 12, messages: 20 }
const [tight, tiny] = [{ limits: small }, { limits: { ...small, command: 22 } }]
const [unknown, poor] = [{ signedIn: false, limits: small }, { memory: 11 }]
const [long, d12, d19] = ['x'.repeat(99), '012345678901', '0123456789012345678']

/** What is sent, the commands that are read, and how often a literal is asked for. */
for (const [what, sent, commands, asked, given = {}] of [
  ['commands that are sent at once', 'a NOOP\r\nb NOOP\r\n', 'a NOOP|b NOOP', 0],
  ['a line that ends with LF alone', 'a NOOP\nb NOOP\r\n', 'a NOOP|b NOOP', 0],
  ['an empty line', '\r\na NOOP\r\n', '|a NOOP', 0],
  ['a literal', 'a LOGIN {3}\r\nann {4}\r\na\r\nb\r\nb NOOP\r\n', 'a LOGIN <ann> <a\r\nb>|b NOOP', 2],
  ['a literal that does not wait', 'a X {3+}\r\nann\r\nb NOOP\r\n', 'a X <ann>|b NOOP', 0],
  ['one of LITERAL-', 'a X {3-}\r\nann\r\n', 'a X <ann>', 0],
  ['a literal8', 'a X (~{3}\r\na\0b) ~{1+}\r\n\0\r\n', 'a X (<~a\0b>) <~\0>', 1],
  ['an empty literal', 'a X {0}\r\n\r\nb NOOP\r\n', 'a X <>|b NOOP', 1],
  ['a literal behind a line with LF alone', 'a X {3}\nann\n', 'a X <ann>', 1],
  ['an announcement between quotes', 'a X "{3}"\r\nb NOOP\r\n', 'a X "{3}"|b NOOP', 0],
  ['an announcement in a string without end', 'a X "\\" {3}\r\nb NOOP\r\n', 'a X "\\" {3}|b NOOP', 0],
  ['an announcement behind a string', 'a X "\\\\" {3}\r\nann\r\n', 'a X "\\\\" <ann>', 1],
  ['an announcement in an atom', 'a X b{3}\r\nb NOOP\r\n', 'a X b{3}|b NOOP', 0],
  ['NUL in the text', 'a NO\0OP\r\nb NOOP\r\n', 'a BAD|b NOOP', 0],
  ['a bare CR', 'a NO\rOP\r\nb NOOP\r\n', 'a BAD|b NOOP', 0],
  ['NUL before a literal that waits', 'a \0 {3}\r\nb NOOP\r\n', 'a BAD|b NOOP', 0],
  ['NUL before one that does not', 'a \0 {3+}\r\nann {2+}\r\nxy\r\nb NOOP\r\n', 'a BAD|b NOOP', 0],
  ['a line that is too long', `a ${long}\r\nb NOOP\r\n`, 'a BAD|b NOOP', 0, tight],
  ['one that ends with a literal', `a ${long} {3+}\r\nann\r\nb NOOP\r\n`, 'a BAD|b NOOP', 0, tight],
  ['one that announces one', `a ${long} {3}\r\nb NOOP\r\n`, 'a BAD|b NOOP', 0, tight],
  ['a literal that is too large', 'a X {41}\r\nb NOOP\r\n', 'a NO TOOBIG|b NOOP', 0, tight],
  ['literals that are so together', `a X {19+}\r\n${d19} {19}\r\nb NOOP\r\n`, 'a NO TOOBIG|b NOOP', 0, tight],
  ['one that does not wait', `a X {22+}\r\n${d19}012 y\r\nb NOOP\r\n`, `a X <${d19}012> y|b NOOP`, 0, tight],
  ['one that is thrown away', `a X {23+}\r\n${d19}0123 y\r\nb NOOP\r\n`, 'a NO TOOBIG|b NOOP', 0, tiny],
  ['one that is not read', 'a X {99+}\r\n0123', 'BYE TOOBIG', 0, tight],
  ['a size without end', 'a X {99999999999999999999}\r\nb NOOP\r\n', 'a NO TOOBIG|b NOOP', 0],
  ['a large literal before login', 'a X {6}\r\nb X {5}\r\n12345\r\n', 'a NO TOOBIG|b X <12345>', 1, unknown],
  ['a message before login', 'a APPEND x {12}\r\n', 'a NO TOOBIG', 0, unknown],
  ['a message', `a APPEND x {12}\r\n${d12}\r\n`, `a APPEND x <${d12}>`, 1, tight],
  ['a replacement', `a uid replace 1 x {12}\r\n${d12}\r\n`, `a uid replace 1 x <${d12}>`, 1, tight],
  ['a message that is too large', 'a APPEND x {13}\r\nb NOOP\r\n', 'a NO TOOBIG|b NOOP', 0, tight],
  ['messages that are so', `a APPEND x {12+}\r\n${d12} {9}\r\nb NOOP\r\n`, 'a NO TOOBIG|b NOOP', 0, tight],
  ['a message without memory', 'a APPEND x {12}\r\nb NOOP\r\n', 'a NO UNAVAILABLE|b NOOP', 0, poor],
  ['one that does not wait', `a APPEND x {12+}\r\n${d12}\r\nb NOOP\r\n`, 'a NO UNAVAILABLE|b NOOP', 0, poor],
] satisfies (readonly [string, string, string, number, Given?])[]) {
  test(`however its octets come, a connection has ${what}`, async () => {
    for (const chunks of splittings(sent)) {
      const heard = await hear(chunks, given)
      assert.deepEqual([heard.commands.join('|'), heard.asked], [commands, asked])
    }
  })
}

test('whatever octets come, in whatever pieces, they are the same commands', async () => {
  const piece = fc.constantFrom(
    ...'a X"\\{}()\r\n\0\xff~',
    ...['{3+}\r\n', '{1}\r\n', '{30+}\r\n', '{9', 'APPEND x ', '\r\n', '\n', 'b '],
  )
  const octets = fc.array(piece, { maxLength: 60 }).map((pieces) => Buffer.from(pieces.join(''), 'latin1'))
  await fc.assert(
    fc.asyncProperty(octets, fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 60 }), async (sent, sizes) => {
      const chunks: Buffer[] = []
      for (let at = 0; at < sent.length; at += chunks.at(-1)?.length ?? 1)
        chunks.push(sent.subarray(at, at + (sizes[chunks.length] ?? 1)))
      const whole = await hear(sent.length > 0 ? [sent] : [], { limits: small })
      assert.deepEqual(await hear(chunks, { limits: small }), whole)
    }),
    { numRuns: 2_000 },
  )
})

for (const [what, sent, expected] of [
  ['what was announced and did not come', 'a APPEND x {900000}\r\n', 0],
  ['a message that breaks off', 'a APPEND x {900000+}\r\nabc', 256 * 1024],
  ['a message', 'a APPEND x {5}\r\n12345\r\n', 5],
] as const) {
  test(`the memory for messages holds ${expected} octets for ${what}`, async () => {
    assert.equal((await hear([Buffer.from(sent)], {})).held, expected)
  })
}

test('a line that never ends is read a MiB far', async () => {
  const chunk = Buffer.alloc(64 * 1024, 'x')
  let read = 0
  function* endless() {
    for (; read < 100; read++) yield chunk
  }
  const input = new Input(Readable.from(endless(), { highWaterMark: 1 }))
  await assert.rejects(input.line(64 * 1024), Bye)
  assert.ok(read < 24, `${read} chunks`)
})

test('what stops a connection reaches whoever waits for its next command, or will', async () => {
  const input = new Input(new Readable({ read: () => {} }))
  const waiting = input.line(100)
  input.stop(new Bye('stop'))
  await assert.rejects(waiting, Bye)
  await assert.rejects(input.line(100), Bye)
})
