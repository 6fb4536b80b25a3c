import { Id, Line, Strict, Timestamp } from '#/http/shared-schemas.ts'
import { Type } from '#/http/type.ts'
import { defaultColour, type Label, labelColour, labelName, namedColours } from './label.ts'

export const Keyword = Type.String({
  description: 'The IMAP keyword on messages; what `add_labels` and `remove_labels` take. Given by us, never changes.',
  examples: ['invoices'],
})

export const LabelOut = Type.Object(
  {
    id: Id,
    name: Type.String({ examples: ['Invoices'] }),
    keyword: Keyword,
    colour: Type.String({ description: 'A named colour, or `#rrggbb` in lower case.', examples: ['amber'] }),
    created_at: Timestamp,
  },
  { title: 'Label' },
)

const name = Line({
  minLength: 1,
  description:
    '1 to 32 characters (code points) after trimming and Unicode NFC, at least one of them visible, no controls that ' +
    'change direction. Unique among the labels of its owner, without regard to case.',
  examples: ['Invoices'],
  rule: labelName,
})

const colour = Type.String({
  description: `\`#rrggbb\`, or one of ${namedColours.map((one) => `\`${one}\``).join(', ')}.`,
  examples: ['amber', '#1e90ff'],
  rule: labelColour,
})

export const NewLabel = Strict({ name, colour: Type.Optional(Type.String({ ...colour, default: defaultColour })) })

export const LabelChange = Strict(
  { name: Type.Optional(name), colour: Type.Optional(colour) },
  { minProperties: 1, examples: [{ colour: '#1e90ff' }] },
)

export function present({ created_at, ...label }: Label) {
  return { ...label, created_at: created_at.toISOString() }
}
