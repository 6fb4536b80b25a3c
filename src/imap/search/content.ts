import { type RawBuilder, sql } from 'kysely'
import type { Sought } from '#/formats/mime/body/holds-texts.ts'
import { first } from '#/mail/store/octets.ts'
import type { Places } from './places.ts'
import { type Found, sift } from './rows.ts'
import type { Scope } from './scope.ts'
import { siftTexts } from './sift-texts.ts'

/** What is stored of messages decides about most of them; the others are read. */
export async function siftContents(scope: Scope, sought: Sought, within: Places): Promise<Found> {
  switch (sought.in) {
    case 'date':
      return sift(scope, within, sentWithin(sought))
    case 'subject':
      return sift(scope, within, inSubject(sought.text))
    case 'addresses':
      if (sought.name === 'from') return sift(scope, within, inAuthors(sought.text))
      if (sought.name === 'to') return sift(scope, within, inRecipients(sought.text))
      return sift(scope, within, inHeader(sought.name, sought.text))
    case 'header':
      if (sought.name === 'message-id') return sift(scope, within, inMessageId(sought.text))
      return sift(scope, within, inHeader(sought.name, sought.text))
    case 'text':
    case 'body':
      return siftTexts(scope, sought, within)
  }
}

type Test = { readonly yes: RawBuilder<boolean>; readonly open: RawBuilder<boolean> }

/** The stored time is in UTC, and the day in the header counts, which is within a day of that. What has no date is sent on no day. */
function sentWithin({ from, before }: Extract<Sought, { in: 'date' }>): Test {
  const date = sql`(content.facts ->> 'date')::timestamptz`
  const at = (time: number) => sql`${new Date(time)}::timestamptz`
  const held = (margin: number) => {
    const since = from === undefined ? sql`true` : sql`${date} >= ${at(from + margin)}`
    const until = before === undefined ? sql`true` : sql`${date} < ${at(before - margin)}`
    return sql`(${since} and ${until})`
  }
  return {
    yes: sql`coalesce(${date} is not null and ${held(day)}, false)`,
    open: sql`(case when ${date} is not null then ${held(-day)} else false end)`,
  }
}

const day = 86_400_000

/** Letters of the stored text beside those of ASCII are folded by the program alone, and so are several spaces. */
function inSubject(text: string): Test {
  const subject = sql`content.subject`
  return {
    yes: holds(subject, text),
    open: sql`(${isUneven(subject)} or length(content.subject) >= 2000)`,
  }
}

/** Whether a field of that name may have groups, whose names are read. */
function hasGroups(name: 'from' | 'to'): RawBuilder<boolean> {
  return sql`coalesce(content.facts -> 'groups' ? ${name}::text, false)`
}

/** The author is stored; if there are others or a sender, all of them together. */
function inAuthors(text: string): Test {
  const author = addressOf(sql`content.from_name`, sql`content.from_address`)
  const all = sql`content.facts -> 'senders'`
  return {
    yes: sql`coalesce(${holds(author, text)}, false)`,
    open: sql`(${hasGroups('from')} or ${all} is null or coalesce(${isUneven(author)}, false) or ${isUneven(sql`(${all})::text`)} or ${anyHolds(all, text)})`,
  }
}

/** The first hundred of To are stored. */
function inRecipients(text: string): Test {
  const all = sql`content.recipients`
  return {
    yes: anyHolds(all, text),
    open: sql`(${hasGroups('to')} or ${isUneven(sql`${all}::text`)} or jsonb_array_length(${all}) >= 100)`,
  }
}

/** The id is stored; a field that is none is read. */
function inMessageId(text: string): Test {
  return {
    yes: sql`coalesce(${holds(sql`content.message_id`, text)}, false)`,
    open: sql`(content.message_id is null or ${isUneven(sql`content.message_id`)})`,
  }
}

/** The octets of the header decide that a text is not there, unless it may be encoded. */
function inHeader(name: string, text: string): Test {
  const [longest = ''] = text.match(/[a-z0-9@._-]+/g)?.toSorted((a, b) => b.length - a.length) ?? []
  return {
    yes: sql`false`,
    open: sql`(
      select strpos(header, ${`\n${name}`}) > 0
        and (strpos(header, ${longest}) > 0 or strpos(header, '=?') > 0 or strpos(header, '\\') > 0) or header_end = 0
      from (
        select E'\\n' || lower(encode(case when header_end > 0 then substring(bytes for header_end) else bytes end, 'escape')
          collate "C") as header, header_end
        from (
          select bytes, position('\\x0d0a0d0a'::bytea in bytes) as header_end
          from (
            select ${first(headerBytes)} as bytes offset 0
          ) head offset 0
        ) ended
      ) written
    )`,
  }
}

/** Nearly every header is shorter; a longer one is read. */
const headerBytes = 16 << 10

/** An address with its name, as `addressText` writes it. */
function addressOf(name: RawBuilder<unknown>, address: RawBuilder<unknown>): RawBuilder<string> {
  return sql`(case when coalesce(${name}, '') = '' then ${address} else ${name} || ' <' || ${address} || '>' end)`
}

function anyHolds(addresses: RawBuilder<unknown>, text: string): RawBuilder<boolean> {
  return sql`exists (
    select from jsonb_to_recordset(${addresses}) as one (name text, address text)
    where ${holds(addressOf(sql`one.name`, sql`one.address`), text)}
  )`
}

function holds(column: RawBuilder<unknown>, text: string): RawBuilder<boolean> {
  return sql`(strpos(lower(${column} collate "C"), ${text}) > 0)`
}

/** Whether the program folds a text otherwise than the database. */
function isUneven(column: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`(octet_length(${column}) <> length(${column}) or strpos(${column}, '  ') > 0)`
}
