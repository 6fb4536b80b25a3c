import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Serving } from '#test/world/imap/serving.ts'

const serving = await Serving.ofFile()

const none = '(NonExistent Noselect HasChildren)'
const latin1 = (text: string) => Buffer.from(text).toString('latin1')

/** What is said first, what is said then, and how the responses to that begin, as `shown` has them. */
for (const [what, before, said, told] of [
  ['the separator', '', 'LIST "" ""', '"" (Noselect), OK'],
  [
    'the standard folders with their uses',
    ...['', 'LIST "" *'],
    'INBOX, Archive (Archive), Drafts (Drafts), Junk (Junk), Sent (Sent), Trash (Trash), OK',
  ],
  ['INBOX in any case', '', 'LIST "" inBox', 'INBOX, OK'],
  ['a use alone', '', 'LIST (SPECIAL-USE) "" J*', 'Junk (Junk), OK'],
  ['folders within one that nobody has made', 'CREATE a/b', 'LIST "" a*', `a ${none}, a/b, OK`],
  ['one level', 'CREATE x/a; CREATE x/b/c', 'LIST "" x/%', `x/a, x/b ${none}, OK`],
  ['the level below a reference', 'CREATE a/b; CREATE a/b/c', 'LIST a/ %', 'a/b (HasChildren), OK'],
  ['several patterns, each name once', 'CREATE a', 'LIST "" (a "*a" INBOX)', 'INBOX, a, OK'],
  ['what is subscribed', 'CREATE a; CREATE b; UNSUBSCRIBE b', 'LIST (SUBSCRIBED) "" (a b)', 'a (Subscribed), OK'],
  [
    'whether it is subscribed',
    ...['CREATE a; CREATE b; UNSUBSCRIBE b', 'LIST "" (a b) RETURN (SUBSCRIBED CHILDREN)', 'a (Subscribed), b, OK'],
  ],
  [
    'what is above subscribed ones',
    ...['CREATE a; CREATE a/b; UNSUBSCRIBE a', 'LIST (SUBSCRIBED RECURSIVEMATCH) "" %a'],
    'a (HasChildren) ("CHILDINFO" ("SUBSCRIBED")), OK',
  ],
  ['no pattern', '', 'LIST "" ()', 'BAD'],
  ['RECURSIVEMATCH alone', '', 'LIST (RECURSIVEMATCH) "" %', 'BAD'],
  ['an unknown option', '', 'LIST (FANCY) "" %', 'BAD'],
  ['LSUB with options', '', 'LSUB "" (%)', 'BAD'],
  ['LSUB with what is above', 'CREATE a/b', 'LSUB "" a%', 'LSUB (\\Noselect) "/" a, OK'],
  ['LSUB of all below', 'CREATE a/b; CREATE a/c; UNSUBSCRIBE a/c', 'LSUB "" a*', 'LSUB () "/" a/b, OK'],
  [
    'status',
    ...['CREATE a', 'STATUS a (MESSAGES RECENT UNSEEN UIDNEXT SIZE DELETED HIGHESTMODSEQ APPENDLIMIT)'],
    'STATUS a (MESSAGES 0 RECENT 0 UNSEEN 0 UIDNEXT 1 SIZE 0 DELETED 0 HIGHESTMODSEQ 1 APPENDLIMIT 26214400), OK',
  ],
  [
    'what an expunge would free',
    ...['APPEND Sent (\\Deleted) {7+}\r\na: b\r\n ', 'STATUS Sent (DELETED DELETED-STORAGE)'],
    'STATUS Sent (DELETED 1 DELETED-STORAGE 7), OK',
  ],
  ['status of nothing', 'CREATE a', 'STATUS a ()', 'BAD'],
  ['status of no folder', '', 'STATUS nowhere (MESSAGES)', 'NO [NONEXISTENT] No such mailbox'],
  ['status of all that is listed', 'CREATE a', 'LIST "" a RETURN (STATUS (MESSAGES))', 'a, STATUS a (MESSAGES 0), OK'],
  ['a created folder has an id', '', 'CREATE a', 'OK [MAILBOXID (fN)] Created'],
  ['one that is there', 'CREATE a', 'CREATE a', 'NO [ALREADYEXISTS]'],
  ['INBOX cannot be made', '', 'CREATE inbox', 'NO [ALREADYEXISTS]'],
  ['a separator at the end', 'CREATE a/', 'LIST "" a*', 'a, OK'],
  ['a name that no folder has', '', 'CREATE "a//b"', 'NO [CANNOT]'],
  ['a use that a folder has', '', 'CREATE a (USE (\\Sent))', 'NO [USEATTR] Sent has this use already'],
  ['a use that none can have', '', 'CREATE a (USE (\\All))', 'NO [USEATTR]'],
  ['a name in modified UTF-7', 'CREATE "&ZeVnLIqe-"', 'LIST "" "&ZeVnLIqe-"', '&ZeVnLIqe-, OK'],
  ['the same in UTF-8', 'CREATE "&ZeVnLIqe-"; ENABLE IMAP4rev2', latin1('LIST "" "日*"'), latin1('"日本語", OK')],
  [
    ...['a name that is not in NFC, told as it is now', 'ENABLE IMAP4rev2', latin1('CREATE "Cafe\u0301/"')],
    latin1('"Café" ("OLDNAME" ("Cafe\u0301")), OK'),
  ],
  [
    ...['such a new name', 'ENABLE IMAP4rev2; CREATE a', latin1('RENAME a "Cafe\u0301"')],
    latin1('"Café" ("OLDNAME" ("Cafe\u0301")), OK'),
  ],
  ['such a name without IMAP4rev2', '', 'CREATE "Cafe&AwE-"', 'OK [MAILBOXID (fN)] Created'],
  ['a deleted folder is gone', 'CREATE a; DELETE a', 'LIST "" a', 'OK'],
  ['one that is not there', '', 'DELETE a', 'NO [NONEXISTENT]'],
  ['a standard folder stays', '', 'DELETE Sent', 'NO [CANNOT]'],
  ['INBOX stays', '', 'DELETE INBOX', 'NO [CANNOT]'],
  ['those within a deleted one stay', 'CREATE a; CREATE a/b; DELETE a', 'LIST "" a*', `a ${none}, a/b, OK`],
  [
    'a renamed tree',
    ...['CREATE a; CREATE a/b; UNSUBSCRIBE a/b; RENAME a x/y', 'LIST "" (a* x*) RETURN (SUBSCRIBED)'],
    `x ${none}, x/y (HasChildren Subscribed), x/y/b, OK`,
  ],
  ['a new name that is taken', 'CREATE a; CREATE b', 'RENAME a b', 'NO [ALREADYEXISTS]'],
  [
    'what has only others within it is renamed with them',
    ...['CREATE a/b; RENAME a x', 'LIST "" (a* x*)', `x ${none}, x/b, OK`],
  ],
  ['a name within that is taken', 'CREATE a/b; CREATE x/b', 'RENAME a x', 'NO [CANNOT]'],
  ['RENAME without a second name', '', 'RENAME a', 'BAD'],
  [
    'what would be read as another folder is not listed above others',
    ...['CREATE spam/a; CREATE sent/a; CREATE Sent/b', 'LIST "" (s* Sent*)'],
    'Sent (HasChildren Sent), Sent/b, sent/a, spam/a, OK',
  ],
  ['renaming what is not there', '', 'RENAME a b', 'NO [NONEXISTENT]'],
  ['renaming a standard folder', '', 'RENAME Sent a', 'NO [CANNOT]'],
  ['renaming into itself', 'CREATE a', 'RENAME a a/b', 'NO [CANNOT]'],
  ['unsubscribing from what is not there', '', 'UNSUBSCRIBE a', 'OK'],
  ['subscribing to what is not there', '', 'SUBSCRIBE a', 'NO [NONEXISTENT]'],
  ['subscribing again', 'CREATE a; UNSUBSCRIBE a; SUBSCRIBE a', 'LSUB "" a', 'LSUB () "/" a, OK'],
  ['the roots', '', 'NAMESPACE', 'NAMESPACE (("" "/")) (("Shared/" "/")) NIL, OK'],
  ['rights', 'CREATE a', 'MYRIGHTS a', 'MYRIGHTS a lrswipkxtecd, OK'],
  ['rights for what stays', '', 'MYRIGHTS INBOX', 'MYRIGHTS INBOX lrswipktecd, OK'],
  ['rights in a list', '', 'LIST "" INBOX RETURN (MYRIGHTS)', 'INBOX, MYRIGHTS INBOX lrswipktecd, OK'],
  ['sharing', '', 'SETACL INBOX eve@x.test lr', 'NO [NOPERM]'],
  ['the quota', '', 'GETQUOTAROOT INBOX', 'QUOTAROOT INBOX "", QUOTA "" (STORAGE N N), OK'],
  ['another quota', '', 'GETQUOTA other', 'NO [NONEXISTENT]'],
  ['setting a quota', '', 'SETQUOTA "" (STORAGE 1)', 'NO [NOPERM]'],
  ['enabling', '', 'ENABLE condstore X-OTHER', 'ENABLED CONDSTORE, OK'],
  [
    'enabling with a mailbox',
    'SELECT INBOX',
    'ENABLE QRESYNC',
    'OK [HIGHESTMODSEQ 1] Highest modification sequence, ENABLED',
  ],
  ['enabling again', 'SELECT INBOX (CONDSTORE)', 'ENABLE CONDSTORE', 'ENABLED CONDSTORE, OK'],
  ['who serves', '', 'ID ("name" "test" "version" NIL)', 'ID ("name" "Mailroom"), OK'],
  ['an own folder called Shared', 'CREATE Shared/notes', 'LIST "" Shared*', `Shared ${none}, Shared/notes, OK`],
] as const)
  test(`folders: ${what}`, async () => {
    await using client = await serving.signedIn(await serving.newMailbox())
    for (const command of before.split('; ').filter(Boolean)) {
      const { status, text } = await client.run(command)
      assert.equal(status, 'OK', `${command}: ${text}`)
    }
    const { status, text, untagged } = await client.run(said)
    const heard = [...untagged.map(shown), shown(`${status} ${text}`)].join(', ')
    assert.equal(heard.slice(0, told.length), told, heard)
  })

for (const [what, enable] of [
  ['modified UTF-7', 'NOOP'],
  ['UTF-8', 'ENABLE IMAP4rev2'],
] as const)
  test(`whatever octet a name in ${what} has, it is refused, or listed as it was made, and found by that`, async () => {
    await using client = await serving.signedIn(await serving.newMailbox())
    await client.run(enable)
    let made = 0
    for (let octet = 0; octet < 256; octet++) {
      const character = String.fromCharCode(octet)
      for (const name of new Set([character, latin1(character)])) {
        const { status } = await client.run('CREATE ', { literal: `n${octet}-${name}-`, mark: '+' })
        if (status === 'OK') made++
        else assert.match(status, /^(NO|BAD)$/)
        // A client is sent away after too much that cannot be read.
        await client.run('NOOP')
      }
    }
    const { untagged } = await client.run('LIST "" n*')
    const listed = untagged.filter((line) => !/\\(?:NonExistent|Noselect)/.test(line))
    const names = listed.map((line) => line.split(' "/" ')[1] ?? '')
    assert.deepEqual([names.length, names.length >= 80], [made, true])
    for (const name of names) assert.equal((await client.run(`SELECT ${name}`)).status, 'OK', name)
  })

/** A line of a list as the name, and its attributes but for `\HasNoChildren`; `N` for ids and sizes. */
function shown(line: string): string {
  const [, attributes = '', name, more] = /^LIST \((.*?)\) "\/" (".*?"|\S+)(.*)$/.exec(line) ?? []
  if (name === undefined) return line.replace(/\(f\w+\)/, '(fN)').replace(/STORAGE \d+ \d+/, 'STORAGE N N')
  const marks = attributes.replaceAll('\\', '').replace(/HasNoChildren ?/, '')
  return `${name}${marks && ` (${marks})`}${more}`
}
