import { type EventType, eventTypes, type Subject, subjectOf, typesWith } from '#/base/event-log/types.ts'
import { cursorParameter, Line, Nullable, nextCursor, OneOf, Strict, Timestamp } from '#/http/schemas/shared-schemas.ts'
import { type Static, type TSchema, Type } from '#/http/schemas/type.ts'
import { AddressOut, conversationsOfMessage, messageId } from '#/mail/messages/schemas.ts'

const eventId = { examples: ['06b5a0f2e0012f00000000000041'] }

/** What all readers may ask for. */
const wanted = {
  after: Type.Optional(
    Line({
      minLength: 1,
      maxLength: 100,
      description:
        '`next` of the answer before, or the `id` of an event. `now` skips all that can be read at this moment. ' +
        'Without it, you get the oldest event that is kept first.',
      ...eventId,
    }),
  ),
  types: Type.Optional(
    Line({
      minLength: 1,
      maxLength: 1_000,
      description:
        'Types, or their first words (`message`), with commas between them. Without it, all that the key may ' +
        'read.',
      examples: ['message,label.created'],
    }),
  ),
  mailbox: Type.Optional(
    Line({
      minLength: 1,
      maxLength: 320,
      description: 'Only events about this mailbox.',
      examples: ['support@tryout.test'],
    }),
  ),
}

export const StreamQuery = Strict(wanted)

export const EventsQuery = Strict({
  ...wanted,
  cursor: cursorParameter,
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 100 })),
  wait: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 50,
      default: 0,
      description: 'How many seconds to wait if there is no event.',
      examples: [25],
    }),
  ),
})

const PlaceOut = Type.Object({ id: messageId, folder: Type.String(), uid: Type.Integer({ minimum: 1 }) })

const EventMessage = Type.Object(
  {
    id: messageId,
    folder: Type.String({ description: 'The folder at that time: `inbox`, …', examples: ['inbox'] }),
    uid: Type.Integer({ minimum: 1, description: 'The uid in that folder.', examples: [7] }),
    subject: Nullable(
      Type.String({
        description: 'Null once the message is deleted, and for a Private mailbox.',
        examples: ['Notes'],
      }),
    ),
    from: Nullable(
      Type.Unsafe<Static<typeof AddressOut> | null>({ ...AddressOut, description: 'Null when `subject` is.' }),
    ),
    conversation_id: conversationsOfMessage.conversation_id,
    moved_from: Type.Optional(
      Type.Unsafe<Static<typeof PlaceOut>>({
        ...PlaceOut,
        description:
          'Where the message was before it moved. If a draft replaces an earlier one, this is the earlier one.',
      }),
    ),
    unread: Type.Optional(Type.Boolean({ description: 'The new value; absent if it has not changed.' })),
    starred: Type.Optional(Type.Boolean({ description: 'The new value; absent if it has not changed.' })),
    answered: Type.Optional(Type.Boolean({ description: 'The new value; absent if it has not changed.' })),
    forwarded: Type.Optional(Type.Boolean({ description: 'The new value; absent if it has not changed.' })),
    added_labels: Type.Optional(Type.Array(Type.String(), { description: 'Keywords.', examples: [['receipts']] })),
    removed_labels: Type.Optional(Type.Array(Type.String(), { description: 'Keywords.' })),
  },
  { title: 'EventMessage' },
)

const EventSending = Type.Object(
  {
    id: Type.String({ description: 'The `id` that sending or scheduling answered.' }),
    recipients: Type.Optional(
      Type.Array(
        Type.Object({
          address: Nullable(
            Type.String({ description: 'Null if a Private mailbox sends.', examples: ['bob@there.example'] }),
          ),
          reply: Type.Optional(Type.String({ description: 'What the next server said.', examples: ['250 2.0.0 Ok'] })),
          reason: Type.Optional(Type.String({ description: 'Why it has not been delivered.' })),
        }),
        { description: 'The recipients of the event.' },
      ),
    ),
    reason: Type.Optional(
      Type.String({ description: 'Why a scheduled message has failed, or was cancelled by an answer.' }),
    ),
    send_at: Type.Optional(Timestamp),
  },
  { title: 'EventSending' },
)

const EventRefusal = Type.Object(
  {
    sender: Nullable(
      Type.String({
        description: 'The envelope sender, empty for the null one; null where it is for a Private mailbox.',
        examples: ['spam@there.example'],
      }),
    ),
    recipient: Type.String({ examples: ['nobody@tryout.test'] }),
    because: OneOf(['unknown', 'blocked', 'dmarc']),
  },
  { title: 'EventRefusal' },
)

const EventQuota = Type.Object(
  {
    quota: OneOf(['storage', 'sending'], { description: '`sending`: recipients of the UTC day.' }),
    percent: Type.Integer({
      minimum: 80,
      maximum: 100,
      description: '80 or 100 percent of the limit.',
      examples: [80],
    }),
    used: Type.Integer({ minimum: 0, description: 'Octets, or recipients.', examples: [1_600] }),
    limit: Type.Integer({ minimum: 0, description: 'The limit of the plan.', examples: [2_000] }),
  },
  { title: 'EventQuota' },
)

const EventItem = Type.Object(
  {
    id: Nullable(Type.String()),
    name: Type.String({ description: 'The name as it was then.', examples: ['Receipts'] }),
  },
  { title: 'EventItem' },
)

const EventBy = Type.Object(
  {
    kind: OneOf(['key', 'operator', 'member', 'service', 'single_sign_on', 'mail_program'], {
      description:
        '`service`: Mailroom itself. `mail_program`: a mail program that reads mail over IMAP, or that ' +
        'submitted a message.',
    }),
    id: Nullable(Type.String({ description: 'The id of the key or member.' })),
    name: Type.String({ description: 'The name of the key or member, as it was then.' }),
  },
  { title: 'EventActor' },
)

const titles: Readonly<Record<Subject, string>> = {
  message: 'EventAboutMessage',
  sending: 'EventAboutSending',
  refusal: 'EventAboutRefusal',
  quota: 'EventAboutQuota',
  item: 'EventAboutItem',
}

/** The events that have their data in this field. */
function eventWith<S extends Subject, T extends TSchema>(subject: S, data: T) {
  return Type.Object(
    {
      id: Type.String({ description: 'Grows from event to event, compared as text.', ...eventId }),
      type: OneOf(typesWith(subject)),
      at: Timestamp,
      mailbox: Nullable(
        Type.String({
          description: 'The address of the mailbox; null if the event concerns none, or if the mailbox is deleted.',
          examples: ['support@tryout.test'],
        }),
      ),
      by: EventBy,
      ...({ [subject]: data } as Record<S, T>),
    },
    { title: titles[subject] },
  )
}

const events = {
  message: eventWith('message', EventMessage),
  sending: eventWith('sending', EventSending),
  refusal: eventWith('refusal', EventRefusal),
  quota: eventWith('quota', EventQuota),
  item: eventWith('item', EventItem),
}

export type EventOut = { [S in Subject]: Static<(typeof events)[S]> }[Subject]

const example = {
  ...{ id: '06b5a0f2e0012f00000000000041', type: 'label.created', at: '2026-11-21T07:44:33.123Z', mailbox: null },
  by: { kind: 'key', id: '0199f0a2-7a52-7cc1-a1f1-0d5b7f3a1c55', name: 'mrk_Xy12…9aBc' },
  item: { id: '0199f0a2-7a52-7cc1-a1f1-0d5b7f3a1c56', name: 'Receipts' },
}

/** By the type a reader knows which field has the data. */
export const EventOut = Type.Unsafe<EventOut>({
  title: 'Event',
  oneOf: Object.values(events),
  discriminator: {
    propertyName: 'type',
    mapping: Object.fromEntries(eventTypes.map((type) => [type, componentOf(type)])),
  },
  examples: [example],
})

function componentOf(type: EventType): string {
  return `#/components/schemas/${titles[subjectOf(type)]}`
}

/** What a message of a stream has in its fields. */
export const StreamedEvent = Type.Object(
  { id: Type.String({ description: 'The id of the event.', ...eventId }), data: EventOut },
  { title: 'StreamedEvent' },
)

export const EventPage = Type.Object(
  {
    data: Type.Array(EventOut),
    next: Type.String({ description: 'The `after` for the next request.', ...eventId }),
    has_more: Type.Boolean({ description: 'Whether more may follow at once, even if `data` is empty.' }),
    next_cursor: {
      ...nextCursor,
      description: '`next` where more may follow at once; null at the end of the log as it is now.',
    },
  },
  { title: 'EventPage' },
)
