import { Line, Nullable, OneOrMore, Strict } from '#/http/schemas/shared-schemas.ts'
import { Type } from '#/http/schemas/type.ts'
import { conversationsOfMessage, listedMessage } from '#/mail/messages/schemas.ts'
import { searchedFields } from './phrases.ts'
import { longestQuery } from './query.ts'

export const SearchQuery = Strict({
  q: Line({
    minLength: 1,
    maxLength: longestQuery,
    description: 'What to look for, as in `from:ann "the engine" -is:read`.',
    examples: ['from:ann subject:engine newer_than:7d'],
  }),
  mailbox: Type.Optional(
    OneOrMore(Line({ minLength: 1, maxLength: 320 }), {
      minItems: 1,
      maxItems: 50,
      description: 'Address of a mailbox; may be given several times. Without it, all that the key sees are searched.',
      examples: ['support@tryout.test'],
    }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 25 })),
  cursor: Type.Optional(
    Line({
      maxLength: 2_000,
      description: 'Empty for the first page; then `next_cursor` of the page before, with the same `q` and `mailbox`.',
    }),
  ),
})

const SearchMatch = Type.Object(
  {
    field: Type.String({ enum: [...searchedFields], examples: ['text'] }),
    text: Type.String({ description: 'Plain text, one line.', examples: ['…will see that the engine is oiled…'] }),
  },
  { title: 'SearchMatch' },
)

const ifRead = 'Null too as long as more than 20,000 messages would have to be read for the page first.'
const conversationsOfFound = {
  thread_id: {
    ...conversationsOfMessage.thread_id,
    description: `The id of its conversation in this folder. ${ifRead}`,
  },
  conversation_id: {
    ...conversationsOfMessage.conversation_id,
    description: `The id of its conversation over all folders. Null in drafts, junk and trash. ${ifRead}`,
  },
}

const FoundMessage = Type.Object(
  {
    mailbox: Type.String({ description: 'The address of its mailbox.', examples: ['support@tryout.test'] }),
    ...listedMessage,
    ...conversationsOfFound,
    match: Nullable(
      Type.Unsafe<{ field: string; text: string } | null>({
        ...SearchMatch,
        description:
          'The first place that matched; null if no words did, or not near the beginning, or if it took too long to find.',
      }),
    ),
  },
  { title: 'FoundMessage' },
)

export const SearchOut = Type.Object(
  {
    data: Type.Array(FoundMessage),
    next_cursor: Nullable(Type.String({ description: 'The `cursor` for the next page; null if there is none.' })),
    partial: Type.Boolean({
      description: 'Whether the time for a request ended before the page was full. The next page goes on from there.',
    }),
    indexing: Type.Boolean({ description: 'Whether some messages are not indexed yet. Their words are not found.' }),
  },
  { title: 'SearchPage' },
)
