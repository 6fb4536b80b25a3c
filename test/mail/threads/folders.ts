import fc from 'fast-check'
import type { FiledMessage } from './oracle.ts'

/** Few names, so that messages connect: absent ids, shared ids, loops and late roots occur by
 *  themselves. */
const id = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...'abcdefghijkl').map((name) => `${name}@x`) },
  { weight: 2, arbitrary: fc.constantFrom('A@x', 'a@X', 'ä@x', 'a', 'b', 'a@x@y', 'a(b)@x') },
)

const whole = id.map((text) => `<${text}>`)

/** An id as headers hold it, now and then broken. */
const angled = fc.oneof(
  { weight: 12, arbitrary: whole },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        id,
        fc.constantFrom(
          ['< ', '>'],
          ['<', ' >'],
          ['<', '\r\n >'],
          ['<', ''],
          ['<', ' and more'],
          ['<<', '>'],
          ['<', '>>'],
        ),
      )
      .map(([text, [open, close]]) => `${open}${text}${close}`),
  },
)

const space = fc.constantFrom(' ', ' ', ' ', '', '\r\n\t', '\r\n ')
const comment = fc.constantFrom(' (as <c@x> said) ', '((nested) <d@x>)', ' ')

const references = fc.oneof(
  { weight: 5, arbitrary: several(angled, space, { maxLength: 4 }) },
  { weight: 1, arbitrary: several(whole, comment, { maxLength: 3 }) },
  { weight: 1, arbitrary: id },
  { weight: 1, arbitrary: fc.constantFrom('', 'none at all', '<>', '<@>', '>a@x<') },
)

const inReplyTo = fc.oneof(
  { weight: 5, arbitrary: angled },
  { weight: 1, arbitrary: several(angled, space, { minLength: 2, maxLength: 3 }) },
  { weight: 1, arbitrary: id.map((text) => `Message from Ann <${text}> of Monday`) },
  { weight: 1, arbitrary: id.map((text) => `<${text}> (Ann's message)`) },
  { weight: 1, arbitrary: id.map((text) => `(Ann's message) <${text}>`) },
  { weight: 1, arbitrary: id },
  { weight: 1, arbitrary: fc.constantFrom('', 'Your message of Monday', '<>') },
)

const messageId = fc.oneof({ weight: 8, arbitrary: angled }, { weight: 1, arbitrary: id })

function several(ids: fc.Arbitrary<string>, gap: fc.Arbitrary<string>, length: fc.ArrayConstraints) {
  return fc.array(fc.tuple(ids, gap), length).map((parts) => parts.flat().join(''))
}

function fields(name: string, values: readonly string[]): string {
  return values.map((value) => `${name}: ${value}\r\n`).join('')
}

/** The header lines that threading reads. */
export const threadHeaders: fc.Arbitrary<string> = fc
  .record({
    messageId: fc.oneof({ weight: 9, arbitrary: messageId.map((one) => [one]) }, fc.array(messageId, { maxLength: 2 })),
    references: fc.oneof({ weight: 9, arbitrary: fc.array(references, { maxLength: 1 }) }, fc.array(references)),
    inReplyTo: fc.oneof({ weight: 9, arbitrary: fc.array(inReplyTo, { maxLength: 1 }) }, fc.array(inReplyTo)),
  })
  .map((header) =>
    [
      fields('References', header.references),
      fields('in-reply-to', header.inReplyTo),
      fields('Message-ID', header.messageId),
    ].join(''),
  )

const sender = fc.constantFrom('ann@x.test', 'ben@x.test', 'cho@x.test', 'dée@x.test', '')

/** A message that has no uid yet. Received dates go back and forth, and are often the same. */
export const unfiled: fc.Arbitrary<Omit<FiledMessage, 'uid'>> = fc.record({
  seen: fc.boolean(),
  receivedAt: fc.integer({ min: 0, max: 8 }).map((seconds) => Date.UTC(2026, 10, 21, 7, 44, seconds, 123)),
  sender,
  headers: threadHeaders,
})

/** The same, some of them notices of non-delivery. */
export const unfiledOrNotice: fc.Arbitrary<Omit<FiledMessage, 'uid'>> = fc
  .tuple(unfiled, fc.option(threadHeaders, { freq: 1, nil: undefined }))
  .map(([message, returned]) => ({ ...message, returned }))

/** A change of a folder between two reads. Numbers pick among the existing messages. */
export interface Happening {
  readonly appended: readonly Omit<FiledMessage, 'uid'>[]
  readonly flagged: readonly { readonly which: number; readonly seen: boolean }[]
  readonly removed: readonly number[]
}

export const happening: fc.Arbitrary<Happening> = fc.record({
  appended: fc.array(unfiled, { maxLength: 5 }),
  flagged: fc.array(fc.record({ which: fc.nat(), seen: fc.boolean() }), { maxLength: 3 }),
  removed: fc.array(fc.nat(), { maxLength: 3 }),
})
