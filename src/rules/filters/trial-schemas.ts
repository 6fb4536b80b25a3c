import { parseAddresses } from '#/formats/mime/address/address-list.ts'
import { readMessage } from '#/formats/mime/read-message.ts'
import { Line, Nullable, OneOf, OneOrMore, Strict } from '#/http/schemas/shared-schemas.ts'
import { type Static, Type } from '#/http/schemas/type.ts'
import { actions, fields, ops } from './filter.ts'
import { type FilterInput, filterInput } from './filter-input.ts'
import { NewFilter } from './schemas.ts'

type TrialMessage = string | Static<typeof Parts>

/** One address list as a header would hold it, or several. */
const AddressesIn = (examples: unknown[]) =>
  OneOrMore(Line({ maxLength: 998 }), {
    maxItems: 100,
    description: 'Addresses, with or without display names, as in a header: one string or an array.',
    examples,
  })

const Parts = Strict(
  {
    from: Type.Optional(AddressesIn(['Ann Lee <ann@example.com>'])),
    to: Type.Optional(AddressesIn([['support@tryout.test', 'Ada <ada@tryout.test>']])),
    subject: Type.Optional(Line({ maxLength: 998, examples: ['Your invoice of May'] })),
  },
  { minProperties: 1 },
)

const Message = Type.Unsafe<TrialMessage>({
  description: 'Its from, to and subject, or its whole RFC 5322 text, of which the headers are read.',
  anyOf: [Parts, Type.String({ format: 'text', maxLength: 1_000_000 })],
  examples: [
    { from: 'Ann Lee <ann@example.com>', to: 'support@tryout.test', subject: 'Your invoice of May' },
    'From: Ann Lee <ann@example.com>\r\nSubject: Your invoice of May\r\n\r\nHello',
  ],
})

export const Trial = Strict(
  { message: Message, filter: Type.Optional(NewFilter) },
  {
    examples: [{ message: { from: 'Ann Lee <ann@example.com>', to: 'support@tryout.test', subject: 'Your invoice' } }],
  },
)

const Match = Type.Object({
  filter_id: Nullable(Type.String({ format: 'uuid', description: 'Null for the draft that was given.' })),
  name: Type.String(),
  field: OneOf(fields),
  op: OneOf(ops),
  value: Type.String(),
  matched_text: Type.String({
    description: 'The display name, address or subject that matches, as the message has it.',
    examples: ['Ann Lee'],
  }),
  action: OneOf(actions),
  argument: Nullable(Type.String()),
  applied: Type.Boolean({ description: 'Whether it would act.' }),
  reason: Nullable(
    OneOf(['disabled', 'label_deleted', 'earlier_move'], {
      description:
        'Why it would not act: it is disabled, its label is deleted, or an earlier filter moves the message.',
    }),
  ),
})

export const TrialResult = Type.Object(
  {
    matches: Type.Array(Match, { description: 'In the order in which they run.' }),
    result: Type.Object(
      {
        folder: Type.String({ examples: ['inbox'] }),
        labels: Type.Array(Type.String(), { description: 'Keywords.' }),
        starred: Type.Boolean(),
        unread: Type.Boolean(),
      },
      { description: 'The state that the message would end in.' },
    ),
  },
  { title: 'FilterTrial' },
)

/** What filters would see of the message. */
export function trialInput(message: TrialMessage): FilterInput {
  if (typeof message === 'string') return filterInput(readMessage(Buffer.from(headersOf(message))))
  const { from = [], to = [], subject = '' } = message
  return filterInput({
    subject,
    sender: [from].flat().flatMap(parseAddresses),
    to: [to].flat().flatMap(parseAddresses),
    cc: [],
  })
}

/** Up to the empty line that ends them. */
function headersOf(text: string): string {
  const end = /\r?\n\r?\n/.exec(text)
  return end ? text.slice(0, end.index + end[0].length) : text
}
