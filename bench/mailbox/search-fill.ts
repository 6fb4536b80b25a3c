import { sql } from 'kysely'
import { allTexts } from '#/formats/mime/body/holds-texts.ts'
import { readSearchable } from '#/formats/mime/body/searchable.ts'
import { indexText, mailboxMark, organizationMark } from '#/mail/search-index/index-text.ts'
import { restText } from '#/mail/search-index/rest-text.ts'
import type { World } from '#test/world/world.ts'

const atOnce = 2_500
/** Letters whose words are compared with those that the indexer finds. */
const compared = 200

interface Filling {
  readonly organizationId: string
  readonly mailboxIds: readonly string[]
  readonly messages: number
  readonly vocabulary: number
}

/** Letters as of `search.ts`, written by the database, with the words that the indexer would find in them, and then the index: for more
 *  than can be indexed one by one while somebody waits. Answers their bytes. Throws where the indexer finds other words. */
export async function fillInDatabase(world: World, filling: Filling): Promise<number> {
  const { db } = world
  const { organizationId, mailboxIds, messages } = filling
  const { rows: folders } = await sql<{ id: number; name: string; mailbox_id: string }>`
    select id, name, mailbox_id from mail_folders
    where organization_id = ${organizationId} and name in ('inbox', 'archive')`.execute(db)
  const of = (name: string) =>
    mailboxIds.map((id) => folders.find((folder) => folder.mailbox_id === id && folder.name === name)?.id ?? 0)
  await sql`drop index mail_search_words`.execute(db)
  const batches = Array.from({ length: Math.ceil(messages / atOnce) }, (_, batch) => batch * atOnce)
  const write = async () => {
    for (let first = batches.shift(); first !== undefined; first = batches.shift())
      await writeLetters(world, filling, { first, inboxes: of('inbox'), archives: of('archive') })
  }
  await Promise.all([write(), write(), write()])
  await compare(world, filling)
  await finish(world, messages)
  const { rows } = await sql<{ bytes: number }>`
    select sum(octet_length(bytes))::bigint as bytes from mail_contents`.execute(db)
  return rows[0]?.bytes ?? 0
}

/** Counts, and makes the index, for which statements may take minutes. */
async function finish({ database }: World, messages: number): Promise<void> {
  const client = await database.pool.connect()
  try {
    await client.query(`set statement_timeout = 0`)
    await client.query(`set maintenance_work_mem = '1GB'`)
    await client.query(`
      update mail_folders folder set uid_next = ${messages + 1}, modseq = 2, total = held.total, unread = held.unread,
        size_bytes = held.bytes
      from (
        select folder_id, count(*) as total, count(*) filter (where not seen) as unread, sum(size_bytes) as bytes
        from mail_messages group by folder_id
      ) held where folder.id = held.folder_id`)
    await client.query(`
      create index mail_search_words on mail_search using gin (search_vector(words)) with (gin_pending_list_limit = 512)`)
    await client.query(`alter index mail_search_words alter column 1 set statistics 0`)
    await client.query(`
      insert into mail_words (organization_id, word)
      select distinct organization_id, word from mail_search, regexp_split_to_table(substr(words, strpos(words, E'\\n')), '[ \\t\\n]+') word
      where word <> ''`)
    await client.query(`vacuum analyze`)
  } finally {
    client.release(true)
  }
}

async function writeLetters(
  { db }: World,
  { organizationId, mailboxIds, messages, vocabulary }: Filling,
  { first, inboxes, archives }: { first: number; inboxes: readonly number[]; archives: readonly number[] },
): Promise<void> {
  const last = Math.min(first + atOnce, messages)
  const words = (count: number) => sql`(
    select string_agg('w' || floor(power(${vocabulary}::integer, random()))::integer, ' ')
    from generate_series(1, ${count}::integer) where letter.n > 0)`
  const style = 'font-family: Helvetica, Arial, sans-serif; font-size: 14px; line-height: 20px; color: #222222'
  const facts = { date: null, results: null, automatic: false, unsubscribe: null }
  await sql`
    with letter as materialized (
      select n, 1 + n % 10 as box, floor(random() * 1000)::integer as person, floor(random() * 10)::integer as ada,
        replace(gen_random_uuid()::text, '-', '') as noise
      from generate_series(${first + 1}::integer, ${last}::integer) n
    ), written as materialized (
      select letter.*, ${words(120)} as body, ${words(5)} as subject, 'host' || person % 100 || '.example' as host,
        '<' || n || '.' || noise || '@host' || person % 100 || '.example>' as message_id
      from letter
    ), content as (
      insert into mail_contents (id, organization_id, copies, bytes, message_id, thread_root, subject, from_name, from_address,
        recipients, has_attachment, preview, facts)
      overriding system value
      select n, ${organizationId}::uuid, 1, convert_to(concat(
          'Received: from mail.', host, ' (mail.', host, ' [192.0.2.7]) by mx.tryout.test with ESMTPS id ', noise, E'\r\n',
          'ARC-Seal: i=1; a=rsa-sha256; d=', host, '; s=arc; cv=none; b=', repeat(noise, 11), E'\r\n',
          'ARC-Message-Signature: i=1; a=rsa-sha256; d=', host, '; s=arc; h=from:to:subject; b=', repeat(noise, 12), E'\r\n',
          'DKIM-Signature: v=1; a=rsa-sha256; d=', host, '; s=s1; h=from:to:subject; b=', repeat(noise, 12), E'\r\n',
          'Authentication-Results: mx.tryout.test; spf=pass; dkim=pass; dmarc=pass', E'\r\n',
          'From: Person ', person, ' <person', person, '@', host, E'>\r\nTo: ada', ada, E'@tryout.test\r\nSubject: ', subject,
          E'\r\nMessage-ID: ', message_id,
          E'\r\nMIME-Version: 1.0\r\nContent-Type: multipart/alternative; boundary=b1\r\n\r\n--b1\r\nContent-Type: text/plain\r\n\r\n',
          body, E'\r\n--b1\r\nContent-Type: text/html\r\n\r\n<html><body style="', ${style}::text, '"><p style="', ${style}::text,
          '">', replace(body, ' ', ' <span>'), E'</p></body></html>\r\n--b1--\r\n'), 'UTF8'),
        message_id, message_id, subject, 'Person ' || person, 'person' || person || '@' || host,
        jsonb_build_array(jsonb_build_object('name', '', 'address', 'ada' || ada || '@tryout.test')), false, left(body, 140),
        ${JSON.stringify(facts)}::jsonb
      from written
      returning id, octet_length(bytes) as size_bytes
    ), search as (
      insert into mail_search (content_id, organization_id, whole, ordered, words)
      select n, ${organizationId}::uuid, true, true, concat(
        ' ', ${organizationMark(organizationId)}::text, '  ', (${mailboxIds.map(mailboxMark)}::text[])[box], '  i/',
        left(translate(encode(sha256(convert_to(message_id, 'UTF8')), 'base64'), '+/', '-_'), 12), E' \n ', subject, E' \n person ', person,
        '  person', person, E'\\thost', person % 100, E'\\texample \n ada', ada, E'\\ttryout\\ttest \n  \n  \n ', body, ' ')
      from written
    )
    insert into mail_messages (folder_id, uid, modseq, content_id, received_at, size_bytes, seen, flagged, keywords, sender,
      id_hash, strong, weak)
    select case when n / 10 % 4 = 0 then (${archives}::bigint[])[box] else (${inboxes}::bigint[])[box] end, n, 2, n,
      now() - make_interval(secs => (${messages}::integer - n)::double precision / ${messages}::integer * 31536000), size_bytes,
      random() > 0.2, random() < 0.02, '{}', 'person' || person || '@' || host,
      substring(decode(noise, 'hex') for 8), '', ''
    from written join content on content.id = n`.execute(db)
}

async function compare({ db }: World, { organizationId, messages }: Filling): Promise<void> {
  const ids = Array.from({ length: compared }, (_, n) => 1 + Math.floor((n * messages) / compared))
  const { rows } = await sql<{ bytes: Buffer; words: string; message_id: string; mailbox_id: string }>`
    select content.bytes, search.words, content.message_id, folder.mailbox_id
    from mail_contents content join mail_search search on search.content_id = content.id
    join mail_messages message on message.content_id = content.id join mail_folders folder on folder.id = message.folder_id
    where content.id = any(${ids}::bigint[])`.execute(db)
  if (rows.length !== compared) throw new Error('Letters are missing')
  for (const { bytes, words, message_id: messageId, mailbox_id } of rows) {
    const facts = { organizationId, mailboxIds: [mailbox_id], messageId, hasAttachment: false }
    const texts = allTexts(bytes)
    if (indexText(readSearchable(bytes), facts, texts.body) !== words)
      throw new Error(`The indexer finds other words: ${words}`)
    const { rest, whole, ordered } = restText(words, texts)
    if (rest !== '' || !whole || !ordered) throw new Error(`The indexer finds further words: ${rest}`)
  }
}
