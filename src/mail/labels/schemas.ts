import { Id, Line, Nullable, Strict, Timestamp, wholeOrPages } from '#/http/schemas/shared-schemas.ts'
import { Type } from '#/http/schemas/type.ts'
import { defaultColour, type Label, labelColour, labelName, namedColours } from './label.ts'
import { programTag } from './program-tags.ts'

export const Keyword = Type.String({
  description:
    'The IMAP keyword on messages; `add_labels` and `remove_labels` take it. Assigned by the service; never changes.',
  examples: ['invoices'],
})

/** An answer without it is the usual one. */
function whereAsked(description: string) {
  return Type.Optional(Nullable(Type.Integer({ minimum: 0, description, examples: [undefined] })))
}

export const LabelOut = Type.Object(
  {
    id: Id,
    name: Type.String({ examples: ['Invoices'] }),
    keyword: Keyword,
    colour: Type.String({ description: 'A named colour, or `#rrggbb` in lower case.', examples: ['amber'] }),
    created_at: Timestamp,
    messages: whereAsked('With `counts`: the number of messages that have the keyword.'),
    unread: whereAsked('The number of those that are unread.'),
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

export const NewLabel = Strict({
  name,
  colour: Type.Optional(Type.String({ ...colour, default: defaultColour })),
})

export const Adoption = Strict({
  keyword: Line({ minLength: 1, maxLength: 50, description: 'A keyword without a label.', examples: ['stray'] }),
  name: { ...name, examples: ['Stray'] },
  colour: Type.Optional(Type.String({ ...colour, default: defaultColour })),
})

export const Orphan = Type.Object(
  {
    keyword: Type.String({ description: 'The keyword on messages.', examples: ['stray'] }),
    messages: Type.Integer({ minimum: 0, description: 'The number of messages that have it.', examples: [3] }),
    unread: Type.Integer({ minimum: 0, description: 'The number of those that are unread.', examples: [1] }),
    suggested: Nullable(
      Type.Object(
        {
          name: Type.String({ examples: ['Important'] }),
          colour: Type.String({ examples: ['#ff0000'] }),
        },
        {
          description:
            'The name and colour that Thunderbird shows for its tags, `$label1` to `$label5`; null for other keywords.',
        },
      ),
    ),
  },
  { title: 'OrphanLabel' },
)

function countedIn(description: string) {
  return Type.Optional(Line({ maxLength: 320, description }))
}

export const OrphansQuery = Strict({ mailbox: countedIn('Count in this mailbox alone.'), ...wholeOrPages })

const counted = {
  counts: Type.Optional(
    Type.Boolean({
      description:
        'With `true`, each label has `messages` and `unread`, counted in the mailboxes that the caller reads.',
    }),
  ),
  mailbox: countedIn('With `counts`: count in this mailbox alone.'),
}

export const LabelQuery = Strict(counted)

export const LabelsQuery = Strict({ ...counted, ...wholeOrPages })

/** The result of a change of all messages. `change_id` undoes it. */
export const ChangeId = Nullable({
  ...Id,
  description: 'Undo it on messages with this change; null if the caller may change no mailbox.',
})

export const LabelChange = Strict(
  { name: Type.Optional(name), colour: Type.Optional(colour) },
  { minProperties: 1, examples: [{ colour: '#1e90ff' }] },
)

export function present(
  { created_at, ...label }: Label,
  counts: { readonly messages?: number; readonly unread?: number } = {},
) {
  return { ...label, created_at: created_at.toISOString(), ...counts }
}

export function presentOrphan(keyword: string, counts: { readonly messages: number; readonly unread: number }) {
  return { keyword, ...counts, suggested: programTag(keyword) ?? null }
}
