import { Bad, No } from '#/imap/answers.ts'
import { type FetchItem, readItems } from '#/imap/fetch/items.ts'
import { imapName, separator } from '#/imap/folders/names.ts'
import type { Arguments } from '#/imap/wire/arguments.ts'
import { isStandardFolder } from '#/mail/store/folder-name.ts'

/** The events that there are here (RFC 5465, section 5), by their names in upper case. */
const events = {
  MESSAGENEW: 'MessageNew',
  MESSAGEEXPUNGE: 'MessageExpunge',
  FLAGCHANGE: 'FlagChange',
  MAILBOXNAME: 'MailboxName',
  SUBSCRIPTIONCHANGE: 'SubscriptionChange',
} as const

export type NotifyEvent = (typeof events)[keyof typeof events]

const ofMessages: ReadonlySet<NotifyEvent> = new Set(['MessageNew', 'MessageExpunge', 'FlagChange'])

/** A name that a filter may have. */
export interface Filtered {
  readonly name: string
  readonly isOwn: boolean
  readonly isSubscribed: boolean
}

/** Some mailboxes, and the events that are wanted of them. */
export interface Group {
  readonly matches: (mailbox: Filtered) => boolean
  readonly events: ReadonlySet<NotifyEvent>
}

/** What NOTIFY SET asks for. */
export interface NotifySet {
  /** Whether the state of all mailboxes is told at first. */
  readonly status: boolean
  /** Of the selected mailbox, if that is to be told of by itself. */
  readonly selected: { readonly delaysExpunges: boolean; readonly items: readonly FetchItem[] } | undefined
  /** Of the others. The first that matches a mailbox counts. */
  readonly groups: readonly Group[]
}

/** ` [STATUS ](filter events) …` */
export function readNotifySet(args: Arguments): NotifySet {
  args.space()
  const status = !args.isNext('(')
  if (status) {
    if (args.word() !== 'STATUS') throw new Bad('Expected STATUS or groups of events')
    args.space()
  }
  let selected: NotifySet['selected']
  const groups: Group[] = []
  for (;;) {
    if (!args.take('(')) throw new Bad('Expected a group of events')
    const filter = args.word()
    const isSelected = filter === 'SELECTED' || filter === 'SELECTED-DELAYED'
    if (isSelected && selected) throw new Bad('The selected mailbox has one group of events')
    const matches = isSelected ? undefined : readFilter(args, filter)
    args.space()
    const wanted = readEvents(args)
    if (!args.take(')')) throw new Bad('A group of events has no end')
    assertWhole(wanted, isSelected)
    if (matches) groups.push({ matches, events: wanted.events })
    else if (wanted.events.size > 0) selected = { delaysExpunges: filter !== 'SELECTED', items: wanted.items }
    if (args.isAtEnd()) return { status, selected, groups }
    args.space()
  }
}

/** RFC 5465, section 6. Names that do not exist match nothing, now. */
function readFilter(args: Arguments, filter: string): Group['matches'] {
  if (filter === 'INBOXES') return ({ name }) => name === 'INBOX'
  if (filter === 'PERSONAL') return ({ isOwn }) => isOwn
  if (filter === 'SUBSCRIBED') return ({ isSubscribed }) => isSubscribed
  if (filter !== 'SUBTREE' && filter !== 'MAILBOXES') throw new Bad('Unknown filter of mailboxes')
  args.space()
  const given = args.isNext('(') ? args.list(() => args.mailbox()) : [args.mailbox()]
  const names = new Set(given.map(asListed))
  if (filter === 'MAILBOXES') return ({ name }) => names.has(name)
  return ({ name }) => names.has(name) || [...names].some((root) => name.startsWith(root + separator))
}

/** `Sent` for `sent`, as other names of the standard folders are read. */
function asListed(name: string): string {
  const lower = name.toLowerCase()
  return isStandardFolder(lower) ? imapName(lower) : name
}

interface Events {
  readonly events: ReadonlySet<NotifyEvent>
  readonly items: readonly FetchItem[]
}

/** `NONE`, or `(MessageNew (UID BODY[]) MessageExpunge)`. */
function readEvents(args: Arguments): Events {
  const wanted = new Set<NotifyEvent>()
  let items: readonly FetchItem[] = []
  if (!args.take('(')) {
    if (args.word() !== 'NONE') throw new Bad('Expected NONE or a list of events')
    return { events: wanted, items }
  }
  for (let isSpaced = true; !args.take(')'); ) {
    if (!isSpaced) args.space()
    const name = args.word()
    if (!Object.hasOwn(events, name))
      throw new No('There is no such event here', `BADEVENT (${Object.values(events).join(' ')})`)
    const event = events[name as keyof typeof events]
    wanted.add(event)
    isSpaced = args.take(' ')
    if (event !== 'MessageNew' || !isSpaced || !args.isNext('(')) continue
    items = readItems(args).items
    isSpaced = false
  }
  return { events: wanted, items }
}

/** RFC 5465, section 5: a client that counts messages must hear of all that changes their number. */
function assertWhole({ events, items }: Events, isSelected: boolean): void {
  if (events.has('MessageNew') !== events.has('MessageExpunge'))
    throw new Bad('MessageNew and MessageExpunge come together')
  if (events.has('FlagChange') && !events.has('MessageNew'))
    throw new Bad('FlagChange needs MessageNew and MessageExpunge')
  if (isSelected && [...events].some((event) => !ofMessages.has(event)))
    throw new Bad('Of the selected mailbox there are events of messages only')
  if (!isSelected && items.length > 0) throw new Bad('Items of new messages are of the selected mailbox only')
}
